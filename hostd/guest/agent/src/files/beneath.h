/* Opening and making folders beneath a root descriptor without ever following a symbolic link. */
#ifndef OFFSHOOT_FILES_BENEATH_H
#define OFFSHOOT_FILES_BENEATH_H

#include "byte-string.h"
#include "failure.h"
#include "params.h"

/* Rewrites an archive's name as plain components "a/b/c" (empty for the root itself). `unsafe-path` for absolute names and "..",
 * `invalid` for an empty one. */
int beneath_normalise(const char *name, size_t len, struct bytes *out, struct failure *failure);

/* openat2 with RESOLVE_BENEATH and RESOLVE_NO_SYMLINKS; `path` is normalised, not empty, and may be longer than PATH_MAX. -1 and errno. */
int beneath_open(int dir, const char *path, int flags);

/* The last folder used is kept open, since archives come folder by folder. */
struct parents {
	int root;
	struct owner owner; /* of folders that have to be made */
	int fd; /* -1: none */
	struct bytes path;
	bool root_setgid;
	bool setgid; /* of the folder handed out last: what is made in it takes the folder's group */
};
void parents_init(struct parents *parents, int root, const struct owner *owner);
void parents_forget(struct parents *parents);
void parents_free(struct parents *parents);

/* The folder that holds normalised `path`, made when missing if `make`. Stays owned by `parents`. `unsafe-path` when a component is a symbolic
 * link. `*base` points at the last component. */
int parents_of(struct parents *parents, const char *path, bool make, const char **base, struct failure *failure);

/* mkdir -p of an absolute path, following links as the system does; `*made` tells whether the last one is new. */
int make_folders(const char *path, const struct owner *owner, bool *made, struct failure *failure);

#endif
