/* The `prepare-resume` kind: a restored machine is a twin of others until it has its own randomness, clock and names. */
#ifndef OFFSHOOT_IDENTITY_H
#define OFFSHOOT_IDENTITY_H

#include "fields.h"
#include "stream.h"

struct agent;

/* Applies every part asked for, in order, and stops at the first that fails (`error`, `step`, `message`). */
void identity_start(struct agent *agent, struct stream *stream, const struct fields *fields);

/* One part each: 0, or -1 with errno. `dry` is NULL or a folder of a test. */
int identity_reseed(const char *dry, const unsigned char *bytes, size_t len);
int identity_set_clock(const char *dry, uint64_t ns);
int identity_set_hostname(const char *dry, const char *name);
int identity_set_machine_id(const char *dry, const char *id);
int identity_set_boot_id(const char *dry, const char *id);
int identity_set_generation(const char *dry, const char *generation);
int identity_set_nameserver(const char *dry, const char *address);

#endif
