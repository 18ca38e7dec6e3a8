#define _GNU_SOURCE
#include "become.h"
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ABOVE_ALL_NUMBERS 64

static int trouble_fd;

static _Noreturn void give_up(const char *step) {
    char text[256];
    int length = snprintf(text, sizeof text, "%s: %s", step, strerror(errno));
    _exit(write(trouble_fd, text, (size_t)length) < 0 ? 71 : 70);
}

// First everything out of the way of the numbers asked for, then each to its own.
static void place_files(const struct spec *spec, int errors) {
    int held[MAX_FILES];
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0) give_up("open /dev/null");
    trouble_fd = fcntl(trouble_fd, F_DUPFD_CLOEXEC, ABOVE_ALL_NUMBERS);
    errors = fcntl(errors, F_DUPFD_CLOEXEC, ABOVE_ALL_NUMBERS);
    if (trouble_fd < 0 || errors < 0) give_up("move descriptors");
    for (size_t at = 0; at < spec->file_count; at++)
        if ((held[at] = fcntl(spec->files[at].fd, F_DUPFD_CLOEXEC, ABOVE_ALL_NUMBERS)) < 0) give_up("move descriptors");
    if (dup2(null, 0) < 0 || dup2(errors, 1) < 0 || dup2(errors, 2) < 0) give_up("standard descriptors");
    if (syscall(SYS_close_range, 3, ~0U, CLOSE_RANGE_CLOEXEC)) give_up("close_range");
    for (size_t at = 0; at < spec->file_count; at++)
        if (dup2(held[at], spec->files[at].number) < 0) give_up("place descriptors");
}

static void limit(const struct spec *spec) {
    for (size_t at = 0; at < spec->limit_count; at++) {
        struct rlimit value = {spec->limits[at].value, spec->limits[at].value};
        if (setrlimit(spec->limits[at].resource, &value)) give_up("setrlimit");
    }
}

// When the host runs out of memory a sandbox goes before the daemon that could stop others.
static void volunteer_for_oom(void) {
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, "500", 3) != 3) give_up("oom_score_adj");
    close(fd);
}

static void drop_privileges(const struct spec *spec) {
    for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++)
        if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)) give_up("drop capability bounding set");
    if (setgroups(spec->group_count, spec->groups)) give_up("setgroups");
    if (setresgid(spec->gid, spec->gid, spec->gid)) give_up("setresgid");
    if (setresuid(spec->uid, spec->uid, spec->uid)) give_up("setresuid");
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[2] = {0};
    if (syscall(SYS_capset, &header, none)) give_up("capset");
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) give_up("no_new_privs");
    errno = EPERM;
    if (!setuid(0) || getuid() != spec->uid || geteuid() != spec->uid) give_up("root was not given up");
}

void become_vmm(const struct spec *spec, pid_t launcher, int errors, int trouble) {
    trouble_fd = trouble;
    if (setpgid(0, 0)) give_up("setpgid");
    place_files(spec, errors);
    limit(spec);
    volunteer_for_oom();
    drop_privileges(spec);
    // A change of user clears it, so it comes after; and the launcher may have died before it was set.
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)) give_up("parent death signal");
    if (getppid() != launcher) _exit(70);
    sigset_t none;
    sigemptyset(&none);
    signal(SIGPIPE, SIG_DFL);
    if (sigprocmask(SIG_SETMASK, &none, NULL)) give_up("sigprocmask");
    execve(spec->arguments[0], spec->arguments, spec->environment);
    give_up(spec->arguments[0]);
}
