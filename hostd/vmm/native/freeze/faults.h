// Test builds (-DFAULTS) fail or die at the point named by FREEZE_FAIL or FREEZE_KILL; in others nothing of it exists.
#ifndef FAULTS_H
#define FAULTS_H
#include <stdbool.h>
#ifdef FAULTS
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static inline bool fault(const char *point) {
    const char *dies = getenv("FREEZE_KILL"), *fails = getenv("FREEZE_FAIL");
    if (dies && !strcmp(dies, point)) kill(getpid(), SIGKILL);
    if (!fails || strcmp(fails, point)) return false;
    errno = EIO;
    return true;
}
static inline bool fault_of(const char *call, const char *point) {
    char whole[64];
    snprintf(whole, sizeof whole, "%s-%s", call, point);
    return fault(whole);
}
#else
static inline bool fault(const char *point) {
    (void)point;
    return false;
}
static inline bool fault_of(const char *call, const char *point) {
    (void)call;
    (void)point;
    return false;
}
#endif
#endif
