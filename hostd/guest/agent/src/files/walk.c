#include "walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One open folder: its entries as type byte and name, and where each begins. */
struct level {
	int fd;
	struct bytes names;
	const char **sorted;
	size_t count, next;
	size_t path_len; /* of the folder's own path */
};
struct walker {
	struct level *levels;
	size_t depth, cap;
	struct bytes path;
};

bool walk_vanished(int error)
{
	return error == ENOENT || error == ENOTDIR || error == ELOOP || error == ENXIO;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a + 1, *(const char *const *)b + 1);
}

static int out_of_memory(struct failure *failure)
{
	return fail(failure, "io", "out of memory");
}

static int read_names(struct level *level, DIR *dir, const char *path, struct failure *failure)
{
	for (;;) {
		errno = 0;
		const struct dirent *entry = readdir(dir);
		if (!entry)
			return errno ? fail_errno(failure, errno, path) : 0;
		const char *name = entry->d_name;
		if (name[0] == '.' && (name[1] == 0 || (name[1] == '.' && name[2] == 0)))
			continue;
		char type = (char)entry->d_type;
		if (!bytes_append(&level->names, &type, 1) || !bytes_append(&level->names, name, strlen(name) + 1))
			return out_of_memory(failure);
		level->count++;
	}
}

static int sort_names(struct level *level, struct failure *failure)
{
	if (level->count == 0)
		return 0;
	level->sorted = malloc(level->count * sizeof *level->sorted);
	if (!level->sorted)
		return out_of_memory(failure);
	const char *p = level->names.data;
	for (size_t i = 0; i < level->count; i++, p += strlen(p + 1) + 2)
		level->sorted[i] = p;
	qsort(level->sorted, level->count, sizeof *level->sorted, by_name);
	return 0;
}

static void close_level(struct level *level)
{
	close(level->fd);
	free(level->sorted);
	bytes_free(&level->names);
}

/* Takes over `fd`. */
static int enter(struct walker *walker, int fd, struct failure *failure)
{
	const char *path = walker->path.len > 0 ? walker->path.data : ".";
	struct level level = {.fd = fd, .path_len = walker->path.len};
	if (walker->depth == walker->cap) {
		size_t cap = walker->cap ? walker->cap * 2 : 16;
		struct level *grown = realloc(walker->levels, cap * sizeof *grown);
		if (!grown) {
			close(fd);
			return out_of_memory(failure);
		}
		walker->levels = grown;
		walker->cap = cap;
	}
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	int rc = dir ? read_names(&level, dir, path, failure) : fail_errno(failure, errno, path);
	if (dir)
		closedir(dir);
	else if (copy >= 0)
		close(copy);
	if (rc == 0)
		rc = sort_names(&level, failure);
	if (rc < 0)
		close_level(&level);
	else
		walker->levels[walker->depth++] = level;
	return rc;
}

static int too_deep(const char *path, struct failure *failure)
{
	return fail_path(failure, "invalid", path, "folders are nested too deep");
}

static int step(struct walker *walker, struct level *level, walk_visit *visit, void *context, struct failure *failure)
{
	const char *name = level->sorted[level->next++];
	bytes_truncate(&walker->path, level->path_len);
	if ((level->path_len > 0 && !bytes_append(&walker->path, "/", 1)) || !bytes_append(&walker->path, name + 1, strlen(name + 1)))
		return out_of_memory(failure);
	struct walk_entry entry = {
		.dir = level->fd, .base = name + 1, .path = walker->path.data, .depth = walker->depth - 1, .type = (unsigned char)name[0]};
	int into = visit(context, &entry, failure);
	if (into <= 0)
		return into;
	int fd = openat(entry.dir, entry.base, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno == EMFILE)
		return too_deep(entry.path, failure);
	if (fd < 0)
		return walk_vanished(errno) ? 0 : fail_errno(failure, errno, entry.path);
	return enter(walker, fd, failure);
}

int walk(int root, walk_visit *visit, void *context, struct failure *failure)
{
	struct walker walker = {0};
	int rc = enter(&walker, root, failure);
	while (rc == 0 && walker.depth > 0) {
		struct level *level = &walker.levels[walker.depth - 1];
		if (level->next < level->count) {
			rc = step(&walker, level, visit, context, failure);
			continue;
		}
		close_level(level);
		walker.depth--;
	}
	while (walker.depth > 0)
		close_level(&walker.levels[--walker.depth]);
	free(walker.levels);
	bytes_free(&walker.path);
	return rc;
}
