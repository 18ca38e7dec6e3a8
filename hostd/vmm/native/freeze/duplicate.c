#define _GNU_SOURCE
#include "duplicate.h"
#include "faults.h"
#include "tracee.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define CLONE_TRIES 20

static bool check(long result, const char *step, const char *what, struct failure *failure) {
    if (result >= 0) return true;
    errno = (int)-result;
    if (errno == ESRCH) errno = EINVAL; // the call's own words, not that the source is gone
    return failed_errno(failure, step, "%s", what);
}

// clone3, because QEMU's filter answers it with ENOSYS and ends the process for clone (qemu-seccomp.c): when the helper dies just before
// the call, the filter is in force again, and the source goes on without one.
static bool clone_source(struct tracee *tracee, struct failure *failure) {
    const struct call call = {"clone", tracee->unwind.to_dontfork, SYS_clone3, {tracee->unwind.clone_arguments, tracee->unwind.clone_bytes, 0}};
    for (int tries = 1;; tries++) {
        long result = 0;
        if (!call_in_tracee(tracee, &call, &result, failure)) return false;
        if (fault("clone-refused")) result = -EAGAIN;
        if (fault("clone-memory")) result = -ENOMEM;
        bool interrupted = result <= -512 && result >= -516; // ERESTART*: a signal came before it began
        if (!interrupted || tries == CLONE_TRIES) return check(interrupted ? -EINTR : result, "clone", "clone in the source", failure);
    }
}

pid_t make_duplicate(pid_t source, int memory, const struct gadgets *gadgets, struct range guest, struct failure *failure) {
    struct tracee tracee = {.pid = source, .memory = memory, .gadgets = gadgets};
    long result = 0;
    if (!stop_tracee(&tracee, guest, failure)) return -1;
    const struct call dofork = {"dofork", tracee.unwind.to_dontfork, SYS_madvise, {guest.start, guest.bytes, MADV_DOFORK}};
    const struct call dontfork = {"dontfork", tracee.unwind.to_original, SYS_madvise, {guest.start, guest.bytes, MADV_DONTFORK}};
    bool made = call_in_tracee(&tracee, &dofork, &result, failure) && check(result, "clone", "MADV_DOFORK", failure) && clone_source(&tracee, failure);
    if (!made) {
        release_tracee_into(&tracee, &dontfork);
        end_duplicate(tracee.duplicate);
        return -1;
    }
    if (call_in_tracee(&tracee, &dontfork, &result, failure) && check(result, "clone", "MADV_DONTFORK", failure)) {
        release_tracee(&tracee);
        return tracee.duplicate;
    }
    release_tracee_into(&tracee, &dontfork);
    end_duplicate(tracee.duplicate);
    return -1;
}

void end_duplicate(pid_t duplicate) {
    if (duplicate <= 0) return;
    int status;
    pid_t seen;
    kill(duplicate, SIGKILL);
    do seen = waitpid(duplicate, &status, __WALL);
    while (seen < 0 ? errno == EINTR : WIFSTOPPED(status));
}

// Its stop is reported whatever is asked for: it is not its end.
bool duplicate_lives(pid_t duplicate) {
    siginfo_t info = {0};
    if (waitid(P_PID, (id_t)duplicate, &info, WEXITED | WNOHANG | WNOWAIT | __WALL)) return false;
    return info.si_pid == 0 || info.si_code == CLD_TRAPPED || info.si_code == CLD_STOPPED;
}
