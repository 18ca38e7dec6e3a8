#define _GNU_SOURCE
#include "probe.h"
#include "duplicate.h"
#include "gadgets.h"
#include "rights.h"
#include "source.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROBE_BYTES (16 * PAGE_BYTES)
#define SOME_UID 65534
#define ANSWER_MS 5000

static const char mark[] = "written by the source";

// As QEMU's with spawn=deny.
static bool deny_clones(void) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
    };
    struct sock_fprog program = {sizeof code / sizeof code[0], code};
    return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static _Noreturn void be_source(int base, int channel) {
    char byte = 0;
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    char *memory = mmap(NULL, PROBE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE, base, 0);
    if (memory == MAP_FAILED || madvise(memory, PROBE_BYTES, MADV_DONTFORK)) _exit(1);
    memcpy(memory + PAGE_BYTES, mark, sizeof mark);
    if (geteuid() == 0 && syscall(SYS_setresuid, SOME_UID, SOME_UID, SOME_UID)) _exit(1);
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); // a VMM is: it was started as its user
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (!deny_clones()) _exit(1);
    do if (write(channel, &byte, 1) != 1) _exit(1);
    while (read(channel, &byte, 1) == 1);
    _exit(0);
}

static bool answers(int channel) {
    char byte;
    struct pollfd polled = {channel, POLLIN, 0};
    return poll(&polled, 1, ANSWER_MS) == 1 && read(channel, &byte, 1) == 1;
}

static bool shows_the_source(pid_t duplicate, const struct guest_memory *guest, struct failure *failure) {
    char seen[sizeof mark] = "";
    int memory = open_of_process(duplicate, "mem", O_RDONLY, failure);
    if (memory < 0) return false;
    bool same = pread(memory, seen, sizeof seen, (off_t)(guest->start + PAGE_BYTES)) == sizeof seen && !memcmp(seen, mark, sizeof mark);
    close(memory);
    return same || failed(failure, "probe", "the duplicate has other memory");
}

static bool duplicate_source(pid_t source, int base, int channel, struct failure *failure) {
    struct guest_memory guest;
    struct gadgets gadgets;
    char byte = 0;
    if (!answers(channel)) return failed(failure, "probe", "the process to duplicate did not start");
    int memory = open_of_process(source, "mem", O_RDWR, failure);
    if (memory < 0) return failed(failure, "probe", "this host lets no memory of other processes be read, so it can't be copied either");
    if (!find_guest_memory(source, base, &guest, failure) || !find_gadgets(source, memory, &gadgets, failure)) return false;
    if (!keep_rights_to_freeze(failure)) return false;
    pid_t duplicate = make_duplicate(source, memory, &gadgets, (struct range){guest.start, guest.bytes}, failure);
    if (duplicate < 0) return false;
    bool same = shows_the_source(duplicate, &guest, failure);
    end_duplicate(duplicate);
    if (!same) return false;
    if (write(channel, &byte, 1) != 1 || !answers(channel)) return failed(failure, "probe", "the source does not go on");
    return true;
}

bool probe(struct failure *failure) {
    int channel[2], base = memfd_create("probe", MFD_CLOEXEC);
    if (base < 0 || ftruncate(base, PROBE_BYTES) || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel)) return failed_errno(failure, "probe", "memory");
    pid_t source = fork();
    if (source < 0) return failed_errno(failure, "probe", "fork");
    if (source == 0) {
        close(channel[0]);
        be_source(base, channel[1]);
    }
    close(channel[1]);
    bool works = duplicate_source(source, base, channel[0], failure);
    end_duplicate(source);
    return works;
}
