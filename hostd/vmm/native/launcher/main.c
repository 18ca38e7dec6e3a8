// launcher DIRECTORY: starts one machine's VMM as `launch.spec` in that folder asks, outlives hostd, reaps the VMM and writes how it ended.
#define _GNU_SOURCE
#include "become.h"
#include "log.h"
#include "report.h"
#include "resources.h"
#include "spec.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void detach(const char *directory) {
    if (syscall(SYS_close_range, 3, ~0U, 0)) fail_errno("close_range");
    if (getsid(0) != getpid() && setsid() < 0) fail_errno("setsid");
    if (chdir(directory)) fail_errno("chdir %s", directory);
    umask(077);
    signal(SIGPIPE, SIG_IGN);
    prctl(PR_SET_NAME, "offshoot-vm", 0, 0, 0);
}

// The lock is held for life. Only after its pid is on record does the launcher look for the spec: whoever removes the spec and then
// reads launcher.pid either finds this launcher or has stopped it.
static void claim_directory(void) {
    int lock = open("launcher.lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (lock < 0) fail_errno("open launcher.lock");
    if (flock(lock, LOCK_EX | LOCK_NB)) fail_errno("another launcher runs in this folder");
    record_process("launcher.pid", getpid());
}

static int watch_signals(void) {
    sigset_t watched;
    sigemptyset(&watched);
    sigaddset(&watched, SIGTERM);
    sigaddset(&watched, SIGINT);
    sigaddset(&watched, SIGHUP);
    sigaddset(&watched, SIGCHLD);
    if (sigprocmask(SIG_BLOCK, &watched, NULL)) fail_errno("sigprocmask");
    int fd = signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
    if (fd < 0) fail_errno("signalfd");
    return fd;
}

static void make_pipe(int ends[2]) {
    if (pipe2(ends, O_CLOEXEC)) fail_errno("pipe");
    if (fcntl(ends[0], F_SETFL, O_NONBLOCK)) fail_errno("pipe");
}

static pid_t start_vmm(struct spec *spec, int errors) {
    int trouble[2];
    if (pipe2(trouble, O_CLOEXEC)) fail_errno("pipe");
    pid_t launcher = getpid(), vmm = fork();
    if (vmm < 0) fail_errno("fork");
    if (vmm == 0) become_vmm(spec, launcher, errors, trouble[1]);
    setpgid(vmm, vmm); // as it does itself: whoever comes first
    close(trouble[1]);
    record_process("vmm.pid", vmm);
    char text[256];
    ssize_t length = read(trouble[0], text, sizeof text - 1);
    close(trouble[0]);
    if (length <= 0) return vmm;
    text[length] = 0;
    waitpid(vmm, NULL, 0);
    remove_sockets(spec);
    fail("%s", text);
}

// Its duplicates are in its process group. Until the VMM is reaped the number is the group's own.
static void kill_vmm(pid_t vmm) {
    kill(vmm, SIGKILL);
    kill(-vmm, SIGKILL);
}

// A duplicate of the VMM is a child of the launcher's too (cloned with CLONE_PARENT): it is reaped as it ends, and its end is not the VMM's.
static bool reap(pid_t vmm, int *status, struct rusage *usage) {
    for (;;) {
        siginfo_t ended = {0};
        if (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) || !ended.si_pid) return false;
        if (ended.si_pid != vmm) {
            waitpid(ended.si_pid, NULL, WNOHANG);
            continue;
        }
        kill_vmm(vmm);
        return wait4(vmm, status, 0, usage) == vmm;
    }
}

// They are killed; only a tracer that hangs could hold them back, and nobody waits for it.
static void reap_duplicates(void) {
    for (int waited_ms = 0; waited_ms < 1000; waited_ms += 2) {
        siginfo_t ended = {0};
        if (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG)) return;
        if (!ended.si_pid) poll(NULL, 0, 2);
    }
}

// Returns when the VMM is reaped.
static int watch(pid_t vmm, int signals, struct log logs[2], struct rusage *usage, bool *kill_requested) {
    for (;;) {
        struct pollfd polled[3] = {{signals, POLLIN, 0}, {logs[0].source, POLLIN, 0}, {logs[1].source, POLLIN, 0}};
        if (poll(polled, 3, -1) < 0 && errno != EINTR) kill_vmm(vmm);
        struct signalfd_siginfo info;
        while (read(signals, &info, sizeof info) == sizeof info) {
            if (info.ssi_signo != SIGTERM) continue;
            *kill_requested = true;
            kill_vmm(vmm);
        }
        for (int at = 0; at < 2; at++) log_drain(&logs[at]);
        int status;
        if (!reap(vmm, &status, usage)) continue;
        for (int at = 0; at < 2; at++) log_drain(&logs[at]);
        return status;
    }
}

int main(int count, char **words) {
    if (count != 2) fail("usage: launcher DIRECTORY");
    detach(words[1]);
    claim_directory();
    struct spec spec = {0};
    spec_read("launch.spec", &spec);
    int signals = watch_signals(), console[2], errors[2];
    make_pipe(console);
    make_pipe(errors);
    enter_network(&spec);
    open_files(&spec, console[1]);
    pid_t vmm = start_vmm(&spec, errors[1]);
    for (size_t at = 0; at < spec.file_count; at++)
        if (spec.files[at].fd != console[1]) close(spec.files[at].fd);
    close(console[1]);
    close(errors[1]);
    report_ready(vmm, "/dev/null");
    struct log logs[2] = {{.head = "console.log", .tail = "console.tail.log", .older = "console.older.log", .source = console[0], .fd = -1},
                          {.head = "vmm.log", .tail = "vmm.tail.log", .older = "vmm.older.log", .source = errors[0], .fd = -1}};
    struct rusage usage = {0};
    bool kill_requested = false;
    int status = watch(vmm, signals, logs, &usage, &kill_requested);
    remove_sockets(&spec);
    reap_duplicates();
    record_exit(status, &usage, kill_requested);
    return 0;
}
