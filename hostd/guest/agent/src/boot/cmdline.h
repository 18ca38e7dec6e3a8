/* Parameters on the kernel's command line. */
#ifndef OFFSHOOT_CMDLINE_H
#define OFFSHOOT_CMDLINE_H

#include <stdbool.h>
#include <stddef.h>

/* Copies the value of the last `key=value` word; false when absent, empty or too long. */
bool cmdline_value(const char *cmdline, const char *key, char *out, size_t size);

#endif
