// Why a step did not succeed: functions that can fail return false and say it here; only main speaks and exits.
#ifndef FAILURE_H
#define FAILURE_H
#include <stdbool.h>

struct failure {
    char step[16];
    char reason[200];
};

bool failed(struct failure *failure, const char *step, const char *format, ...) __attribute__((format(printf, 3, 4)));
// With errno's words. What the caller can act on replaces the step: `space` (disk full), `memory`, `source-gone`.
bool failed_errno(struct failure *failure, const char *step, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
