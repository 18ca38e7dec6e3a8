#define _GNU_SOURCE
#include "report.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void say(const char *line, size_t length) {
    if (write(STDOUT_FILENO, line, length) < 0) return; // nobody listens any more
}

static _Noreturn void fail_with(const char *reason, const char *format, va_list arguments) {
    char message[512], line[700];
    vsnprintf(message, sizeof message, format, arguments);
    int length = snprintf(line, sizeof line, "failed %s%s%s\n", message, reason ? ": " : "", reason ? reason : "");
    say(line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1);
    exit(LAUNCH_FAILED);
}

void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fail_with(NULL, format, arguments);
}

void fail_errno(const char *format, ...) {
    const char *reason = strerror(errno);
    va_list arguments;
    va_start(arguments, format);
    fail_with(reason, format, arguments);
}

static ssize_t read_text(const char *path, char *text, size_t size) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? -1 : read(fd, text, size - 1);
    if (fd >= 0) close(fd);
    text[length > 0 ? length : 0] = 0;
    return length;
}

// Field 22 of /proc/PID/stat, counted behind the last ')' because a program's name may hold anything.
static unsigned long long start_ticks(pid_t pid) {
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    if (read_text(path, text, sizeof text) <= 0) fail_errno("read %s", path);
    char *at = strrchr(text, ')');
    for (int field = 2; at && field < 22; field++) at = strchr(at + 1, ' ');
    if (!at) fail("%s: not understood", path);
    return strtoull(at, NULL, 10);
}

void report_ready(pid_t vmm, const char *null_path) {
    char line[128];
    int length = snprintf(line, sizeof line, "ready %d %llu %d %llu\n", getpid(), start_ticks(getpid()), vmm, start_ticks(vmm));
    say(line, (size_t)length);
    int null = open(null_path, O_RDWR | O_CLOEXEC);
    if (null < 0) return;
    for (int fd = 0; fd < 3; fd++) dup2(null, fd);
    close(null);
}

static bool write_whole(const char *path, const char *text) {
    char beside[64];
    snprintf(beside, sizeof beside, "%s.new", path);
    int fd = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) return false;
    bool written = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    return !close(fd) && written && !rename(beside, path);
}

void record_process(const char *path, pid_t pid) {
    char boot[64], text[160];
    if (read_text("/proc/sys/kernel/random/boot_id", boot, sizeof boot) <= 0) fail_errno("read boot_id");
    snprintf(text, sizeof text, "%d %llu %s", pid, start_ticks(pid), boot);
    if (!write_whole(path, text)) fail_errno("write %s", path);
}

void record_exit(int status, const struct rusage *usage, bool kill_requested) {
    char text[256], code[16] = "null", signal[16] = "null";
    if (WIFEXITED(status)) snprintf(code, sizeof code, "%d", WEXITSTATUS(status));
    if (WIFSIGNALED(status)) snprintf(signal, sizeof signal, "%d", WTERMSIG(status));
    double cpu = (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) + (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1e6;
    snprintf(text, sizeof text, "{\"exitCode\":%s,\"signalNumber\":%s,\"cpuSeconds\":%.3f,\"peakMemoryKiB\":%ld,\"killRequested\":%s}\n", code, signal, cpu,
             usage->ru_maxrss, kill_requested ? "true" : "false");
    if (!write_whole("exit.json", text)) return; // a full disk: the exit is known by the launcher's end alone
}
