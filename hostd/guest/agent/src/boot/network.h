/* Network interfaces, with IPv4 addresses from the kernel's command line. */
#ifndef OFFSHOOT_NETWORK_H
#define OFFSHOOT_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

struct network_address {
	uint32_t address, netmask; /* network byte order */
};

/* Reads "A.B.C.D/PREFIX"; false when malformed. */
bool network_parse(const char *text, struct network_address *out);
/* Brings lo up; with `offshoot.address=A/PREFIX` also eth0, with `offshoot.gateway=G` and `offshoot.mtu=N`. Failures go to the console. */
void network_up(const char *cmdline);

#endif
