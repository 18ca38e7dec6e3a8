// The firmware of a machine that only asks: does KVM run a guest here? From the reset vector through protected to long mode, doing what an
// early Linux kernel does (paging, CPUID, MSRs, exceptions, user mode, system calls, timer interrupts), then one line on the serial port and
// an exit by isa-debug-exit. A step that goes wrong writes its letter and exits with another code.
//
// 64 KiB, mapped at the top of the first 4 GiB. RAM: page tables at 0x10000, IDT at 0x20000, TSS at 0x21000, user page at 0x200000.

#define SERIAL 0x3f8
#define EXIT_PORT 0xf4
#define PML4 0x10000
#define PDPT 0x11000
#define PD 0x12000
#define IDT 0x20000
#define TSS 0x21000
#define TICKS 0x22000
#define FAULTS 0x22008
#define USER 0x200000
#define STACK 0x90000
#define APIC 0xfee00000

#define CODE32 0x08
#define DATA 0x10
#define CODE64 0x18
#define USER_DATA 0x23
#define USER_CODE 0x2b
#define TASK 0x30

// Each step says its letter before it begins, so that a machine that hangs has told where.
.macro step letter
    movb $\letter, %bl
    movw $SERIAL, %dx
    movb %bl, %al
    outb %al, %dx
.endm

.section .text
.code16
start16:
    cli
    cld
    xorw %ax, %ax
    movw %ax, %ds
    // The table is above 1 MiB and real mode can't name it, but its code segment's base can.
    lgdtl %cs:(gdt_pointer - start16)
    movl %cr0, %eax
    orl $1, %eax
    movl %eax, %cr0
    ljmpl $CODE32, $start32

.code32
start32:
    movw $DATA, %ax
    movw %ax, %ds
    movw %ax, %es
    movw %ax, %ss
    movl $STACK, %esp
    // Identity map of 4 GiB in 2 MiB pages, user pages allowed: the supervisor bit is checked nowhere here.
    movl $PML4, %edi
    xorl %eax, %eax
    movl $(6 * 4096 / 4), %ecx
    rep stosl
    movl $(PDPT + 7), PML4
    movl $(PD + 7), PDPT
    movl $(PD + 0x1007), PDPT + 8
    movl $(PD + 0x2007), PDPT + 16
    movl $(PD + 0x3007), PDPT + 24
    movl $PD, %edi
    movl $0x87, %eax
    movl $2048, %ecx
1:  movl %eax, (%edi)
    addl $0x200000, %eax
    addl $8, %edi
    loop 1b
    movl %cr4, %eax
    orl $0x6a0, %eax                // PAE, PGE, OSFXSR, OSXMMEXCPT
    movl %eax, %cr4
    movl $PML4, %eax
    movl %eax, %cr3
    movl $0xc0000080, %ecx          // EFER: LME, SCE
    rdmsr
    orl $0x101, %eax
    wrmsr
    movl %cr0, %eax
    andl $~4, %eax                  // EM off
    orl $0x80010022, %eax           // PG, WP, NE, MP
    movl %eax, %cr0
    ljmpl $CODE64, $start64

.code64
start64:
    movl $DATA, %eax
    movl %eax, %ds
    movl %eax, %es
    movl %eax, %ss
    xorl %eax, %eax
    movl %eax, %fs
    movl %eax, %gs
    movq $STACK, %rsp

    step 'i'                  // exceptions
    call make_idt
    movq $0, FAULTS
    ud2
    int3
    movq $0x4000000000, %rdi        // not mapped
    movb (%rdi), %al
    cmpq $3, FAULTS
    jne failed

    step 'c'                  // CPUID as a kernel goes through it
    xorl %eax, %eax
    cpuid
    movl %eax, %ebp
    cmpl $1, %ebp
    jb cpuid_failed
    xorl %esi, %esi
1:  movl %esi, %eax
    xorl %ecx, %ecx
    cpuid
    incl %esi
    cmpl %ebp, %esi
    jbe 1b
    movl $0x80000000, %eax
    cpuid
    cmpl $0x80000001, %eax
    jb cpuid_failed

    step 'm'                  // MSRs that Linux sets before its first line of output
    movl $0x1b, %ecx                // APIC base
    rdmsr
    movl $0x277, %ecx               // PAT
    movl $0x00070406, %eax
    movl $0x00070406, %edx
    wrmsr
    rdmsr
    cmpl $0x00070406, %eax
    jne failed
    movl $0x2ff, %ecx               // MTRR default type
    rdmsr
    movl $0xc0000102, %ecx          // kernel GS base
    movl $0x12345678, %eax
    xorl %edx, %edx
    wrmsr
    xorl %eax, %eax
    rdmsr
    cmpl $0x12345678, %eax
    jne failed
    movl $0xc0000081, %ecx          // STAR
    xorl %eax, %eax
    movl $((0x18 << 16) | CODE64), %edx
    wrmsr
    movl $0xc0000082, %ecx          // LSTAR
    leaq system_call(%rip), %rax
    movq %rax, %rdx
    shrq $32, %rdx
    wrmsr
    movl $0xc0000084, %ecx          // flags mask
    movl $0x200, %eax
    xorl %edx, %edx
    wrmsr
    rdtsc
    movl %eax, %esi

    step 'f'                  // floating point and SSE state
    fninit
    movq $0x0123456789abcdef, %rax
    movq %rax, %xmm3
    fxsave 0x30000
    pxor %xmm3, %xmm3
    fxrstor 0x30000
    movq %xmm3, %rdx
    cmpq %rax, %rdx
    jne failed

    step 'p'                  // memory: 64 MiB written through page tables that are switched all the time
    movq $0x1000000, %rdi
