/* Walks a folder in sorted order, never following symbolic links. */
#ifndef OFFSHOOT_FILES_WALK_H
#define OFFSHOOT_FILES_WALK_H

#include "byte-string.h"
#include "failure.h"

#include <stdbool.h>
#include <stddef.h>

struct walk_entry {
	int dir; /* the folder it is in */
	const char *base; /* its name there */
	const char *path; /* relative to where the walk began */
	size_t depth; /* how many folders beneath it; 0 there */
	unsigned char type; /* DT_*, DT_UNKNOWN where the file system doesn't say */
};

/* Returns 1 to go into it (it is a folder), 0 to go on, -1 on failure. Called for a folder before what is in it. */
typedef int walk_visit(void *context, const struct walk_entry *entry, struct failure *failure);

/* Takes over `root`, an open folder. Entries that vanish meanwhile are passed over. */
int walk(int root, walk_visit *visit, void *context, struct failure *failure);

/* True for errors which say that the entry is no longer what it was when it was listed. */
bool walk_vanished(int error);

#endif
