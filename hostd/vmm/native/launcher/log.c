#define _GNU_SOURCE
#include "log.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static int open_part(const char *path) {
    return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
}

static void next_part(struct log *log) {
    if (log->fd >= 0) close(log->fd);
    if (log->in_tail && rename(log->tail, log->older)) unlink(log->tail);
    log->in_tail = true;
    log->fd = open_part(log->tail);
    log->written = 0;
}

static void keep(struct log *log, const char *bytes, size_t length) {
    if (log->fd < 0 && !log->in_tail && !log->written) log->fd = open_part(log->head);
    while (length) {
        if (log->written >= LOG_PART_BYTES) next_part(log);
        size_t room = LOG_PART_BYTES - log->written;
        size_t piece = length < room ? length : room;
        // A full disk loses log lines; it must not stop the pipe, or the guest would hang with it.
        if (log->fd >= 0 && write(log->fd, bytes, piece) < 0) errno = 0;
        log->written += piece;
        bytes += piece;
        length -= piece;
    }
}

void log_drain(struct log *log) {
    char bytes[16384];
    for (int turn = 0; log->source >= 0 && turn < 16; turn++) { // bounded, so that a flood can't keep a kill from being seen
        ssize_t length = read(log->source, bytes, sizeof bytes);
        if (length > 0) {
            keep(log, bytes, (size_t)length);
            continue;
        }
        if (length < 0 && (errno == EAGAIN || errno == EINTR)) return;
        close(log->source);
        log->source = -1;
    }
}