1:  movq %rdi, (%rdi)
    movq %cr3, %rax
    movq %rax, %cr3
    invlpg (%rdi)
    addq $0x1000, %rdi
    cmpq $0x5000000, %rdi
    jb 1b
    movq $0x1000000, %rdi
2:  cmpq %rdi, (%rdi)
    jne failed
    addq $0x1000, %rdi
    cmpq $0x5000000, %rdi
    jb 2b

    step 'u'                  // to user mode and back, a thousand times, by iretq and syscall
    leaq user_program(%rip), %rsi
    movq $USER, %rdi
    movl $(user_program_end - user_program), %ecx
    rep movsb
    movl $1000, %r12d
3:  pushq $USER_DATA
    pushq $(USER + 0x8000)
    pushq $0x2
    pushq $USER_CODE
    pushq $USER
    iretq
system_call:
    movl $DATA, %eax                // STAR gives the segment after the code's, which is the user's here
    movl %eax, %ss
    cmpl $0x5ca11, %r15d
    jne failed
    movq $STACK, %rsp
    decl %r12d
    jnz 3b

    step 't'                  // three timer interrupts wake a halted CPU
    call start_timer
    movq $0, TICKS
4:  sti
    hlt
    cli
    cmpq $3, TICKS
    jb 4b

    step 's'                  // speed: an emulator behind /dev/kvm does not get through this in the time allowed
    movq $10000000, %rcx
5:  decq %rcx
    jnz 5b

    leaq passed_line(%rip), %rsi
    call print
    xorl %eax, %eax
    jmp leave

cpuid_failed:
    movb $'c', %bl
failed:
    leaq failed_line(%rip), %rsi
    call print
    movb %bl, %al
    movw $SERIAL, %dx
    outb %al, %dx
    movl $1, %eax
leave:
    movw $EXIT_PORT, %dx            // QEMU ends with (value << 1) | 1
    outl %eax, %dx
6:  hlt
    jmp 6b

print:
    movw $SERIAL, %dx
1:  lodsb
    testb %al, %al
    jz 2f
    outb %al, %dx
    jmp 1b
2:  ret

// rdi: vector, rsi: handler
set_gate:
    shlq $4, %rdi
    addq $IDT, %rdi
    movw %si, (%rdi)
    movw $CODE64, 2(%rdi)
    movw $0x8e00, 4(%rdi)
    shrq $16, %rsi
    movw %si, 6(%rdi)
    shrq $16, %rsi
    movl %esi, 8(%rdi)
    ret

make_idt:
    movq $IDT, %rdi
    xorl %eax, %eax
    movl $((0x2200 + 0x10) / 8), %ecx
    rep stosq
    xorl %ebp, %ebp
1:  movl %ebp, %edi
    leaq unexpected(%rip), %rsi
    call set_gate
    incl %ebp
    cmpl $48, %ebp
    jb 1b
    movl $6, %edi
    leaq on_invalid(%rip), %rsi
    call set_gate
    movl $3, %edi
    leaq on_breakpoint(%rip), %rsi
    call set_gate
    movl $14, %edi
    leaq on_page_fault(%rip), %rsi
    call set_gate
    movl $32, %edi
    leaq on_timer(%rip), %rsi
    call set_gate
    lidt idt_pointer(%rip)
    movq $STACK, TSS + 4            // rsp0
    movl $TASK, %eax
    // The descriptor is in the firmware, which is read-only: a copy of the table goes to RAM, where the CPU can mark the task busy.
    leaq gdt(%rip), %rsi
    movq $0x23000, %rdi
    movl $(gdt_end - gdt), %ecx
    rep movsb
    lgdt ram_gdt_pointer(%rip)
    movl $TASK, %eax
    ltr %ax
    ret

on_invalid:
    incq FAULTS
    addq $2, (%rsp)                 // over ud2
    iretq
on_breakpoint:
    incq FAULTS
    iretq
on_page_fault:
    incq FAULTS
    addq $8, %rsp
    addq $2, (%rsp)                 // over movb (%rdi), %al
    iretq
on_timer:
    incq TICKS
    movl $0, 0xb0(%rdi)            // end of interrupt
    iretq
unexpected:
    movb $'x', %bl
    jmp failed

// The local APIC's own timer, periodic: what a kernel on this machine ticks by.
start_timer:
    movl $APIC, %edi
    movl $0xff, 0x80(%rdi)         // task priority: nothing until it runs
    movl $0x1ff, 0xf0(%rdi)        // on; spurious vector 255
    movl $0xb, 0x3e0(%rdi)         // count every tick
    movl $(0x20000 | 32), 0x320(%rdi)
    movl $1000000, 0x380(%rdi)
    movl $0, 0x80(%rdi)
    ret

user_program:
    movl $0x5ca11, %r15d
    syscall
user_program_end:

.balign 16
gdt:
    .quad 0
    .quad 0x00cf9b000000ffff        // 32-bit code
    .quad 0x00cf93000000ffff        // data
    .quad 0x00af9b000000ffff        // 64-bit code
    .quad 0x00cff3000000ffff        // user data
    .quad 0x00affb000000ffff        // user 64-bit code
    .quad 0x0000890210000067        // TSS at 0x21000
    .quad 0
gdt_end:
gdt_pointer:
    .word gdt_end - gdt - 1
    .long gdt
ram_gdt_pointer:
    .word gdt_end - gdt - 1
    .quad 0x23000
idt_pointer:
    .word 48 * 16 - 1
    .quad IDT
passed_line:
    .asciz "\noffshoot-kvm-probe: passed\n"
failed_line:
    .asciz "\noffshoot-kvm-probe: failed at "

.section .reset, "ax"
.code16
    jmp start16
    .balign 16, 0x90
