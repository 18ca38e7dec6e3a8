#define _GNU_SOURCE
#include "rewrite-code.h"
#include <cpuid.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

// `mov $value, %eax`, its value on a word boundary, so that it changes at once; then enough of the rest that an emulator is still at its
// translation when the value changes; then `ret`.
enum { code_bytes = 1024, value_at = 4, opcode_at = 3 };
static const unsigned char move = 0xb8, nop = 0x90, add_ecx[] = {0x83, 0xc1, 0x01}, ret = 0xc3;

struct rewriting {
    unsigned char *code;
    atomic_long told, seen;
    atomic_bool over;
    long stale;
};

static unsigned run(struct rewriting *at) {
    unsigned value;
    __asm__ volatile("call *%1" : "=a"(value) : "r"(at->code) : "ecx", "cc", "memory");
    return value;
}

static void write_value(struct rewriting *at, unsigned value) {
    atomic_store((_Atomic unsigned *)(void *)(at->code + value_at), value);
}

static unsigned last_of(long round) {
    return (unsigned)round * 2 + 1;
}

static void *runner(void *argument) {
    struct rewriting *at = argument;
    while (!atomic_load(&at->over)) {
        run(at);
        long round = atomic_load(&at->told);
        if (round == atomic_load(&at->seen)) continue;
        unsigned a, b, c, d;
        __cpuid(0, a, b, c, d); // what the architecture asks of whoever runs code that another CPU changed
        at->stale += run(at) != last_of(round);
        atomic_store(&at->seen, round);
    }
    return NULL;
}

static void lay_out(unsigned char *code) {
    size_t end = value_at + 4;
    memset(code, nop, opcode_at);
    code[opcode_at] = move;
    for (; end + sizeof add_ecx < code_bytes - 1; end += sizeof add_ecx) memcpy(code + end, add_ecx, sizeof add_ecx);
    code[end] = ret;
}

long rewrite_code(long rounds) {
    struct rewriting at = {0};
    pthread_t thread;
    at.code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at.code == MAP_FAILED) return -1;
    lay_out(at.code);
    if (pthread_create(&thread, NULL, runner, &at)) return -1;
    for (long round = 1; round <= rounds; round++) {
        write_value(&at, last_of(round) - 1);
        for (volatile long wait = round * 7919 % 2000; wait > 0; wait--) (void)0;
        write_value(&at, last_of(round));
        atomic_store(&at.told, round);
        while (atomic_load(&at.seen) != round) sched_yield();
    }
    atomic_store(&at.over, 1);
    pthread_join(thread, NULL);
    munmap(at.code, 4096);
    return at.stale;
}
