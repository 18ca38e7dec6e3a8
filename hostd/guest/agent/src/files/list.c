#include "file-kinds.h"
#include "params.h"
#include "put-stat.h"
#include "sink.h"
#include "walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

struct listing {
	struct sink sink;
	struct fields_out block;
	bool recursive;
	uint64_t count;
};

static int put_block(struct listing *listing, struct failure *failure)
{
	const struct fields_out *block = &listing->block;
	const unsigned char head[4] = {(unsigned char)block->len, (unsigned char)(block->len >> 8), (unsigned char)(block->len >> 16),
				       (unsigned char)(block->len >> 24)};
	if (block->failed)
		return fail(failure, "io", "out of memory");
	listing->count++;
	return sink_put(&listing->sink, head, sizeof head, failure) < 0 ? -1 : sink_put(&listing->sink, block->buf, block->len, failure);
}

static int visit(void *context, const struct walk_entry *entry, struct failure *failure)
{
	struct listing *listing = context;
	struct failure unreadable = {0};
	struct stat st;
	if (fstatat(entry->dir, entry->base, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return walk_vanished(errno) ? 0 : fail_errno(failure, errno, entry->path);
	listing->block.len = 0;
	if (put_stat(&listing->block, entry->path, &st, entry->dir, entry->base, &unreadable) < 0) {
		/* A link that is gone, or something else by now. */
		bool changed = strcmp(unreadable.code, "not-found") == 0 || strcmp(unreadable.code, "invalid") == 0;
		return changed ? 0 : fail(failure, unreadable.code, "%s", unreadable.message);
	}
	if (put_block(listing, failure) < 0)
		return -1;
	return listing->recursive && S_ISDIR(st.st_mode);
}

int run_list(struct file_job *job)
{
	struct listing listing = {.recursive = fields_flag(job->params, "recursive")};
	const char *path = param_path(job->params, job->failure);
	if (!path)
		return -1;
	int root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return fail_errno(job->failure, errno, path);
	int rc = sink_open(&listing.sink, job->out_fd, job->failure);
	if (rc == 0)
		rc = walk(root, visit, &listing, job->failure);
	if (rc == 0)
		rc = sink_flush(&listing.sink, job->failure);
	sink_close(&listing.sink);
	fields_out_free(&listing.block);
	if (rc < 0)
		return -1;
	fields_put_string(job->result, "ok", "1");
	fields_put_u64(job->result, "count", listing.count);
	return 0;
}

int run_stat(struct file_job *job)
{
	struct stat st;
	const char *path = param_path(job->params, job->failure);
	if (!path)
		return -1;
	if (lstat(path, &st) < 0)
		return fail_errno(job->failure, errno, path);
	size_t end = strlen(path);
	while (end > 1 && path[end - 1] == '/')
		end--;
	size_t start = end;
	while (start > 0 && path[start - 1] != '/')
		start--;
	char *name = strndup(path + start, end - start);
	int rc = name ? put_stat(job->result, name[0] ? name : "/", &st, AT_FDCWD, path, job->failure) : fail(job->failure, "io", "out of memory");
	if (rc == 0)
		fields_put_string(job->result, "ok", "1");
	free(name);
	return rc;
}
