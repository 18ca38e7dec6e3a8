/* Remembers files with several names by device and inode, with the name met first. */
#ifndef OFFSHOOT_FILES_HARD_LINKS_H
#define OFFSHOOT_FILES_HARD_LINKS_H

#include "byte-string.h"

#include <sys/stat.h>

struct hard_link;
struct hard_links {
	struct hard_link *slots;
	size_t count, cap; /* cap: a power of two, or 0 */
	struct bytes paths;
};

/* The path under which this file was met before (valid until the next call), or NULL and it is remembered under `path`. `*failed` when memory ran out. */
const char *hard_links_meet(struct hard_links *links, const struct stat *st, const char *path, bool *failed);
void hard_links_free(struct hard_links *links);

#endif
