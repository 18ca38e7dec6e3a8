/* Archives of a rich tree, both ways: with ourselves, and with GNU tar in each of its formats. */
#include "support/file-jail.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OLD_TIMES(ns) (struct timespec[2]){{.tv_sec = 981173106, .tv_nsec = ns}, {.tv_sec = 981173106, .tv_nsec = ns}}

/* Folders with names of 200 bytes in each other, and something at the bottom. */
static void deep_path(const char *from, unsigned levels)
{
	char name[201];
	memset(name, 'd', 200);
	name[200] = 0;
	int at = open(from, O_PATH | O_DIRECTORY);
	for (unsigned i = 0; i < levels; i++) {
		CHECK(mkdirat(at, name, 0755) == 0);
		int next = openat(at, name, O_PATH | O_DIRECTORY);
		close(at);
		CHECK(next >= 0);
		at = next;
	}
	int fd = openat(at, "deep", O_WRONLY | O_CREAT, 0600);
	CHECK(fd >= 0 && write(fd, "down here", 9) == 9 && close(fd) == 0);
	CHECK(mkdirat(at, "locked", 0555) == 0 && symlinkat("..", at, "up") == 0);
	close(at);
}

static void sparse_file(const char *name, off_t size, unsigned pieces)
{
	int fd = open(name, O_WRONLY | O_CREAT, 0640);
	CHECK(fd >= 0 && ftruncate(fd, size) == 0);
	for (unsigned i = 0; i < pieces; i++)
		CHECK(pwrite(fd, "piece", 5, (off_t)i * size / pieces + 70000) == 5);
	close(fd);
}

/* Everything an archive must carry. `long_names`: what plain ustar can't hold too. */
static void make_tree(const char *root, bool long_names)
{
	static char big[300000];
	char name[251];
	for (size_t i = 0; i < sizeof big; i++)
		big[i] = (char)(i * 2654435761u >> 13);
	CHECK(mkdir(root, 0755) == 0 && chdir(root) == 0);
	CHECK(mkdir("a", 0755) == 0 && mkdir("a/b", 0755) == 0 && mkdir("sticky", 0755) == 0 && mkdir("empty-folder", 0755) == 0);
	jail_write("a/file", "content", 7);
	jail_write("a/b/set-ids", "x", 1);
	jail_write("empty", "", 0);
	jail_write("block", big, 512);
	jail_write("block-and-one", big, 513);
	jail_write("big", big, sizeof big);
	jail_write("new\nline", "1", 1);
	jail_write("\xc3\xbcn\xc3\xaf-\xe6\x97\xa5", "2", 1);
	jail_write("not-utf8-\xff\xfe", "3", 1);
	CHECK(link("a/file", "a/b/same") == 0 && link("a/file", "z-same") == 0);
	CHECK(symlink("../file", "a/b/link") == 0 && symlink("/absolute/nowhere", "dangling") == 0);
	CHECK(mkfifo("fifo", 0600) == 0);
	sparse_file("sparse", 4 << 20, 3);
	sparse_file("much-sparse", 6 << 20, 64);
	CHECK(truncate("sparse", 6 << 20) == 0);
	sparse_file("hole", 2 << 20, 0);
	CHECK(chown("a/b", 1234, 5678) == 0 && chown("a/b/set-ids", 77, 88) == 0 && lchown("dangling", 5, 6) == 0);
	CHECK(chmod("a/b/set-ids", 06755) == 0 && chmod("sticky", 01777) == 0 && chmod("empty", 0) == 0 && chmod("empty-folder", 02500) == 0);
	if (long_names) {
		memset(name, 'n', 250);
		name[250] = 0;
		jail_write(name, "long", 4);
		memset(name, 't', 250);
		CHECK(symlink(name, "long-target") == 0);
		/* Fits a header by its length, but can't be split there. */
		memset(name, 'w', 200);
		name[200] = 0;
		CHECK(mkdir(name, 0755) == 0 && chdir(name) == 0);
		jail_write("x", "wide", 4);
		CHECK(chdir("..") == 0);
		CHECK(utimensat(AT_FDCWD, "not-utf8-\xff\xfe", (struct timespec[2]){{0}, {.tv_sec = -3}}, 0) == 0);
		deep_path(".", 18);
		CHECK(chown("block", 3000000000u, 4000000000u) == 0);
		CHECK(utimensat(AT_FDCWD, "block-and-one", (struct timespec[2]){{0}, {.tv_sec = -3, .tv_nsec = 250000000}}, 0) == 0);
	}
	CHECK(utimensat(AT_FDCWD, "dangling", OLD_TIMES(5), AT_SYMLINK_NOFOLLOW) == 0 && utimensat(AT_FDCWD, "big", OLD_TIMES(0), 0) == 0);
	CHECK(utimensat(AT_FDCWD, "a/b", OLD_TIMES(123456789), 0) == 0 && utimensat(AT_FDCWD, "empty-folder", OLD_TIMES(999999999), 0) == 0);
	CHECK(chdir("..") == 0);
}

