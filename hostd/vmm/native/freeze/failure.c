#include "failure.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void set(struct failure *failure, const char *step, const char *format, va_list arguments) {
    snprintf(failure->step, sizeof failure->step, "%s", step);
    vsnprintf(failure->reason, sizeof failure->reason, format, arguments);
}

bool failed(struct failure *failure, const char *step, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    set(failure, step, format, arguments);
    va_end(arguments);
    return false;
}

static const char *known_step(int error, const char *step) {
    switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        return "space";
    case ENOMEM:
        return "memory";
    case ESRCH:
        return "source-gone";
    default:
        return step;
    }
}

bool failed_errno(struct failure *failure, const char *step, const char *format, ...) {
    int error = errno;
    va_list arguments;
    va_start(arguments, format);
    set(failure, known_step(error, step), format, arguments);
    va_end(arguments);
    size_t used = strlen(failure->reason);
    snprintf(failure->reason + used, sizeof failure->reason - used, ": %s", strerror(error));
    return false;
}
