// What may happen while the helper waits or writes: a command, the end of hostd or of the source, memory getting short.
#ifndef WATCH_H
#define WATCH_H
#include "failure.h"
#include "memory.h"
#include <sys/types.h>

struct watch {
    int signals, source, input;
    // 0: none yet.
    pid_t duplicate;
    struct memory memory;
};

bool open_watch(struct watch *watch, int source, struct failure *failure);
// The next line of standard input, without its end; false (`given-up`, `source-gone`, `memory`) when there is none to wait for.
bool next_command(struct watch *watch, char *line, size_t size, struct failure *failure);
// Returns true when `finished`, an eventfd, has counted to `count`.
bool watch_until(struct watch *watch, int finished, uint64_t count, struct failure *failure);
// The memory that is read has gone: with the source, or the kernel took the duplicate because memory is short. Always false.
bool explain_end(struct watch *watch, struct failure *failure);

#endif