static struct bytes load(const char *name)
{
	struct bytes bytes = {0};
	int fd = open(name, O_RDONLY);
	CHECK(fd >= 0 && bytes_reserve(&bytes, 64 << 20));
	ssize_t n;
	while ((n = read(fd, bytes.data + bytes.len, 1 << 20)) > 0)
		bytes.len += (size_t)n;
	CHECK(n == 0 && close(fd) == 0);
	return bytes;
}

static void save(const char *name, const struct bytes *bytes)
{
	unlink(name);
	jail_write(name, bytes->data, bytes->len);
}

static long blocks_of(const char *name)
{
	struct stat st;
	CHECK(stat(name, &st) == 0);
	return st.st_blocks;
}

/* Holes stay holes: exactly when the archive knows them, in steps of 64 KiB when it holds zeros. */
static bool holes_kept(const char *folder, bool known)
{
	char sparse[64], hole[64];
	snprintf(sparse, sizeof sparse, "%s/sparse", folder);
	snprintf(hole, sizeof hole, "%s/hole", folder);
	return blocks_of(hole) == 0 && blocks_of(sparse) <= (known ? blocks_of("src/sparse") : 3 * 128 + 8);
}

static struct bytes pack(const char *folder, const char *sparse)
{
	const struct outcome *outcome = WORKER("tar-out", NULL, "path", jail_path(folder), "sparse", sparse);
	struct bytes copy = {0};
	CHECK(outcome->ok && bytes_set(&copy, outcome->output.data, outcome->output.len));
	CHECK(copy.len % TAR_BLOCK == 0);
	return copy;
}

static void with_ourselves(const char *sparse)
{
	struct bytes archive = pack("src", sparse), again = pack("src", sparse);
	CHECK(archive.len == again.len && memcmp(archive.data, again.data, again.len) == 0);
	CHECK(sparse[0] == '1' ? archive.len < 2u << 20 : archive.len > 14u << 20);
	const struct outcome *outcome = WORKER("tar-in", &archive, "path", jail_path("in/made/dst"));
	CHECK(outcome->ok && strcmp(result_of(outcome, "skipped"), "0") == 0);
	CHECK(same_tree("src", "in/made/dst", true));
	CHECK(holes_kept("in/made/dst", sparse[0] == '1'));
	/* Again over what is there, which has other contents, modes and kinds by now. */
	CHECK(chdir("in/made/dst") == 0);
	CHECK(chmod("sticky", 0700) == 0 && chown("sticky", 9, 9) == 0 && truncate("big", 5) == 0 && unlink("z-same") == 0 && symlink("/etc/passwd", "z-same") == 0);
	CHECK(unlink("block") == 0 && mkdir("block", 0700) == 0 && unlink("empty") == 0 && link("big", "empty") == 0);
	CHECK(rmdir("empty-folder") == 0 && symlink("a", "empty-folder") == 0 && unlink("dangling") == 0 && mkdir("dangling", 0700) == 0);
	CHECK(chdir("../../..") == 0);
	outcome = WORKER("tar-in", &archive, "path", jail_path("in/made/dst"));
	CHECK(outcome->ok && same_tree("src", "in/made/dst", true));
	/* GNU tar reads it. */
	save("archive.tar", &archive);
	CHECK(mkdir("gnu", 0755) == 0);
	RUN("tar", "--warning=no-timestamp", "-xpf", "archive.tar", "-C", "gnu");
	CHECK(same_tree("src", "gnu", true));
	jail_remove("in");
	jail_remove("gnu");
	bytes_free(&archive);
	bytes_free(&again);
}

