// stand-in BASE-FILE UID: in QEMU's place for the freeze helper's tests. Maps BASE-FILE privately and without a part in forks, runs as UID
// under a seccomp filter as QEMU's (spawn=deny: clone ends the process, clone3 is ENOSYS), keeps a main thread in ppoll that checks everything a resumed call must leave alone, and
// two threads that compute. Commands on standard input: `report`, `rewrite`, `idle` (no timeout
// in ppoll).
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <immintrin.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096
#define ROUNDING 0x7f80u

static atomic_ulong rounds, errors, signals;
static atomic_bool rewriting;
static bool has_avx;
static unsigned char *memory;
static size_t pages;

static _Noreturn void die(const char *what) {
    perror(what);
    exit(1);
}

static void deny_clones(void) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fork, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_execve, 2, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    struct sock_fprog program = {sizeof code / sizeof code[0], code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program)) die("seccomp");
}

static void *compute(void *unused) {
    (void)unused;
    for (uint64_t seed = 1;; seed++) {
        uint64_t first = 0, second = 0;
        for (uint64_t i = 0; i < 20000; i++) first = first * 6364136223846793005u + i + seed;
        for (uint64_t i = 0; i < 20000; i++) second = second * 6364136223846793005u + i + seed;
        if (first != second) errors++;
        rounds++;
        usleep(500);
    }
    return NULL;
}

static void *rewrite(void *unused) {
    (void)unused;
    while (!rewriting) usleep(500);
    for (unsigned turn = 1;; turn++)
        for (size_t page = 0; page < pages; page++) memcpy(memory + page * PAGE, &turn, sizeof turn);
    return NULL;
}

// Every third page is written, of these every second with zeros.
static void touch(void) {
    for (size_t page = 0; page < pages; page += 3) {
        memset(memory + page * PAGE, 0, PAGE);
        if (page % 2) snprintf((char *)memory + page * PAGE, PAGE, "touched %zu", page);
    }
}

// ppoll by hand, so that vector registers, a callee-saved register and the rounding mode are in use across it.
#define POLL_WITH(move, vector)                                                                                                          \
    __asm__ volatile(move " (%[values]), %%" vector "\n mov %[kept], %%r12\n syscall\n mov %%r12, %[kept_after]\n " move " %%" vector ", (%[after])" \
                     : "+r"(result), [kept_after] "=&r"(kept_after)                                                                       \
                     : "D"(polled), "S"(1l), "d"(timeout), "r"(mask), "r"(mask_bytes), [kept] "r"(kept), [values] "r"(values), [after] "r"(after) \
                     : "rcx", "r11", "r12", "xmm15", "memory")

static long poll_input(struct pollfd *polled, struct timespec *timeout) {
    uint64_t values[4] = {rounds, ~rounds, rounds * 3, rounds * 5}, after[4] = {0, 0, values[2], values[3]}, kept = rounds * 7, kept_after;
    register long result __asm__("rax") = SYS_ppoll;
    register void *mask __asm__("r10") = NULL;
    register long mask_bytes __asm__("r8") = 8;
    if (has_avx) POLL_WITH("vmovups", "ymm15");
    else POLL_WITH("movups", "xmm15");
    if (kept_after != kept || memcmp(values, after, sizeof values) || _mm_getcsr() >> 6 != ROUNDING >> 6) errors++;
    return result;
}

static void count_signal(int number) {
    (void)number;
    signals++;
}

static void report(void) {
    sigset_t mask;
    sigprocmask(SIG_BLOCK, NULL, &mask);
    stack_t alternate;
    sigaltstack(NULL, &alternate);
    for (size_t page = 0; page < pages; page += 3)
        if (page % 2 && strncmp((char *)memory + page * PAGE, "touched ", 8)) errors++;
    bool mask_kept = sigismember(&mask, SIGUSR2) == 1 && sigismember(&mask, SIGUSR1) == 0 && sigismember(&mask, SIGTERM) == 0;
    printf("rounds %lu errors %lu signals %lu mask %s stack %s\n", rounds, errors, signals, mask_kept ? "kept" : "lost",
           alternate.ss_size == 65536 && !alternate.ss_flags ? "kept" : "lost");
    fflush(stdout);
}

int main(int count, char **words) {
    static unsigned char alternate_stack[65536];
    struct stat file;
    pthread_t thread;
    if (count != 3) return 2;
    has_avx = __builtin_cpu_supports("avx");
    int fd = open(words[1], O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &file)) die(words[1]);
    pages = (size_t)file.st_size / PAGE;
    memory = mmap(NULL, (size_t)file.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    if (memory == MAP_FAILED || madvise(memory, (size_t)file.st_size, MADV_DONTFORK)) die("mmap");
    touch();
    if (setresuid((uid_t)atoi(words[2]), (uid_t)atoi(words[2]), (uid_t)atoi(words[2]))) die("setresuid");
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR2);
    stack_t alternate = {.ss_sp = alternate_stack, .ss_size = sizeof alternate_stack};
    struct sigaction action = {.sa_handler = count_signal};
    if (sigprocmask(SIG_BLOCK, &blocked, NULL) || sigaltstack(&alternate, NULL) || sigaction(SIGUSR1, &action, NULL)) die("signals");
    for (int at = 0; at < 3; at++)
        if (pthread_create(&thread, NULL, at < 2 ? compute : rewrite, NULL)) die("thread");
    _mm_setcsr(ROUNDING);
    deny_clones();
    printf("ready %d\n", getpid());
    fflush(stdout);
    bool idle = false, input_ended = false;
    for (char line[64];;) {
        struct pollfd polled = {input_ended ? -1 : 0, POLLIN, 0};
        struct timespec timeout = {0, 700000};
        long result = poll_input(&polled, idle ? NULL : &timeout);
        if (result != 0 && result != 1 && !(result == -EINTR && signals)) errors++;
        if (result != 1) continue;
        if (!fgets(line, sizeof line, stdin)) {
            struct stat input;
            if (fstat(0, &input) || !S_ISCHR(input.st_mode)) return 0; // the test is gone; a launcher gives /dev/null
            idle = input_ended = true;
            continue;
        }
        if (!strcmp(line, "report\n")) report();
        if (!strcmp(line, "rewrite\n")) rewriting = true;
        if (!strcmp(line, "idle\n")) idle = true;
    }
}
