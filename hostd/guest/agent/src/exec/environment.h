/* The environment of an exec, and where its program may be. */
#ifndef OFFSHOOT_ENVIRONMENT_H
#define OFFSHOOT_ENVIRONMENT_H

#include "users.h"

#include <stdbool.h>
#include <stddef.h>

/* A growing NULL-ended list of owned strings; `failed` is set for good when memory ran out. */
struct strings {
	char **items;
	size_t count, cap;
	bool failed;
};

void strings_add(struct strings *list, const char *text, size_t len);
void strings_free(struct strings *list);

/* Sets `K=V`, in place of an earlier K. Returns false when it has no key. */
bool environment_set(struct strings *env, const char *pair);
const char *environment_get(const struct strings *env, const char *key);
/* The defaults of PROTOCOL.md for this user. */
void environment_defaults(struct strings *env, const struct user *user, bool terminal);
/* Adds the `K=V` lines of a file; blank lines and lines starting with # are skipped, a missing file is none. */
void environment_read(struct strings *env, const char *path);
/* The paths to try for a program: itself when it has a slash, else one per folder of PATH. */
void environment_search(struct strings *paths, const char *program, const char *path);

#endif
