#define _GNU_SOURCE
#include "unwind.h"
#include "faults.h"
#include <elf.h>
#include <errno.h>
#include <linux/sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define RED_ZONE_BYTES 128
#define LARGEST_XSTATE_BYTES 4096
#define LEGACY_BYTES 512
#define SOFTWARE_BYTES_AT 464
// include/uapi/asm/sigcontext.h and ucontext.h of Linux x86-64.
#define XSTATE_MAGIC1 0x46505853u
#define XSTATE_MAGIC2 0x46505845u
#define UC_FP_XSTATE 1ul
#define UC_SIGCONTEXT_SS 2ul
#define UC_STRICT_RESTORE_SS 4ul
// A mode that sigaltstack refuses, and rt_sigreturn ignores that it did: the alternate stack stays what it is.
#define NO_ALTERNATE_STACK_CHANGE 3
// arch/x86/include/asm/syscall.h, include/linux/errno.h: what an interrupted call shows to a tracer.
#define ERESTARTSYS 512
#define ERESTARTNOINTR 513
#define ERESTARTNOHAND 514
#define ERESTART_RESTARTBLOCK 516

struct context {
    uint64_t flags, link, alternate_stack;
    int32_t alternate_mode, padding;
    uint64_t alternate_bytes;
    uint64_t r8, r9, r10, r11, r12, r13, r14, r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip, eflags;
    uint16_t cs, gs, fs, ss;
    uint64_t error, trap, old_mask, cr2, floating_point, reserved[8];
    uint64_t signal_mask;
};

struct frame {
    uint64_t return_address;
    struct context context;
    uint64_t room; // keeps the next frame's stack pointer aligned to 16
};

// In the order of use: what is still needed lies above the stack pointer, so that a thread on its way back is like any other to the next
// helper, which writes below.
struct stack_image {
    struct frame dontfork, original;
    _Alignas(64) unsigned char xstate[LARGEST_XSTATE_BYTES + 64];
    struct frame exit;
    struct clone_args clone;
};

_Static_assert(offsetof(struct context, signal_mask) == 40 + 256, "the kernel's layout");

bool is_at_rest(const struct user_regs_struct *registers, const struct gadgets *gadgets) {
    bool on_stack = registers->rsp < gadgets->stack_end && registers->rsp > gadgets->stack_start - (1ul << 20);
    return (int64_t)registers->orig_rax >= 0 && on_stack && registers->cs == 0x33;
}

// arch/x86/kernel/signal.c, arch_do_signal_or_restart() without a signal. restart_syscall answers EINTR by itself after an rt_sigreturn.
static void apply_restart_rule(struct user_regs_struct *registers) {
    switch (-(int64_t)registers->rax) {
    case ERESTARTSYS:
    case ERESTARTNOINTR:
    case ERESTARTNOHAND:
        registers->rax = registers->orig_rax;
        registers->rip -= 2;
        break;
    case ERESTART_RESTARTBLOCK:
        registers->rax = SYS_restart_syscall;
        registers->rip -= 2;
        break;
    }
    registers->orig_rax = UINT64_MAX;
}

// All vector state in the form a signal frame has; where that is too large (AMX) the legacy part, which holds all that is live here.
static bool read_floating_point(pid_t thread, unsigned char *xstate, bool *extended, struct failure *failure) {
    struct iovec whole = {xstate, LARGEST_XSTATE_BYTES};
    uint32_t magic2 = XSTATE_MAGIC2;
    struct {
        uint32_t magic1, extended_bytes;
        uint64_t features;
        uint32_t bytes;
    } software;
    memset(xstate, 0, LARGEST_XSTATE_BYTES + 64);
    *extended = !ptrace(PTRACE_GETREGSET, thread, NT_X86_XSTATE, &whole) && whole.iov_len > LEGACY_BYTES && whole.iov_len < LARGEST_XSTATE_BYTES;
    if (!*extended) {
        memset(xstate, 0, LARGEST_XSTATE_BYTES + 64);
        return !ptrace(PTRACE_GETFPREGS, thread, NULL, xstate) || failed_errno(failure, "attach", "floating point registers");
    }
    memcpy(&software.features, xstate + SOFTWARE_BYTES_AT, sizeof software.features);
    software.magic1 = XSTATE_MAGIC1;
    software.bytes = (uint32_t)whole.iov_len;
    software.extended_bytes = software.bytes + sizeof magic2;
    memset(xstate + SOFTWARE_BYTES_AT, 0, LEGACY_BYTES - SOFTWARE_BYTES_AT);
    memcpy(xstate + SOFTWARE_BYTES_AT, &software.magic1, 4);
    memcpy(xstate + SOFTWARE_BYTES_AT + 4, &software.extended_bytes, 4);
    memcpy(xstate + SOFTWARE_BYTES_AT + 8, &software.features, 8);
    memcpy(xstate + SOFTWARE_BYTES_AT + 16, &software.bytes, 4);
    memcpy(xstate + whole.iov_len, &magic2, sizeof magic2);
    return true;
}

