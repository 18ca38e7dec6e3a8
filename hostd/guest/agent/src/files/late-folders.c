#include "late-folders.h"

#include "beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Beyond this the folders so far are done early: their times may then be overtaken by later entries, but memory stays bounded. */
#define MEMORY_MAX (32u << 20)

struct late_folder {
	size_t path_at;
	const char *path; /* set when the paths no longer move */
	mode_t mode;
	struct timespec mtime;
};

static int by_path_deepest_first(const void *a, const void *b)
{
	const struct late_folder *x = a, *y = b;
	int order = strcmp(y->path, x->path);
	/* Of two entries for one folder the later one comes first. */
	return order ? order : (x->path_at < y->path_at) - (x->path_at > y->path_at);
}

static int apply_one(int root, const struct late_folder *folder, struct failure *failure)
{
	int fd = folder->path[0] ? beneath_open(root, folder->path, O_RDONLY | O_DIRECTORY) : dup(root);
	/* A later entry may have put something else in its place. */
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP))
		return 0;
	if (fd < 0)
		return fail_errno(failure, errno, folder->path);
	struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, folder->mtime};
	int rc = 0;
	if (fchmod(fd, folder->mode) < 0 || futimens(fd, times) < 0)
		rc = fail_errno(failure, errno, folder->path);
	close(fd);
	return rc;
}

int late_folders_apply(struct late_folders *late, struct failure *failure)
{
	for (size_t i = 0; i < late->count; i++)
		late->items[i].path = late->paths.data + late->items[i].path_at;
	if (late->count > 1)
		qsort(late->items, late->count, sizeof *late->items, by_path_deepest_first);
	int rc = 0;
	for (size_t i = 0; i < late->count && rc == 0; i++)
		if (i == 0 || strcmp(late->items[i - 1].path, late->items[i].path) != 0)
			rc = apply_one(late->root, &late->items[i], failure);
	late->count = 0;
	late->paths.len = 0;
	return rc;
}

int late_folders_add(struct late_folders *late, const char *path, mode_t mode, struct timespec mtime, struct failure *failure)
{
	if (late->count * sizeof *late->items + late->paths.len > MEMORY_MAX && late_folders_apply(late, failure) < 0)
		return -1;
	if (late->count == late->cap) {
		size_t cap = late->cap ? late->cap * 2 : 64;
		struct late_folder *grown = realloc(late->items, cap * sizeof *grown);
		if (!grown)
			return fail(failure, "io", "out of memory");
		late->items = grown;
		late->cap = cap;
	}
	size_t at = late->paths.len;
	if (!bytes_append(&late->paths, path, strlen(path) + 1))
		return fail(failure, "io", "out of memory");
	late->items[late->count++] = (struct late_folder){.path_at = at, .mode = mode, .mtime = mtime};
	return 0;
}

void late_folders_free(struct late_folders *late)
{
	free(late->items);
	bytes_free(&late->paths);
	memset(late, 0, sizeof *late);
}
