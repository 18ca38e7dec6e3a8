// The source's main thread under ptrace: stopped, made to do system calls, let go as it was.
#ifndef TRACEE_H
#define TRACEE_H
#include "failure.h"
#include "unwind.h"
#include <sys/types.h>

struct tracee {
    pid_t pid;
    int memory;
    const struct gadgets *gadgets;
    struct unwind unwind;
    // Made by a call of the tracee's, stopped before its first instruction; 0: none.
    pid_t duplicate;
};

struct call {
    const char *name;
    // A stack pointer of struct unwind: what the thread does when it returns and nobody holds it any more.
    uint64_t return_to;
    long number;
    uint64_t arguments[3];
};

// Attaches and stops the main thread at rest. A failure leaves it as it was.
bool stop_tracee(struct tracee *tracee, struct range guest, struct failure *failure);
// Result of the call as the kernel gives it (negative errno); false when the tracee could not do it.
bool call_in_tracee(struct tracee *tracee, const struct call *call, long *result, struct failure *failure);
// Puts everything back and detaches. Safe at every point after stop_tracee.
void release_tracee(struct tracee *tracee);
// Detaches; the thread makes the call by itself and returns to where it was.
void release_tracee_into(struct tracee *tracee, const struct call *call);

#endif
