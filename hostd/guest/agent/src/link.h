/* The carrier of a session: a virtio-serial port, or a stream socket in tests. */
#ifndef OFFSHOOT_LINK_H
#define OFFSHOOT_LINK_H

#include "loop.h"

#include <stdbool.h>

struct agent;

enum link_kind {
	LINK_PORT, /* read() == 0 means that the host end is not open yet */
	LINK_FD, /* its end ends the agent */
	LINK_LISTENER, /* one client at a time, a new one replaces it */
};

struct link {
	enum link_kind kind;
	struct watch carrier, listener;
	struct timer retry; /* of a port without a host */
	uint64_t retry_ms;
	bool write_blocked;
};

/* The descriptor is made non-blocking. Returns 0 or -1. */
int link_open(struct agent *agent, enum link_kind kind, int fd);
/* Listens on a unix socket; an old socket file is replaced. */
int link_listen(struct agent *agent, const char *path);
/* Writes what the session has to say until the carrier takes no more. */
void link_flush(struct agent *agent);

#endif
