#define _GNU_SOURCE
#include "tracee.h"
#include "faults.h"
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef PTRACE_O_SUSPEND_SECCOMP
#define PTRACE_O_SUSPEND_SECCOMP (1 << 21)
#endif
#define SYSTEM_CALL_STOP (SIGTRAP | 0x80)
#define REST_TRIES 40

// WNOWAIT: a stop that was waited for and not resumed would lose its signal if the helper died.
static bool next_stop(pid_t pid, int *signal, int *event, struct failure *failure) {
    siginfo_t info = {0};
    int result;
    do result = waitid(P_PID, (id_t)pid, &info, WSTOPPED | WEXITED | WNOWAIT | __WALL);
    while (result && errno == EINTR);
    if (result) return failed_errno(failure, "attach", "waitid");
    if (info.si_code != CLD_TRAPPED && info.si_code != CLD_STOPPED) return failed(failure, "source-gone", "the source has ended");
    *signal = info.si_status & 0xff;
    *event = info.si_status >> 8;
    return true;
}

static bool resume(pid_t pid, int request, int signal, struct failure *failure) {
    if (!ptrace(request, pid, NULL, (void *)(intptr_t)signal)) return true;
    return failed_errno(failure, "attach", "resume");
}

// What else is going on in the thread goes its way: a signal is delivered, and the interruption is still to come.
static bool wait_for_interruption(pid_t pid, struct failure *failure) {
    for (;;) {
        int signal, event;
        if (!next_stop(pid, &signal, &event, failure)) return false;
        if (event == PTRACE_EVENT_STOP) return true;
        if (!resume(pid, PTRACE_CONT, event ? 0 : signal, failure)) return false;
    }
}

static bool stop_at_rest(struct tracee *tracee, struct failure *failure) {
    for (int tries = 0; tries < REST_TRIES; tries++) {
        struct user_regs_struct registers;
        if (fault("stop") || ptrace(PTRACE_INTERRUPT, tracee->pid, NULL, NULL)) return failed_errno(failure, "attach", "interrupt");
        if (!wait_for_interruption(tracee->pid, failure)) return false;
        if (ptrace(PTRACE_GETREGS, tracee->pid, NULL, &registers)) return failed_errno(failure, "attach", "registers");
        if (is_at_rest(&registers, tracee->gadgets)) return true;
        if (!resume(tracee->pid, PTRACE_CONT, 0, failure)) return false;
        nanosleep(&(struct timespec){0, 500000}, NULL);
    }
    return failed(failure, "attach", "the main thread is never at rest");
}

bool stop_tracee(struct tracee *tracee, struct range guest, struct failure *failure) {
    long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_SUSPEND_SECCOMP;
    tracee->duplicate = 0;
    if (fault("seize") || ptrace(PTRACE_SEIZE, tracee->pid, NULL, options)) return failed_errno(failure, "attach", "ptrace refused");
    if (stop_at_rest(tracee, failure) &&
        write_unwind(tracee->pid, tracee->memory, tracee->gadgets, guest, &tracee->unwind, failure))
        return true;
    struct failure ignored;
    if (ptrace(PTRACE_DETACH, tracee->pid, NULL, NULL) && errno == ESRCH) { // it runs: only a stopped one can be let go
        if (!ptrace(PTRACE_INTERRUPT, tracee->pid, NULL, NULL) && wait_for_interruption(tracee->pid, &ignored))
            ptrace(PTRACE_DETACH, tracee->pid, NULL, NULL);
    }
    return false;
}

// Kept by a tracer that dies: before that the duplicate can only end itself, because its stack is the frame that makes it exit.
static bool hold_duplicate(struct tracee *tracee, struct failure *failure) {
    unsigned long pid;
    int signal, event;
    if (ptrace(PTRACE_GETEVENTMSG, tracee->pid, NULL, &pid)) return failed_errno(failure, "clone", "event");
    tracee->duplicate = (pid_t)pid;
    fault("cloned");
    if (!next_stop(tracee->duplicate, &signal, &event, failure)) return false;
    if (fault("hold") || ptrace(PTRACE_SETOPTIONS, tracee->duplicate, NULL, PTRACE_O_EXITKILL)) return failed_errno(failure, "clone", "hold the duplicate");
    fault("held");
    return true;
}

// To the entry of the call, over the birth of a duplicate, to its exit.
static bool run_call(struct tracee *tracee, const char *name, struct failure *failure) {
    bool held = true;
    for (int stops = 0, signal = 0, event; stops < 2;) {
        if (!resume(tracee->pid, PTRACE_SYSCALL, signal, failure) || !next_stop(tracee->pid, &signal, &event, failure)) return false;
        if (event == PTRACE_EVENT_CLONE || event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK) held = hold_duplicate(tracee, failure);
        if (!event && signal == SYSTEM_CALL_STOP) {
            stops++;
            fault_of(name, stops == 1 ? "entry" : "exit");
        }
        if (event || signal == SYSTEM_CALL_STOP) signal = 0;
    }
    return held;
}

static struct user_regs_struct call_registers(const struct tracee *tracee, const struct call *call) {
    struct user_regs_struct registers = tracee->unwind.original;
    registers.rip = tracee->gadgets->system_call;
    registers.rsp = call->return_to;
    registers.rax = (uint64_t)call->number;
    registers.orig_rax = UINT64_MAX;
    registers.rdi = call->arguments[0];
    registers.rsi = call->arguments[1];
    registers.rdx = call->arguments[2];
    registers.r10 = registers.r8 = registers.r9 = 0;
    return registers;
}

bool call_in_tracee(struct tracee *tracee, const struct call *call, long *result, struct failure *failure) {
    const uint64_t all_signals = UINT64_MAX;
    struct user_regs_struct registers = call_registers(tracee, call);
    // In this order: the frame behind these registers puts the signal mask back.
    if (fault_of(call->name, "setregs") || ptrace(PTRACE_SETREGS, tracee->pid, NULL, &registers)) return failed_errno(failure, "attach", "set registers");
    fault_of(call->name, "registers-set");
    if (fault_of(call->name, "setmask") || ptrace(PTRACE_SETSIGMASK, tracee->pid, sizeof all_signals, &all_signals))
        return failed_errno(failure, "attach", "set signal mask");
    if (fault_of(call->name, "start")) return failed_errno(failure, "attach", "call");
    if (!run_call(tracee, call->name, failure)) return false;
    if (ptrace(PTRACE_GETREGS, tracee->pid, NULL, &registers)) return failed_errno(failure, "attach", "result");
    *result = (long)registers.rax;
    return true;
}

static void detach_with(struct tracee *tracee, const struct user_regs_struct *registers) {
    fault("mask-restored");
    ptrace(PTRACE_SETREGS, tracee->pid, NULL, registers);
    fault("registers-restored");
    ptrace(PTRACE_DETACH, tracee->pid, NULL, NULL);
    fault("detached");
}

void release_tracee(struct tracee *tracee) {
    // In this order: until the registers are set, the frame behind the present ones puts all back if the helper dies.
    ptrace(PTRACE_SETSIGMASK, tracee->pid, sizeof tracee->unwind.signal_mask, &tracee->unwind.signal_mask);
    detach_with(tracee, &tracee->unwind.original);
}

void release_tracee_into(struct tracee *tracee, const struct call *call) {
    struct user_regs_struct registers = call_registers(tracee, call);
    detach_with(tracee, &registers);
}
