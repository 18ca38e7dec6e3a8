/* Workers: the file kinds (read-file, write-file, list, stat, tar-in, tar-out). Each runs in a child process forked by the agent, with blocking
 * descriptors, so a slow disk or a hostile archive costs only that child. */
#ifndef OFFSHOOT_WORKER_H
#define OFFSHOOT_WORKER_H

#include "fields.h"

/* True when `kind` is a file kind. */
bool worker_knows(const char *kind);

/* Does the work: reads input from in_fd until EOF, writes data to out_fd, puts `ok=1` and results, or `error` and `message`, into result.
 * Called in the forked child after its descriptors are set up; may block; never returns before all data is written. */
void worker_run(const char *kind, const struct fields *params, int in_fd, int out_fd, struct fields_out *result);

#endif
