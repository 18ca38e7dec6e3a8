#include "put-stat.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void put_mode(struct fields_out *out, mode_t mode)
{
	char text[16];
	snprintf(text, sizeof text, "%o", (unsigned)mode & 07777);
	fields_put_string(out, "mode", text);
}

void put_mtime(struct fields_out *out, struct timespec mtime)
{
	int64_t ns;
	if (__builtin_mul_overflow((int64_t)mtime.tv_sec, 1000000000, &ns) || __builtin_add_overflow(ns, mtime.tv_nsec, &ns))
		ns = mtime.tv_sec < 0 ? INT64_MIN : INT64_MAX;
	char text[24];
	snprintf(text, sizeof text, "%lld", (long long)ns);
	fields_put_string(out, "mtime-ns", text);
}

static const char *type_letter(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
		return "f";
	case S_IFDIR:
		return "d";
	case S_IFLNK:
		return "l";
	case S_IFIFO:
		return "p";
	case S_IFSOCK:
		return "s";
	case S_IFCHR:
		return "c";
	default:
		return "b";
	}
}

int put_stat(struct fields_out *out, const char *name, const struct stat *st, int dir, const char *base, struct failure *failure)
{
	char target[PATH_MAX];
	ssize_t target_len = 0;
	if (S_ISLNK(st->st_mode)) {
		target_len = readlinkat(dir, base, target, sizeof target);
		if (target_len < 0)
			return fail_errno(failure, errno, name);
	}
	fields_put_string(out, "name", name);
	fields_put_string(out, "type", type_letter(st->st_mode));
	fields_put_u64(out, "size", (uint64_t)st->st_size);
	put_mode(out, st->st_mode);
	fields_put_u64(out, "uid", st->st_uid);
	fields_put_u64(out, "gid", st->st_gid);
	put_mtime(out, st->st_mtim);
	if (S_ISLNK(st->st_mode))
		fields_put(out, "target", target, (size_t)target_len);
	return 0;
}
