// A log that a hostile guest can't grow: its first bytes, and the last ones in two files that take turns.
#ifndef LOG_H
#define LOG_H
#include <stdbool.h>
#include <stddef.h>

#define LOG_PART_BYTES (64 * 1024)

struct log {
    const char *head, *tail, *older; // file names: NAME.log, NAME.tail.log, NAME.older.log
    int source;                      // pipe, or -1 once it ended
    int fd;
    size_t written; // to the part now open
    bool in_tail;
};

// Takes what the pipe holds now; closes `source` at its end.
void log_drain(struct log *log);

#endif
