// How a launcher speaks to the hostd that started it, and what it leaves in the folder for a later one.
#ifndef REPORT_H
#define REPORT_H
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#define LAUNCH_FAILED 70

// Ends the launcher: one line `failed MESSAGE` on standard output. hostd may be gone: that is no reason to fail differently.
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void fail_errno(const char *format, ...) __attribute__((format(printf, 1, 2)));
// One line `ready LAUNCHER-PID START-TICKS VMM-PID START-TICKS`, then standard output and error lead nowhere.
void report_ready(pid_t vmm, const char *null_path);
// Writes `PID START-TICKS BOOT-ID` to a file that appears whole or not at all.
void record_process(const char *path, pid_t pid);
// Writes exit.json, whole or not at all.
void record_exit(int status, const struct rusage *usage, bool kill_requested);

#endif
