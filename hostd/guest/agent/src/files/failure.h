/* What went wrong in a file worker: a protocol error code and a message that names the path. */
#ifndef OFFSHOOT_FILES_FAILURE_H
#define OFFSHOOT_FILES_FAILURE_H

#include <stddef.h>

struct failure {
	const char *code;
	char message[640];
};

/* Both always return -1. The first failure is kept. */
int fail(struct failure *failure, const char *code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* `path` is shortened and its control characters replaced; `error` is an errno value and decides the code. */
int fail_errno(struct failure *failure, int error, const char *path);
int fail_path(struct failure *failure, const char *code, const char *path, const char *why);
/* Puts "entry N 'path': " before the message. */
void failure_at_entry(struct failure *failure, unsigned long long entry, const char *path);

#endif
