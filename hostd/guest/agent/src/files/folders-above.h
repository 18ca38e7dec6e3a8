/* The folders that a walk is in, each written to the archive once, when something beneath it is. */
#ifndef OFFSHOOT_FILES_FOLDERS_ABOVE_H
#define OFFSHOOT_FILES_FOLDERS_ABOVE_H

#include "tar-writer.h"

struct folders_above {
	struct bytes stack; /* from the root down */
	size_t written; /* so many of them are in the archive */
	struct bytes name;
};

int folders_above_enter(struct folders_above *above, const char *path, const struct stat *st, struct failure *failure);
/* Forgets those that the walk has left: all but `depth`. */
void folders_above_leave(struct folders_above *above, size_t depth);
/* Writes those that are not in the archive yet; `path` is that of the last or of something in it. */
int folders_above_write(struct folders_above *above, struct tar_writer *writer, const char *path, struct failure *failure);
void folders_above_free(struct folders_above *above);

#endif
