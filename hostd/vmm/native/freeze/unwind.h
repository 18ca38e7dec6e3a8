// What makes an injected call undo itself: signal frames on the source's stack, below what is in use there. An injected call runs at a
// `syscall; ret`; the return lands in rt_sigreturn, which loads the frame that is on top. So wherever the helper dies, and whatever
// registers it set last, the thread goes on by itself to where it was.
#ifndef UNWIND_H
#define UNWIND_H
#include "failure.h"
#include "gadgets.h"
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

struct unwind {
    // The thread as it was, with the kernel's rule for an interrupted system call applied.
    struct user_regs_struct original;
    uint64_t signal_mask;
    // Stack pointers: where a call that returns ends up.
    uint64_t to_original, to_dontfork, to_exit;
    // Arguments of clone3: the duplicate starts where it ends itself when nobody holds it.
    uint64_t clone_arguments, clone_bytes;
};

// Arguments of madvise on the guest's memory.
struct range {
    uint64_t start, bytes;
};

// Of a thread that is stopped inside a system call on its own stack. `memory` is /proc/PID/mem, writable.
bool write_unwind(pid_t thread, int memory, const struct gadgets *gadgets, struct range guest, struct unwind *unwind, struct failure *failure);
// True when the thread is at rest in a system call on its main stack, as an event loop mostly is.
bool is_at_rest(const struct user_regs_struct *registers, const struct gadgets *gadgets);

#endif