static struct frame make_frame(const struct user_regs_struct *to, uint64_t signal_mask, uint64_t signal_return, uint64_t floating_point, bool extended) {
    struct frame frame = {.return_address = signal_return};
    frame.context = (struct context){
        .flags = UC_SIGCONTEXT_SS | UC_STRICT_RESTORE_SS | (extended ? UC_FP_XSTATE : 0),
        .alternate_mode = NO_ALTERNATE_STACK_CHANGE,
        .r8 = to->r8, .r9 = to->r9, .r10 = to->r10, .r11 = to->r11, .r12 = to->r12, .r13 = to->r13, .r14 = to->r14, .r15 = to->r15,
        .rdi = to->rdi, .rsi = to->rsi, .rbp = to->rbp, .rbx = to->rbx, .rdx = to->rdx, .rax = to->rax, .rcx = to->rcx, .rsp = to->rsp,
        .rip = to->rip, .eflags = to->eflags, .cs = (uint16_t)to->cs, .gs = (uint16_t)to->gs, .fs = (uint16_t)to->fs, .ss = (uint16_t)to->ss,
        .floating_point = floating_point, .signal_mask = signal_mask,
    };
    return frame;
}

bool write_unwind(pid_t thread, int memory, const struct gadgets *gadgets, struct range guest, struct unwind *unwind, struct failure *failure) {
    static struct stack_image image;
    bool extended;
    if (fault("registers") || ptrace(PTRACE_GETREGS, thread, NULL, &unwind->original)) return failed_errno(failure, "attach", "registers");
    if (ptrace(PTRACE_GETSIGMASK, thread, sizeof unwind->signal_mask, &unwind->signal_mask)) return failed_errno(failure, "attach", "signal mask");
    if (!read_floating_point(thread, image.xstate, &extended, failure)) return false;
    uint64_t at = (unwind->original.rsp - RED_ZONE_BYTES - sizeof image) & ~63ul;
    uint64_t xstate = at + offsetof(struct stack_image, xstate);
    unwind->to_original = at + offsetof(struct stack_image, original);
    unwind->to_dontfork = at + offsetof(struct stack_image, dontfork);
    unwind->to_exit = at + offsetof(struct stack_image, exit);
    apply_restart_rule(&unwind->original);
    struct user_regs_struct dontfork = unwind->original, leave = unwind->original;
    dontfork.rip = leave.rip = gadgets->system_call;
    dontfork.rax = SYS_madvise;
    dontfork.rdi = guest.start;
    dontfork.rsi = guest.bytes;
    dontfork.rdx = MADV_DONTFORK;
    dontfork.rsp = unwind->to_original;
    leave.rax = SYS_exit_group;
    leave.rdi = 0;
    leave.rsp = unwind->to_exit;
    image.original = make_frame(&unwind->original, unwind->signal_mask, gadgets->signal_return, xstate, extended);
    image.dontfork = make_frame(&dontfork, UINT64_MAX, gadgets->signal_return, xstate, extended);
    image.exit = make_frame(&leave, UINT64_MAX, gadgets->signal_return, xstate, extended);
    // Files are shared, not copied: a socket that the source closes is closed, whatever the duplicate does.
    image.clone = (struct clone_args){.flags = CLONE_PARENT | CLONE_FILES | CLONE_FS, .stack = at, .stack_size = unwind->to_exit - at};
    unwind->clone_arguments = at + offsetof(struct stack_image, clone);
    unwind->clone_bytes = CLONE_ARGS_SIZE_VER0;
    if (fault("frames") || pwrite(memory, &image, sizeof image, (off_t)at) != (ssize_t)sizeof image) return failed_errno(failure, "attach", "write to the stack");
    return true;
}
