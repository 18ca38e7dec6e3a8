// Prints the frequency of the time stamp counter in kHz, measured against the kernel's raw clock (a few parts per million); fails when the
// counter's rate is not constant.
#include <cpuid.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

struct reading {
    uint64_t ticks, nanoseconds;
};

// The tightest of several pairs: the process may be taken off the CPU between the two clocks.
static struct reading read_clocks(void) {
    struct reading best = {0, 0};
    uint64_t narrowest = UINT64_MAX;
    for (int tries = 0; tries < 16; tries++) {
        struct timespec time;
        uint64_t before = __rdtsc();
        clock_gettime(CLOCK_MONOTONIC_RAW, &time);
        uint64_t after = __rdtsc();
        if (after - before >= narrowest) continue;
        narrowest = after - before;
        best = (struct reading){before + narrowest / 2, (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec};
    }
    return best;
}

int main(void) {
    unsigned eax, ebx, ecx, edx;
    if (!__get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) || !(edx & 1 << 8)) return 1;
    struct reading first = read_clocks();
    struct timespec pause = {0, 50000000};
    nanosleep(&pause, NULL);
    struct reading last = read_clocks();
    uint64_t elapsed = last.nanoseconds - first.nanoseconds;
    if (!elapsed) return 1;
    printf("%llu\n", (unsigned long long)(((__uint128_t)(last.ticks - first.ticks) * 1000000) / elapsed));
    return 0;
}
