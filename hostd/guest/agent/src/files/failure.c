#include "failure.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SHOWN_PATH_MAX 240

int fail(struct failure *failure, const char *code, const char *format, ...)
{
	if (failure->code)
		return -1;
	va_list args;
	va_start(args, format);
	vsnprintf(failure->message, sizeof failure->message, format, args);
	va_end(args);
	failure->code = code;
	return -1;
}

static const char *code_of_errno(int error)
{
	switch (error) {
	case ENOENT:
		return "not-found";
	case EACCES:
	case EPERM:
	case EROFS:
		return "permission";
	case ENOTDIR:
		return "not-a-directory";
	case EISDIR:
	case ENOTEMPTY:
		return "is-a-directory";
	case ENOSPC:
	case EDQUOT:
		return "no-space";
	case ENXIO:
	case ENODEV:
		return "not-a-file";
	case ENAMETOOLONG:
	case EINVAL:
	case EFBIG:
	case ELOOP:
		return "invalid";
	default:
		return "io";
	}
}

/* The path as it may stand in a message: its tail when long, no control characters. */
static const char *shown(const char *path, char buf[SHOWN_PATH_MAX + 8])
{
	size_t len = strlen(path), from = len > SHOWN_PATH_MAX ? len - SHOWN_PATH_MAX : 0;
	char *p = buf;
	if (from > 0)
		p = (char *)memcpy(p, "...", 3) + 3;
	for (const char *c = path + from; *c; c++)
		*p++ = (unsigned char)*c < ' ' || *c == 0x7f ? '?' : *c;
	*p = 0;
	return buf;
}

int fail_path(struct failure *failure, const char *code, const char *path, const char *why)
{
	char buf[SHOWN_PATH_MAX + 8];
	return fail(failure, code, "%s: %s", shown(path, buf), why);
}

int fail_errno(struct failure *failure, int error, const char *path)
{
	return fail_path(failure, code_of_errno(error), path, strerror(error));
}

void failure_at_entry(struct failure *failure, unsigned long long entry, const char *path)
{
	char buf[SHOWN_PATH_MAX + 8], reason[sizeof failure->message];
	memcpy(reason, failure->message, sizeof reason);
	snprintf(failure->message, sizeof failure->message, "entry %llu '%s': %.300s", entry, shown(path, buf), reason);
}
