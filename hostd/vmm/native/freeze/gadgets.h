// Places in the source's own code that system calls are injected through, and its main thread's stack. Found before the pause.
#ifndef GADGETS_H
#define GADGETS_H
#include "failure.h"
#include <stdint.h>
#include <sys/types.h>

struct gadgets {
    // `syscall; ret`
    uint64_t system_call;
    // `mov $15, %rax; syscall`: rt_sigreturn
    uint64_t signal_return;
    uint64_t stack_start, stack_end;
};

// `memory` is /proc/PID/mem. Only code mapped from files counts, not what the source compiles itself.
bool find_gadgets(pid_t pid, int memory, struct gadgets *gadgets, struct failure *failure);

#endif
