/* What leaves a tree: single files, excludes, skipped kinds, files that change while they are read, folders that can't be read. */
#include "support/file-jail.h"

#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define BIG (8u << 20)

/* Names in the archive, each followed by its type and ";", found with our own header layout only. */
static const char *names_of(const struct bytes *archive)
{
	static char names[8192];
	size_t at = 0, len = 0;
	int64_t size;
	names[0] = 0;
	for (;;) {
		const struct tar_header *header = (const struct tar_header *)(archive->data + at);
		CHECK(at + TAR_BLOCK <= archive->len);
		if (tar_is_zero(header, TAR_BLOCK))
			break;
		CHECK(tar_checksum_ok((const unsigned char *)header) && tar_number(header->size, 12, &size));
		if (header->type != 'x')
			len += (size_t)snprintf(names + len, sizeof names - len, "%.100s %c;", header->name, header->type);
		at += TAR_BLOCK + (size_t)size + (size_t)tar_padding((uint64_t)size);
	}
	CHECK(archive->len - at == 2 * TAR_BLOCK && tar_is_zero(archive->data + at, 2 * TAR_BLOCK));
	return names;
}

static void names_are(const struct outcome *outcome, const char *names)
{
	if (!outcome->ok)
		fprintf(stderr, "%s: %s\n", outcome->error, outcome->message);
	CHECK(outcome->ok);
	if (strcmp(names_of(&outcome->output), names) != 0)
		fprintf(stderr, "wanted %s\ngot    %s\n", names, names_of(&outcome->output));
	CHECK(strcmp(names_of(&outcome->output), names) == 0);
}

static void refused(const struct outcome *outcome, const char *error, const char *part_of_message)
{
	if (strcmp(outcome->error, error) != 0)
		fprintf(stderr, "wanted %s, got '%s' (%s)\n", error, outcome->error, outcome->message);
	CHECK(strcmp(outcome->error, error) == 0 && strstr(outcome->message, part_of_message));
}

static void excludes(void)
{
	const char *const src = jail_path("src");
	CHECK(mkdir("src", 0755) == 0 && chdir("src") == 0);
	CHECK(mkdir("b", 0755) == 0 && mkdir("b/node_modules", 0755) == 0 && mkdir("node_modules", 0755) == 0 && mkdir("c", 0755) == 0);
	jail_write("b/keep.c", "1", 1);
	jail_write("b/drop.o", "2", 1);
	jail_write("node_modules/x", "3", 1);
	jail_write("b/node_modules/y", "4", 1);
	jail_write("a.o", "5", 1);
	CHECK(mkfifo("fifo", 0644) == 0 && symlink("a.o", "z") == 0 && chdir("..") == 0);
	const char *all = "a.o 0;b/ 5;b/drop.o 0;b/keep.c 0;b/node_modules/ 5;b/node_modules/y 0;c/ 5;node_modules/ 5;node_modules/x 0;z 2;";
	names_are(WORKER("tar-out", NULL, "path", src), all);
	names_are(WORKER("tar-out", NULL, "path", src, "exclude", ""), all);
	names_are(WORKER("tar-out", NULL, "path", src, "exclude", "node_modules", "exclude", "*.o"), "b/ 5;b/keep.c 0;b/node_modules/ 5;b/node_modules/y 0;c/ 5;z 2;");
	names_are(WORKER("tar-out", NULL, "path", src, "exclude", "**/node_modules", "exclude", "[ac]*"), "b/ 5;b/drop.o 0;b/keep.c 0;z 2;");
	names_are(WORKER("tar-out", NULL, "path", src, "exclude", "*"), "");
	/* A folder whose only slash is its last character leaves no empty name. */
	char wide[121];
	memset(wide, 'p', 120);
	wide[120] = 0;
	CHECK(mkdir("wide", 0755) == 0 && chdir("wide") == 0 && mkdir(wide, 0755) == 0 && chdir("..") == 0);
	const struct outcome *outcome = WORKER("tar-out", NULL, "path", jail_path("wide"));
	CHECK(outcome->ok && strstr(names_of(&outcome->output), "pppp/ 5;"));
	outcome = WORKER("tar-out", NULL, "path", src, "exclude", "b");
	CHECK(strcmp(result_of(outcome, "entries"), "5") == 0 && strcmp(result_of(outcome, "bytes"), "2") == 0);
}

static void single_files(void)
{
	names_are(WORKER("tar-out", NULL, "path", jail_path("src/b/keep.c")), "keep.c 0;");
	/* A link is followed when it is the path itself. */
	names_are(WORKER("tar-out", NULL, "path", jail_path("src/z")), "z 0;");
	CHECK(symlink("src/c", "to-folder") == 0);
	names_are(WORKER("tar-out", NULL, "path", jail_path("to-folder")), "");
	refused(WORKER("tar-out", NULL, "path", jail_path("src/fifo")), "not-a-file", "fifo");
	refused(WORKER("tar-out", NULL, "path", "/dev/zero"), "not-a-file", "zero");
	refused(WORKER("tar-out", NULL, "path", jail_path("none")), "not-found", "none");
	refused(WORKER("tar-out", NULL, "path", "src"), "invalid", "absolute");
}

static void make_big(void)
{
	static char block[65536];
	int fd = open("changing/big", O_WRONLY | O_CREAT | O_TRUNC, 0644);
	memset(block, 'b', sizeof block);
	for (unsigned i = 0; i < BIG / sizeof block; i++)
		CHECK(write(fd, block, sizeof block) == (ssize_t)sizeof block);
	close(fd);
}

static void shrink(void)
{
	CHECK(truncate("changing/big", BIG / 2) == 0);
}

