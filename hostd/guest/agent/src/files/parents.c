#include "beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER (O_PATH | O_DIRECTORY)

static bool is_setgid(int fd)
{
	struct stat st;
	return fstat(fd, &st) < 0 || (st.st_mode & S_ISGID);
}

void parents_init(struct parents *parents, int root, const struct owner *owner)
{
	memset(parents, 0, sizeof *parents);
	parents->root = root;
	parents->owner = *owner;
	parents->fd = -1;
	parents->root_setgid = is_setgid(root);
}

void parents_forget(struct parents *parents)
{
	if (parents->fd >= 0)
		close(parents->fd);
	parents->fd = -1;
}

void parents_free(struct parents *parents)
{
	parents_forget(parents);
	bytes_free(&parents->path);
}

static int make_one(const struct parents *parents, int dir, const char *name)
{
	if (mkdirat(dir, name, 0755) < 0)
		return errno == EEXIST ? 0 : -1;
	return parents->owner.given ? fchownat(dir, name, parents->owner.uid, parents->owner.gid, AT_SYMLINK_NOFOLLOW) : 0;
}

/* Opens `rest` below `from` one component at a time, making what is missing. -1 and errno. */
static int open_making(const struct parents *parents, int from, char *rest)
{
	int at = from;
	for (char *p = rest; p;) {
		char *slash = strchr(p, '/');
		if (slash)
			*slash = 0;
		int fd = beneath_open(at, p, FOLDER);
		if (fd < 0 && errno == ENOENT && make_one(parents, at, p) == 0)
			fd = beneath_open(at, p, FOLDER);
		int error = errno;
		if (slash)
			*slash = '/';
		if (at != from)
			close(at);
		errno = error;
		if (fd < 0)
			return -1;
		at = fd;
		p = slash ? slash + 1 : NULL;
	}
	return at;
}

static bool is_ancestor(const struct bytes *ancestor, const char *path, size_t len)
{
	return ancestor->len < len && path[ancestor->len] == '/' && memcmp(ancestor->data, path, ancestor->len) == 0;
}

static int open_folder(struct parents *parents, size_t shared, bool make, struct failure *failure)
{
	int from = shared > 0 ? parents->fd : parents->root;
	char *rest = parents->path.data + (shared > 0 ? shared + 1 : 0);
	int fd = beneath_open(from, rest, FOLDER);
	if (fd < 0 && errno == ENOENT && make)
		fd = open_making(parents, from, rest);
	int error = errno;
	parents_forget(parents);
	if (fd < 0 && (error == ELOOP || error == EXDEV))
		return fail_path(failure, "unsafe-path", parents->path.data, "a parent folder is a symbolic link");
	if (fd < 0)
		return fail_errno(failure, error, parents->path.data);
	parents->setgid = is_setgid(fd);
	parents->fd = fd;
	return fd;
}

int parents_of(struct parents *parents, const char *path, bool make, const char **base, struct failure *failure)
{
	const char *slash = strrchr(path, '/');
	size_t len = slash ? (size_t)(slash - path) : 0;
	*base = slash ? slash + 1 : path;
	if (len == 0) {
		parents_forget(parents);
		parents->setgid = parents->root_setgid;
		return parents->root;
	}
	size_t shared = 0;
	if (parents->fd >= 0) {
		if (parents->path.len == len && memcmp(parents->path.data, path, len) == 0)
			return parents->fd;
		if (is_ancestor(&parents->path, path, len))
			shared = parents->path.len;
	}
	if (!bytes_set(&parents->path, path, len))
		return fail(failure, "io", "out of memory");
	return open_folder(parents, shared, make, failure);
}