/* Paths longer than the kernel takes at once (which GNU tar can't extract). */
static void beyond_path_max(void)
{
	CHECK(mkdir("deep", 0755) == 0);
	deep_path("deep", 60);
	struct bytes archive = pack("deep", "0");
	const struct outcome *outcome = WORKER("tar-in", &archive, "path", jail_path("dst"));
	CHECK(outcome->ok && strcmp(result_of(outcome, "entries"), "63") == 0 && same_tree("deep", "dst", true));
	outcome = WORKER("tar-in", &archive, "path", jail_path("dst"));
	CHECK(outcome->ok && same_tree("deep", "dst", true));
	jail_remove("dst");
	bytes_free(&archive);
}

static void from_gnu_tar(const char *tree, const char *format, const char *sparse, bool nanoseconds)
{
	const char *const with_sparse[] = {"tar", "-C", tree, "--warning=no-timestamp", "-cf", "archive.tar", format, "--sort=name", ".", sparse, "--sparse", NULL};
	const char *const without[] = {"tar", "-C", tree, "--warning=no-timestamp", "-cf", "archive.tar", format, "--sort=name", ".", NULL};
	jail_run(sparse ? with_sparse : without);
	struct bytes archive = load("archive.tar");
	const struct outcome *outcome = WORKER("tar-in", &archive, "path", jail_path("dst"));
	if (!outcome->ok)
		fprintf(stderr, "%s %s: %s\n", format, sparse, outcome->message);
	CHECK(outcome->ok && strcmp(result_of(outcome, "skipped"), "1") == 0);
	CHECK(same_tree(tree, "dst", nanoseconds));
	CHECK(holes_kept("dst", sparse != NULL));
	jail_remove("dst");
	bytes_free(&archive);
}

static void with_gnu_tar(void)
{
	from_gnu_tar("src", "--format=pax", NULL, true);
	from_gnu_tar("src", "--format=pax", "--sparse-version=0.0", true);
	from_gnu_tar("src", "--format=pax", "--sparse-version=0.1", true);
	from_gnu_tar("src", "--format=pax", "--sparse-version=1.0", true);
	from_gnu_tar("plain", "--format=gnu", NULL, false);
	from_gnu_tar("src", "--format=gnu", "--sparse", false);
	from_gnu_tar("src", "--format=oldgnu", "--sparse", false);
	from_gnu_tar("plain", "--format=ustar", NULL, false);
}

/* All files of one owner, and folders above the target too. */
static void given_owner(void)
{
	struct bytes archive = pack("src", "1");
	struct stat st;
	const struct outcome *outcome = WORKER("tar-in", &archive, "path", jail_path("own/dst"), "owner", "1000:1001");
	CHECK(outcome->ok);
	const char *names[] = {"own", "own/dst", "own/dst/a", "own/dst/a/b/set-ids", "own/dst/dangling", "own/dst/block", "own/dst/a/b/same"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		CHECK(lstat(names[i], &st) == 0 && st.st_uid == 1000 && st.st_gid == 1001);
	CHECK(stat("own/dst/a/b/set-ids", &st) == 0 && (st.st_mode & 07777) == 06755);
	jail_remove("own");
	/* Folders that the archive only implies, too. */
	bytes_truncate(&archive, 0);
	put_member(&archive, (struct member){.name = "x/y/file", .type = '0'}, "1");
	put_end(&archive);
	CHECK(WORKER("tar-in", &archive, "path", jail_path("own"), "owner", "1000:1001")->ok);
	CHECK(stat("own/x", &st) == 0 && st.st_uid == 1000 && st.st_gid == 1001 && stat("own/x/y", &st) == 0 && st.st_uid == 1000);
	jail_remove("own");
	bytes_free(&archive);
}

/* In a folder that hands its group on, and under a umask. */
static void setgid_parent(void)
{
	struct bytes archive = pack("plain", "1");
	CHECK(mkdir("shared", 0755) == 0 && chown("shared", 0, 4242) == 0 && chmod("shared", 02775) == 0);
	umask(077);
	const struct outcome *outcome = WORKER("tar-in", &archive, "path", jail_path("shared"));
	CHECK(outcome->ok && same_tree("plain", "shared", true));
	outcome = WORKER("tar-in", &archive, "path", jail_path("strict"));
	umask(022);
	CHECK(outcome->ok && same_tree("plain", "strict", true));
	jail_remove("strict");
	jail_remove("shared");
	bytes_free(&archive);
}

int main(void)
{
	jail_enter();
	CHECK(geteuid() == 0);
	make_tree("src", true);
	make_tree("plain", false);
	with_ourselves("1");
	with_ourselves("0");
	beyond_path_max();
	with_gnu_tar();
	given_owner();
	setgid_parent();
	return 0;
}
