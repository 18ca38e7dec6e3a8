/* Folders whose modes and times are set when everything in them is there. */
#ifndef OFFSHOOT_FILES_LATE_FOLDERS_H
#define OFFSHOOT_FILES_LATE_FOLDERS_H

#include "byte-string.h"
#include "failure.h"

#include <stdint.h>
#include <sys/types.h>
#include <time.h>

struct late_folder;
struct late_folders {
	int root;
	struct late_folder *items;
	size_t count, cap;
	struct bytes paths;
};

/* `path` is normalised; empty for the root itself. */
int late_folders_add(struct late_folders *late, const char *path, mode_t mode, struct timespec mtime, struct failure *failure);
int late_folders_apply(struct late_folders *late, struct failure *failure);
void late_folders_free(struct late_folders *late);

#endif
