#include "beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_openat2
#define SYS_openat2 437
#endif
/* linux/openat2.h, which musl-tools does not bring. */
#define RESOLVE_NO_SYMLINKS 0x04
#define RESOLVE_BENEATH 0x08
struct open_how {
	uint64_t flags, mode, resolve;
};

#define FOLDER (O_PATH | O_DIRECTORY | O_CLOEXEC)
#define CHUNK_MAX (PATH_MAX - 1)

int beneath_normalise(const char *name, size_t len, struct bytes *out, struct failure *failure)
{
	if (len == 0)
		return fail(failure, "invalid", "an empty name");
	if (name[0] == '/')
		return fail_path(failure, "unsafe-path", name, "the name is absolute");
	if (!bytes_set(out, "", 0) || !bytes_reserve(out, len))
		return fail(failure, "io", "out of memory");
	const char *end = name + len;
	for (const char *p = name; p < end;) {
		const char *slash = memchr(p, '/', (size_t)(end - p));
		size_t part = (size_t)((slash ? slash : end) - p);
		if (part == 2 && p[0] == '.' && p[1] == '.')
			return fail_path(failure, "unsafe-path", name, "the name holds '..'");
		if (part > 0 && !(part == 1 && p[0] == '.')) {
			if (out->len > 0)
				bytes_append(out, "/", 1);
			bytes_append(out, p, part);
		}
		p += part + 1;
	}
	return 0;
}

static int open_chunk(int dir, const char *path, int flags)
{
	struct open_how how = {.flags = (uint64_t)(flags | O_CLOEXEC), .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS};
	long fd;
	unsigned tries = 0;
	do
		fd = syscall(SYS_openat2, dir, path, &how, sizeof how);
	while (fd < 0 && (errno == EINTR || errno == EAGAIN) && ++tries < 100);
	return (int)fd;
}

int beneath_open(int dir, const char *path, int flags)
{
	int at = dir;
	size_t len = strlen(path);
	while (len > CHUNK_MAX) {
		char chunk[CHUNK_MAX + 1];
		const char *slash = memrchr(path, '/', CHUNK_MAX);
		int fd = -1;
		if (slash) {
			size_t part = (size_t)(slash - path);
			memcpy(chunk, path, part);
			chunk[part] = 0;
			fd = open_chunk(at, chunk, FOLDER);
			path = slash + 1;
			len -= part + 1;
		} else {
			errno = ENAMETOOLONG;
		}
		int error = errno;
		if (at != dir)
			close(at);
		errno = error;
		if (fd < 0)
			return -1;
		at = fd;
	}
	int fd = open_chunk(at, path, flags), error = errno;
	if (at != dir)
		close(at);
	errno = error;
	return fd;
}

int make_folders(const char *path, const struct owner *owner, bool *made, struct failure *failure)
{
	struct stat st;
	struct bytes partial = {0};
	*made = false;
	if (stat(path, &st) == 0)
		return S_ISDIR(st.st_mode) ? 0 : fail_errno(failure, ENOTDIR, path);
	if (!bytes_set(&partial, path, strlen(path)))
		return fail(failure, "io", "out of memory");
	int rc = 0;
	for (char *p = partial.data; rc == 0 && *p;) {
		while (*p == '/')
			p++;
		char *end = p + strcspn(p, "/");
		char after = *end;
		if (end == p)
			break;
		*end = 0;
		*made = mkdir(partial.data, 0755) == 0;
		if (*made && owner->given && lchown(partial.data, owner->uid, owner->gid) < 0)
			rc = fail_errno(failure, errno, partial.data);
		else if (!*made && errno != EEXIST)
			rc = fail_errno(failure, errno, partial.data);
		*end = after;
		p = end;
	}
	bytes_free(&partial);
	return rc;
}
