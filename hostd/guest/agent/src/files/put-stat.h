/* File attributes as fields. */
#ifndef OFFSHOOT_FILES_PUT_STAT_H
#define OFFSHOOT_FILES_PUT_STAT_H

#include "../fields.h"
#include "failure.h"

#include <sys/stat.h>

void put_mode(struct fields_out *out, mode_t mode);
void put_mtime(struct fields_out *out, struct timespec mtime);
/* All keys of a list entry. `dir` and `base` say where to read a link's target. Nothing is put on failure. */
int put_stat(struct fields_out *out, const char *name, const struct stat *st, int dir, const char *base, struct failure *failure);

#endif
