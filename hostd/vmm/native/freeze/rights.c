#define _GNU_SOURCE
#include "rights.h"
#include "faults.h"
#include <fcntl.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void set_oom_score(const char *path, const char *score) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return;
    if (write(fd, score, strlen(score)) < 0) close(fd); // not allowed everywhere, and the watch of free memory comes before
    else close(fd);
}

void spare_from_oom(void) {
    set_oom_score("/proc/self/oom_score_adj", "-1000");
}

void offer_to_oom(pid_t duplicate) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/oom_score_adj", duplicate);
    set_oom_score(path, "1000");
}

static bool keep(uint64_t rights, struct failure *failure) {
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct now[2], kept[2];
    if (syscall(SYS_capget, &header, now)) return failed_errno(failure, "rights", "capget");
    for (int at = 0; at < 2; at++) {
        uint32_t wanted = (uint32_t)(rights >> 32 * at);
        kept[at] = (struct __user_cap_data_struct){now[at].permitted & wanted, now[at].permitted & wanted, 0};
    }
    if (fault("rights") || syscall(SYS_capset, &header, kept)) return failed_errno(failure, "rights", "capset");
    return true;
}

bool keep_rights_to_freeze(struct failure *failure) {
    return keep(1ull << CAP_SYS_PTRACE | 1ull << CAP_SYS_ADMIN | 1ull << CAP_DAC_OVERRIDE | 1ull << CAP_KILL, failure);
}

bool keep_rights_to_write(struct failure *failure) {
    return keep(1ull << CAP_KILL, failure);
}
