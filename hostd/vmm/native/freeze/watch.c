#define _GNU_SOURCE
#include "watch.h"
#include "duplicate.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define CHECK_EVERY_MS 4
#define ENDS_WITHIN_MS 200

bool open_watch(struct watch *watch, int source, struct failure *failure) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    if (sigprocmask(SIG_BLOCK, &signals, NULL)) return failed_errno(failure, "start", "sigprocmask");
    watch->signals = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
    if (watch->signals < 0) return failed_errno(failure, "start", "signalfd");
    watch->source = source;
    watch->input = STDIN_FILENO;
    return true;
}

bool explain_end(struct watch *watch, struct failure *failure) {
    struct pollfd source = {watch->source, POLLIN, 0};
    if (poll(&source, 1, ENDS_WITHIN_MS) == 1) return failed(failure, "source-gone", "the source has ended");
    return failed(failure, "memory", "the duplicate was killed");
}

static bool check(struct watch *watch, const struct pollfd *polled, struct failure *failure) {
    if (polled[0].revents & POLLIN) return failed(failure, "given-up", "asked to");
    if (polled[1].revents & POLLIN) return failed(failure, "source-gone", "the source has ended");
    if (polled[2].revents & (POLLHUP | POLLERR | POLLRDHUP)) return failed(failure, "given-up", "hostd is gone");
    if (watch->duplicate && !duplicate_lives(watch->duplicate)) return explain_end(watch, failure);
    return !watch->duplicate || memory_suffices(&watch->memory, failure);
}

// Up to one event more; `events` of standard input are the caller's.
static bool turn(struct watch *watch, int other, short input_events, struct pollfd *polled, struct failure *failure) {
    polled[0] = (struct pollfd){watch->signals, POLLIN, 0};
    polled[1] = (struct pollfd){watch->source, POLLIN, 0};
    polled[2] = (struct pollfd){watch->input, (short)(input_events | POLLRDHUP), 0};
    polled[3] = (struct pollfd){other, POLLIN, 0};
    if (poll(polled, 4, watch->duplicate ? CHECK_EVERY_MS : -1) < 0 && errno != EINTR) return failed_errno(failure, "start", "poll");
    return true;
}

bool next_command(struct watch *watch, char *line, size_t size, struct failure *failure) {
    for (size_t length = 0;;) {
        struct pollfd polled[4] = {0};
        if (!turn(watch, -1, POLLIN, polled, failure)) return false;
        if (!(polled[2].revents & POLLIN)) {
            if (!check(watch, polled, failure)) return false;
            continue;
        }
        polled[2].revents = 0; // there is something to read before its end
        if (!check(watch, polled, failure)) return false;
        if (length + 1 == size) return failed(failure, "protocol", "the line is too long");
        if (read(watch->input, line + length, 1) != 1) return failed(failure, "given-up", "hostd is gone");
        if (line[length] == '\n') {
            line[length] = 0;
            return true;
        }
        length++;
    }
}

bool watch_until(struct watch *watch, int finished, uint64_t count, struct failure *failure) {
    for (uint64_t seen = 0; seen < count;) {
        struct pollfd polled[4] = {0};
        eventfd_t more;
        if (!turn(watch, finished, 0, polled, failure) || !check(watch, polled, failure)) return false;
        if (polled[3].revents & POLLIN && !eventfd_read(finished, &more)) seen += more;
    }
    return true;
}
