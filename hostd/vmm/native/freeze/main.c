// freeze: duplicates one machine's guest memory at one moment and writes it as a new image, for hostd, which speaks to it line by line:
// `ready`; `freeze` -> `frozen clone` | `frozen copy REASON`; `write` -> `written TOUCHED-BYTES IMAGE-BYTES`; or `failed STEP REASON`.
// The end of standard input gives it up. `freeze --probe` says `clone` or `copy REASON`.
#define _GNU_SOURCE
#include "arguments.h"
#include "duplicate.h"
#include "gadgets.h"
#include "image.h"
#include "probe.h"
#include "rights.h"
#include "source.h"
#include "watch.h"
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define FREEZE_FAILED 70

struct capture {
    struct arguments arguments;
    struct watch watch;
    struct gadgets gadgets;
    struct image image;
    // Why it is not a clone.
    struct failure copied;
};

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    fflush(stdout);
}

static bool prepare(struct capture *capture, struct failure *failure) {
    const struct arguments *arguments = &capture->arguments;
    struct image *image = &capture->image;
    int source = open_source(arguments->pid, arguments->start_ticks, failure);
    if (source < 0 || !open_watch(&capture->watch, source, failure)) return false;
    if (!open_memory(&capture->watch.memory, arguments->pid, arguments->min_available_bytes, failure)) return false;
    image->base = arguments->base;
    image->target = arguments->image;
    image->memory = open_of_process(arguments->pid, "mem", arguments->clone ? O_RDWR : O_RDONLY, failure);
    image->pagemap = image->memory < 0 ? -1 : open_of_process(arguments->pid, "pagemap", O_RDONLY, failure);
    if (image->pagemap < 0 || !find_guest_memory(arguments->pid, arguments->base, &image->guest, failure)) return false;
    if (!arguments->clone) failed(&capture->copied, "method", "asked for");
    else capture->arguments.clone = find_gadgets(arguments->pid, image->memory, &capture->gadgets, &capture->copied);
    return prepare_image(image, failure);
}

static bool write_parts(struct capture *capture, int parts, struct failure *failure) {
    struct image *image = &capture->image;
    struct failure ignored;
    if (!start_writers(image, parts, failure)) return false;
    if (watch_until(&capture->watch, image->finished, WRITERS, failure)) {
        if (join_writers(image, failure)) return true;
        return strcmp(failure->step, "gone") ? false : explain_end(&capture->watch, failure);
    }
    image->stop = true;
    end_duplicate(capture->watch.duplicate);
    capture->watch.duplicate = 0;
    join_writers(image, &ignored);
    return false;
}

// What is read from now on is the duplicate's.
static bool turn_to_duplicate(struct capture *capture, pid_t duplicate, struct failure *failure) {
    capture->watch.duplicate = duplicate;
    offer_to_oom(duplicate);
    make_room(&capture->watch.memory, capture->arguments.pid, duplicate);
    close(capture->image.memory);
    close(capture->image.pagemap);
    capture->image.memory = open_of_process(duplicate, "mem", O_RDONLY, failure);
    capture->image.pagemap = capture->image.memory < 0 ? -1 : open_of_process(duplicate, "pagemap", O_RDONLY, failure);
    return capture->image.pagemap >= 0;
}

static bool freeze(struct capture *capture, struct failure *failure) {
    const struct guest_memory *guest = &capture->image.guest;
    if (capture->arguments.clone) {
        struct range range = {guest->start, guest->bytes};
        pid_t duplicate = make_duplicate(capture->arguments.pid, capture->image.memory, &capture->gadgets, range, &capture->copied);
        if (duplicate > 0) return turn_to_duplicate(capture, duplicate, failure);
        capture->arguments.clone = false;
        *failure = capture->copied;
        if (!strcmp(failure->step, "source-gone") || !strcmp(failure->step, "memory")) return false;
    }
    return write_parts(capture, WRITE_TOUCHED, failure);
}

static bool await(struct capture *capture, const char *command, struct failure *failure) {
    char line[16];
    if (!next_command(&capture->watch, line, sizeof line, failure)) return false;
    return !strcmp(line, command) || failed(failure, "protocol", "%s instead of %s", line, command);
}

static bool run(struct capture *capture, struct failure *failure) {
    if (!prepare(capture, failure)) return false;
    if (capture->arguments.clone ? !keep_rights_to_freeze(failure) : !keep_rights_to_write(failure)) return false;
    say("ready\n");
    if (!await(capture, "freeze", failure)) return false;
    if (!freeze(capture, failure) || !keep_rights_to_write(failure)) return false;
    if (capture->arguments.clone) say("frozen clone\n");
    else say("frozen copy %s: %s\n", capture->copied.step, capture->copied.reason);
    if (!await(capture, "write", failure)) return false;
    if (!write_parts(capture, capture->arguments.clone ? WRITE_TOUCHED | WRITE_BASE : WRITE_BASE, failure)) return false;
    say("written %lu %lu\n", capture->image.touched_pages * PAGE_BYTES, capture->image.data_pages * PAGE_BYTES);
    return true;
}

static int say_failed(const struct failure *failure) {
    say("failed %s %s\n", failure->step, failure->reason);
    return FREEZE_FAILED;
}

int main(int count, char **words) {
    static struct capture capture;
    struct failure failure;
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (!read_arguments(count, words, &capture.arguments, &failure)) return say_failed(&failure);
    if (capture.arguments.probe) {
        if (probe(&failure)) say("clone\n");
        else say("copy %s: %s\n", failure.step, failure.reason);
        return 0;
    }
    spare_from_oom();
    bool written = run(&capture, &failure);
    end_duplicate(capture.watch.duplicate);
    restore_cgroup_limit(&capture.watch.memory.cgroup);
    return written ? 0 : say_failed(&failure);
}
