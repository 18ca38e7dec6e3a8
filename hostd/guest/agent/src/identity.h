/* A restored machine is a twin of others until it has its own randomness, clock and names. */
#ifndef OFFSHOOT_IDENTITY_H
#define OFFSHOOT_IDENTITY_H

#include "fields.h"

#include <stdint.h>

/* The first part that is malformed, or NULL: nothing is to be applied unless all can be. */
const char *identity_malformed(const struct fields *fields);
/* Applies every part asked for, in order. Returns the step that failed, with errno, or NULL. */
const char *identity_apply(const char *dry, const struct fields *fields);

/* One part each: 0, or -1 with errno. `dry` is NULL or a folder of a test. */
int identity_reseed(const char *dry, const unsigned char *bytes, size_t len);
int identity_set_clock(const char *dry, uint64_t ns);
int identity_set_hostname(const char *dry, const char *name);
int identity_set_machine_id(const char *dry, const char *id);
int identity_set_boot_id(const char *dry, const char *id);
int identity_set_generation(const char *dry, const char *generation);
int identity_set_nameserver(const char *dry, const char *address);

#endif