static void grow(void)
{
	CHECK(truncate("changing/big", BIG + 100000) == 0);
}

static void remove_next(void)
{
	CHECK(unlink("changing/next") == 0 && unlink("changing/swapped") == 0 && mkfifo("changing/swapped", 0644) == 0);
}

/* The output pipe is full long before the end of the file, so the change comes while it is read. */
static void changing_files(void)
{
	const char *const params[] = {"path", jail_path("changing"), NULL};
	CHECK(mkdir("changing", 0755) == 0);
	make_big();
	jail_write("changing/next", "next", 4);
	jail_write("changing/swapped", "swapped", 7);
	const struct outcome *outcome = worker("tar-out", NULL, shrink, params);
	names_are(outcome, "big 0;next 0;swapped 0;");
	const char *data = memmem(outcome->output.data, outcome->output.len, "bbbbbbbb", 8);
	CHECK(data && data[BIG / 2 - 1] == 'b' && tar_is_zero(data + BIG / 2, BIG / 2));
	make_big();
	outcome = worker("tar-out", NULL, grow, params);
	names_are(outcome, "big 0;next 0;swapped 0;");
	CHECK(strcmp(result_of(outcome, "bytes"), "8388619") == 0);
	make_big();
	names_are(worker("tar-out", NULL, remove_next, params), "big 0;");
	const char *const single[] = {"path", jail_path("changing/big"), NULL};
	make_big();
	outcome = worker("read-file", NULL, shrink, single);
	CHECK(outcome->ok && outcome->output.len == BIG / 2 && strcmp(result_of(outcome, "size"), "4194304") == 0);
}

static void unreadable(void)
{
	CHECK(mkdir("shut", 0755) == 0 && mkdir("shut/room", 0700) == 0 && chmod(".", 0755) == 0);
	jail_write("shut/a", "1", 1);
	refused(WORKER("tar-out", NULL, "path", jail_path("shut"), "user", "65534:65534"), "permission", "room");
	CHECK(rmdir("shut/room") == 0 && chmod("shut/a", 0600) == 0);
	refused(WORKER("tar-out", NULL, "path", jail_path("shut"), "user", "65534:65534"), "permission", "a");
	refused(WORKER("tar-out", NULL, "path", jail_path("shut/a"), "user", "65534:65534"), "permission", "a");
	CHECK(chmod("shut", 0700) == 0);
	refused(WORKER("tar-out", NULL, "path", jail_path("shut"), "user", "65534:65534"), "permission", "shut");
	/* What nobody may write in can't be filled by nobody; what it may is filled, owners aside. */
	struct bytes archive = {0};
	put_member(&archive, (struct member){.name = "d", .type = '5', .mode = 0555}, NULL);
	put_member(&archive, (struct member){.name = "d/f", .type = '0', .mode = 0400}, "1");
	put_end(&archive);
	refused(WORKER("tar-in", &archive, "path", jail_path("shut"), "user", "65534:65534"), "permission", "shut");
	CHECK(mkdir("open", 0755) == 0 && chown("open", 65534, 65534) == 0);
	CHECK(WORKER("tar-in", &archive, "path", jail_path("open"), "user", "65534:65534")->ok);
	struct stat st;
	CHECK(stat("open/d/f", &st) == 0 && st.st_uid == 65534 && (st.st_mode & 0777) == 0400);
	CHECK(stat("open/d", &st) == 0 && (st.st_mode & 0777) == 0555 && st.st_mtim.tv_sec == 1000000000);
	CHECK(chmod("open/d", 0700) == 0 && WORKER("tar-in", &archive, "path", jail_path("open"), "user", "65534:65534")->ok);
	CHECK(stat("open/d", &st) == 0 && (st.st_mode & 0777) == 0555);
	/* A folder that is shut in the end is shut after those in it. */
	bytes_truncate(&archive, 0);
	put_member(&archive, (struct member){.name = "s", .type = '5', .mode = 0600}, NULL);
	put_member(&archive, (struct member){.name = "s/e", .type = '5', .mode = 0711}, NULL);
	put_end(&archive);
	CHECK(WORKER("tar-in", &archive, "path", jail_path("open"), "user", "65534:65534")->ok);
	CHECK(stat("open/s", &st) == 0 && (st.st_mode & 0777) == 0600 && stat("open/s/e", &st) == 0 && (st.st_mode & 0777) == 0711);
	bytes_free(&archive);
}

/* The kernel's own trees are named but not entered. */
static void pseudo_file_systems(void)
{
	CHECK(unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
	CHECK(mkdir("pseudo", 0755) == 0 && mkdir("pseudo/proc", 0755) == 0 && mkdir("pseudo/sys", 0755) == 0 && mkdir("pseudo/tmp", 0755) == 0);
	CHECK(mount("/proc", "pseudo/proc", NULL, MS_BIND, NULL) == 0 && mount("/sys", "pseudo/sys", NULL, MS_BIND, NULL) == 0);
	CHECK(mount("none", "pseudo/tmp", "tmpfs", 0, NULL) == 0);
	jail_write("pseudo/tmp/entered", "1", 1);
	names_are(WORKER("tar-out", NULL, "path", jail_path("pseudo")), "proc/ 5;sys/ 5;tmp/ 5;tmp/entered 0;");
	CHECK(umount("pseudo/proc") == 0 && umount("pseudo/sys") == 0 && umount("pseudo/tmp") == 0);
}

int main(void)
{
	jail_enter();
	excludes();
	single_files();
	changing_files();
	unreadable();
	pseudo_file_systems();
	return 0;
}
