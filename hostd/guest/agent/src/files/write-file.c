#include "beneath.h"
#include "file-kinds.h"
#include "params.h"
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define NEW_FILE_MODE 0644
#define LINKS_MAX 40
#ifndef GRND_INSECURE
#define GRND_INSECURE 0x0004 /* linux/random.h; Linux 5.6 */
#endif

/* Where the bytes shall be: `dir` is open, `base` is not a link. */
struct target {
	struct bytes path;
	int dir;
	const char *base;
	bool exists;
	struct stat st;
};

/* Replaces a link's name by the one it points to. Returns 1 when it was a link. */
static int follow_link(struct target *target, struct failure *failure)
{
	char link[PATH_MAX];
	ssize_t len = readlink(target->path.data, link, sizeof link);
	if (len < 0)
		return errno == EINVAL || errno == ENOENT || errno == ENOTDIR || errno == EACCES ? 0 : fail_errno(failure, errno, target->path.data);
	const char *slash = strrchr(target->path.data, '/');
	size_t keep = link[0] == '/' || !slash ? 0 : (size_t)(slash - target->path.data) + 1;
	bytes_truncate(&target->path, keep);
	return bytes_append(&target->path, link, (size_t)len) ? 1 : fail(failure, "io", "out of memory");
}

static int make_parents(struct target *target, const struct owner *owner, struct failure *failure)
{
	bool made;
	char *slash = strrchr(target->path.data, '/');
	if (slash == target->path.data)
		return 0;
	*slash = 0;
	int rc = make_folders(target->path.data, owner, &made, failure);
	*slash = '/';
	return rc;
}

static int open_parent(struct target *target, struct failure *failure)
{
	char *slash = strrchr(target->path.data, '/');
	target->base = slash + 1;
	if (target->base[0] == 0 || strcmp(target->base, ".") == 0 || strcmp(target->base, "..") == 0)
		return fail_errno(failure, EISDIR, target->path.data);
	*slash = 0;
	target->dir = open(slash == target->path.data ? "/" : target->path.data, O_PATH | O_DIRECTORY | O_CLOEXEC);
	*slash = '/';
	return target->dir < 0 ? fail_errno(failure, errno, target->path.data) : 0;
}

static int find_target(struct target *target, const struct fields *params, const struct owner *owner, struct failure *failure)
{
	const char *path = param_path(params, failure);
	if (!path)
		return -1;
	if (!bytes_set(&target->path, path, strlen(path)))
		return fail(failure, "io", "out of memory");
	int linked = 1;
	for (unsigned links = 0; linked > 0; links++) {
		if (links == LINKS_MAX)
			return fail_errno(failure, ELOOP, path);
		linked = follow_link(target, failure);
	}
	if (linked < 0 || (fields_flag(params, "parents") && make_parents(target, owner, failure) < 0) || open_parent(target, failure) < 0)
		return -1;
	target->exists = fstatat(target->dir, target->base, &target->st, AT_SYMLINK_NOFOLLOW) == 0;
	if (target->exists && S_ISDIR(target->st.st_mode))
		return fail_errno(failure, EISDIR, path);
	if (target->exists && !S_ISREG(target->st.st_mode))
		return fail_path(failure, "not-a-file", path, "not a regular file");
	return 0;
}

static int random_name(char name[40], struct failure *failure)
{
	uint64_t number;
	/* Only has to be new; must not wait for entropy on a machine that has just booted. */
	if (getrandom(&number, sizeof number, GRND_INSECURE) != sizeof number)
		return fail(failure, "io", "no random number: %s", strerror(errno));
	snprintf(name, 40, ".offshoot-write-%016llx", (unsigned long long)number);
	return 0;
}

/* A file without a name where the file system can, so that not even a killed worker leaves one; `*named` tells. */
static int open_temporary(const struct target *target, const char *name, bool *named, struct failure *failure)
{
	int fd = openat(target->dir, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	*named = fd < 0;
	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT || errno == EINVAL))
		fd = openat(target->dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	return fd < 0 ? fail_errno(failure, errno, target->path.data) : fd;
}

static int copy_input(int fd, int in_fd, const char *path, uint64_t *size, struct failure *failure)
{
	struct source source;
	long n = 0;
	if (source_open(&source, in_fd, failure) < 0)
		return -1;
	while ((n = source_want(&source, SOURCE_CHUNK, failure)) > 0) {
		ssize_t written = write(fd, source_data(&source), (size_t)n);
		if (written < 0 && errno != EINTR) {
			n = fail_errno(failure, errno, path);
			break;
		}
		if (written > 0) {
			source_consume(&source, (size_t)written);
			*size += (uint64_t)written;
		}
	}
	source_close(&source);
	return n < 0 ? -1 : 0;
}

/* Mode and owner as asked, else as the file had them that is replaced. */
static int set_attributes(int fd, const struct target *target, const struct fields *params, const struct owner *asked, struct failure *failure)
{
	mode_t mode = target->exists ? target->st.st_mode & 07777 : NEW_FILE_MODE;
	struct owner owner = *asked;
	if (param_mode(params, &mode, failure) < 0)
		return -1;
	if (!owner.given && target->exists && geteuid() == 0)
		owner = (struct owner){.given = true, .uid = target->st.st_uid, .gid = target->st.st_gid};
	if ((owner.given && fchown(fd, owner.uid, owner.gid) < 0) || fchmod(fd, mode) < 0)
		return fail_errno(failure, errno, target->path.data);
	return 0;
}

static int put_in_place(int fd, const struct target *target, const char *name, bool *named, struct failure *failure)
{
	char self[40];
	snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
	if (!*named && linkat(fd, "", target->dir, name, AT_EMPTY_PATH) < 0 && linkat(AT_FDCWD, self, target->dir, name, AT_SYMLINK_FOLLOW) < 0)
		return fail_errno(failure, errno, target->path.data);
	*named = true;
	return renameat(target->dir, name, target->dir, target->base) < 0 ? fail_errno(failure, errno, target->path.data) : 0;
}

static int write_target(struct file_job *job, const struct target *target, const struct owner *owner, uint64_t *size)
{
	char name[40];
	bool named;
	if (random_name(name, job->failure) < 0)
		return -1;
	int fd = open_temporary(target, name, &named, job->failure);
	if (fd < 0)
		return -1;
	int rc = copy_input(fd, job->in_fd, target->path.data, size, job->failure);
	if (rc == 0)
		rc = set_attributes(fd, target, job->params, owner, job->failure);
	if (rc == 0)
		rc = put_in_place(fd, target, name, &named, job->failure);
	if (rc < 0 && named)
		unlinkat(target->dir, name, 0);
	close(fd);
	return rc;
}

int run_write_file(struct file_job *job)
{
	struct target target = {.dir = -1};
	struct owner owner;
	mode_t mode;
	uint64_t size = 0;
	/* Checked before a byte is read. */
	int rc = param_mode(job->params, &mode, job->failure) < 0 ? -1 : param_owner(job->params, &owner, job->failure);
	if (rc == 0)
		rc = find_target(&target, job->params, &owner, job->failure);
	if (rc == 0)
		rc = write_target(job, &target, &owner, &size);
	if (rc == 0) {
		fields_put_string(job->result, "ok", "1");
		fields_put_u64(job->result, "size", size);
	}
	if (target.dir >= 0)
		close(target.dir);
	bytes_free(&target.path);
	return rc;
}
