#include "file-jail.h"

#include "../../src/files/walk.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct tree {
	struct bytes text;
	bool nanoseconds;
	ino_t seen[256];
	size_t seen_count;
};

static uint64_t content_hash(int dir, const char *base)
{
	static unsigned char buf[65536];
	uint64_t hash = 14695981039346656037u;
	int fd = openat(dir, base, O_RDONLY);
	ssize_t n;
	CHECK(fd >= 0);
	while ((n = read(fd, buf, sizeof buf)) > 0)
		for (ssize_t i = 0; i < n; i++)
			hash = (hash ^ buf[i]) * 1099511628211u;
	CHECK(n == 0 && close(fd) == 0);
	return hash;
}

/* Number of the first entry that is the same file. */
static size_t identity(struct tree *tree, ino_t ino)
{
	size_t at = 0;
	while (at < tree->seen_count && tree->seen[at] != ino)
		at++;
	CHECK(at < sizeof tree->seen / sizeof *tree->seen);
	if (at == tree->seen_count)
		tree->seen[tree->seen_count++] = ino;
	return at;
}

static int visit(void *context, const struct walk_entry *entry, struct failure *failure)
{
	struct tree *tree = context;
	struct stat st;
	char line[512], target[PATH_MAX + 1] = "";
	(void)failure;
	CHECK(fstatat(entry->dir, entry->base, &st, AT_SYMLINK_NOFOLLOW) == 0);
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode) && !S_ISLNK(st.st_mode))
		return 0;
	if (S_ISLNK(st.st_mode))
		CHECK(readlinkat(entry->dir, entry->base, target, PATH_MAX) >= 0);
	bool regular = S_ISREG(st.st_mode);
	int len = snprintf(line, sizeof line, " %o %u:%u %lld.%09ld size %lld content %016llx file %zu -> ", (unsigned)st.st_mode, st.st_uid, st.st_gid,
			   (long long)st.st_mtim.tv_sec, tree->nanoseconds ? st.st_mtim.tv_nsec : 0, regular ? (long long)st.st_size : 0,
			   regular ? (unsigned long long)content_hash(entry->dir, entry->base) : 0, regular ? identity(tree, st.st_ino) : 0);
	CHECK(bytes_append(&tree->text, entry->path, strlen(entry->path)) && bytes_append(&tree->text, line, (size_t)len) &&
	      bytes_append(&tree->text, target, strlen(target)) && bytes_append(&tree->text, "\n", 1));
	return S_ISDIR(st.st_mode);
}

struct bytes tree_of(const char *folder, bool nanoseconds)
{
	static struct tree tree;
	struct failure failure = {0};
	memset(&tree, 0, sizeof tree);
	tree.nanoseconds = nanoseconds;
	int root = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CHECK(root >= 0 && walk(root, visit, &tree, &failure) == 0);
	return tree.text;
}

bool same_tree(const char *a, const char *b, bool nanoseconds)
{
	struct bytes x = tree_of(a, nanoseconds), y = tree_of(b, nanoseconds);
	bool same = x.len == y.len && memcmp(x.data, y.data, x.len) == 0;
	if (!same) {
		size_t at = 0, line = 0;
		for (; at < x.len && at < y.len && x.data[at] == y.data[at]; at++)
			line = x.data[at] == '\n' ? at + 1 : line;
		fprintf(stderr, "trees differ:\n%s: %.*s\n%s: %.*s\n", a, 400, x.data + line, b, 400, y.data + line);
	}
	bytes_free(&x);
	bytes_free(&y);
	return same;
}
