#include "file-kinds.h"
#include "params.h"
#include "put-stat.h"
#include "sink.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static int check_regular(const struct stat *st, const char *path, struct failure *failure)
{
	if (S_ISDIR(st->st_mode))
		return fail_errno(failure, EISDIR, path);
	return S_ISREG(st->st_mode) ? 0 : fail_path(failure, "not-a-file", path, "not a regular file");
}

/* Looked at before it is opened, since opening a device can do things; and after, since it may have changed. */
static int open_regular(const char *path, struct stat *st, struct failure *failure)
{
	if (stat(path, st) < 0)
		return fail_errno(failure, errno, path);
	if (check_regular(st, path, failure) < 0)
		return -1;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return fail_errno(failure, errno, path);
	if (fstat(fd, st) == 0 && check_regular(st, path, failure) == 0)
		return fd;
	fail_errno(failure, errno, path);
	close(fd);
	return -1;
}

int run_read_file(struct file_job *job)
{
	struct sink sink;
	struct stat st;
	uint64_t size = 0;
	const char *path = param_path(job->params, job->failure);
	if (!path)
		return -1;
	int fd = open_regular(path, &st, job->failure);
	if (fd < 0)
		return -1;
	int rc = sink_open(&sink, job->out_fd, job->failure);
	/* To its end, whatever its size says: files in /proc say 0. */
	if (rc == 0)
		rc = sink_file(&sink, fd, 0, INT64_MAX, &size, path, job->failure);
	if (rc == 0)
		rc = sink_flush(&sink, job->failure);
	sink_close(&sink);
	close(fd);
	if (rc < 0)
		return -1;
	fields_put_string(job->result, "ok", "1");
	fields_put_u64(job->result, "size", size);
	put_mode(job->result, st.st_mode);
	put_mtime(job->result, st.st_mtim);
	return 0;
}
