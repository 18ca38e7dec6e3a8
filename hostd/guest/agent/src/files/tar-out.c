#include "file-kinds.h"
#include "folders-above.h"
#include "hard-links.h"
#include "include.h"
#include "params.h"
#include "tar-writer.h"
#include "walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <string.h>
#include <sys/statfs.h>
#include <unistd.h>

/* linux/magic.h */
#define PROC_MAGIC 0x9fa0
#define SYSFS_MAGIC 0x62656572

struct packing {
	struct tar_writer writer;
	struct hard_links links;
	const struct fields *params;
	struct include include;
	bool sparse;
	dev_t dev; /* of the folder seen last */
	struct folders_above above;
};

static bool matches(const char *pattern, const char *path)
{
	return fnmatch(pattern, path, 0) == 0 || (strncmp(pattern, "**/", 3) == 0 && fnmatch(pattern + 3, path, 0) == 0);
}

static bool is_excluded(const struct packing *packing, const char *path)
{
	for (size_t i = 0; i < packing->params->count; i++) {
		const struct field *field = &packing->params->items[i];
		if (strcmp(field->key, "exclude") == 0 && matches((const char *)field->value, path))
			return true;
	}
	return false;
}

static int vanished_or(int error, const char *path, struct failure *failure)
{
	return walk_vanished(error) ? 0 : fail_errno(failure, error, path);
}

static int write_folders(struct packing *packing, const char *path, struct failure *failure)
{
	return folders_above_write(&packing->above, &packing->writer, path, failure);
}

/* Takes over `fd`, an open regular file. */
static int pack_file(struct packing *packing, int fd, const struct stat *st, const char *path, struct failure *failure)
{
	bool failed = false;
	const char *first = st->st_nlink > 1 ? hard_links_meet(&packing->links, st, path, &failed) : NULL;
	int rc;
	if (failed)
		rc = fail(failure, "io", "out of memory");
	else if (first)
		rc = tar_write_entry(&packing->writer, path, '1', st, first, failure);
	else
		rc = tar_write_file(&packing->writer, path, fd, st, packing->sparse, failure);
	close(fd);
	return rc;
}

static int pack_regular(struct packing *packing, const struct walk_entry *entry, struct failure *failure)
{
	struct stat st;
	int fd = openat(entry->dir, entry->base, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return vanished_or(errno, entry->path, failure);
	int rc = 0;
	bool regular = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
	if (regular)
		rc = write_folders(packing, entry->path, failure);
	if (regular && rc == 0)
		return pack_file(packing, fd, &st, entry->path, failure);
	close(fd);
	return rc;
}

static int pack_symlink(struct packing *packing, const struct walk_entry *entry, const struct stat *st, struct failure *failure)
{
	char target[PATH_MAX + 1];
	ssize_t len = readlinkat(entry->dir, entry->base, target, PATH_MAX);
	if (len < 0)
		return errno == EINVAL ? 0 : vanished_or(errno, entry->path, failure);
	target[len] = 0;
	if (write_folders(packing, entry->path, failure) < 0)
		return -1;
	return tar_write_entry(&packing->writer, entry->path, '2', st, target, failure);
}

/* The kernel's own file systems are no files: /proc/kcore alone says it has 128 TiB. */
static bool is_kernels(int dir, const char *base)
{
	struct statfs fs;
	int fd = openat(dir, base, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool kernels = fd >= 0 && fstatfs(fd, &fs) == 0 && (fs.f_type == PROC_MAGIC || fs.f_type == SYSFS_MAGIC);
	if (fd >= 0)
		close(fd);
	return kernels;
}

static int pack_folder(struct packing *packing, const struct walk_entry *entry, const struct stat *st, bool wanted, struct failure *failure)
{
	if (folders_above_enter(&packing->above, entry->path, st, failure) < 0)
		return -1;
	if (wanted && write_folders(packing, entry->path, failure) < 0)
		return -1;
	bool other = st->st_dev != packing->dev;
	packing->dev = st->st_dev;
	return !other || !is_kernels(entry->dir, entry->base);
}

static int visit(void *context, const struct walk_entry *entry, struct failure *failure)
{
	struct packing *packing = context;
	struct stat st;
	enum include_verdict verdict;
	folders_above_leave(&packing->above, entry->depth);
	if (is_excluded(packing, entry->path))
		return 0;
	if (include_ask(&packing->include, entry->depth, entry->base, &verdict, failure) < 0)
		return -1;
	if (verdict == INCLUDE_NOT || (verdict == INCLUDE_ON_THE_WAY && entry->type != DT_DIR && entry->type != DT_UNKNOWN))
		return 0;
	if (verdict == INCLUDE_ON_THE_WAY) {
		if (fstatat(entry->dir, entry->base, &st, AT_SYMLINK_NOFOLLOW) < 0)
			return vanished_or(errno, entry->path, failure);
		return S_ISDIR(st.st_mode) ? pack_folder(packing, entry, &st, false, failure) : 0;
	}
	if (entry->type == DT_REG)
		return pack_regular(packing, entry, failure);
	if (fstatat(entry->dir, entry->base, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return vanished_or(errno, entry->path, failure);
	if (S_ISREG(st.st_mode))
		return pack_regular(packing, entry, failure);
	if (S_ISLNK(st.st_mode))
		return pack_symlink(packing, entry, &st, failure);
	return S_ISDIR(st.st_mode) ? pack_folder(packing, entry, &st, true, failure) : 0;
}

static int pack_single(struct packing *packing, const char *path, struct failure *failure)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return fail_errno(failure, errno, path);
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return pack_file(packing, fd, &st, strrchr(path, '/') + 1, failure);
	close(fd);
	return fail_path(failure, "not-a-file", path, "neither a regular file nor a folder");
}

static int pack(struct packing *packing, const char *path, struct failure *failure)
{
	struct stat st;
	if (stat(path, &st) < 0)
		return fail_errno(failure, errno, path);
	if (S_ISREG(st.st_mode))
		return pack_single(packing, path, failure);
	if (!S_ISDIR(st.st_mode))
		return fail_path(failure, "not-a-file", path, "neither a regular file nor a folder");
	int root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return fail_errno(failure, errno, path);
	packing->dev = st.st_dev;
	return walk(root, visit, packing, failure);
}

int run_tar_out(struct file_job *job)
{
	struct failure *failure = job->failure;
	struct packing packing = {.params = job->params, .sparse = fields_flag(job->params, "sparse")};
	const char *path = param_path(job->params, failure);
	if (!path)
		return -1;
	int rc = include_open(&packing.include, job->params, failure);
	if (rc == 0)
		rc = tar_writer_open(&packing.writer, job->out_fd, failure);
	if (rc == 0)
		rc = pack(&packing, path, failure);
	if (rc == 0)
		rc = tar_write_end(&packing.writer, failure);
	if (rc == 0) {
		fields_put_string(job->result, "ok", "1");
		fields_put_u64(job->result, "entries", packing.writer.entries);
		fields_put_u64(job->result, "bytes", packing.writer.bytes);
	}
	tar_writer_close(&packing.writer);
	hard_links_free(&packing.links);
	include_close(&packing.include);
	folders_above_free(&packing.above);
	return rc;
}
