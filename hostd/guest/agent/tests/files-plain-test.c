/* read-file, write-file, list and stat: what they carry, what they refuse, and that nothing hangs or is left behind. */
#include "../src/worker.h"
#include "support/file-jail.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

static void refused(const struct outcome *outcome, const char *error)
{
	if (strcmp(outcome->error, error) != 0)
		fprintf(stderr, "wanted %s, got '%s' (%s)\n", error, outcome->error, outcome->message);
	CHECK(strcmp(outcome->error, error) == 0 && outcome->message[0] != 0);
}

static bool has(const struct outcome *outcome, const char *key, const char *value)
{
	if (strcmp(result_of(outcome, key), value) != 0)
		fprintf(stderr, "%s is '%s', not '%s' (%s)\n", key, result_of(outcome, key), value, outcome->message);
	return strcmp(result_of(outcome, key), value) == 0;
}

static bool holds(const char *name, const char *content)
{
	char buf[256];
	int fd = open(name, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, sizeof buf);
	close(fd);
	return n == (ssize_t)strlen(content) && memcmp(buf, content, (size_t)n) == 0;
}

static size_t names_in(const char *folder)
{
	size_t count = 0;
	DIR *dir = opendir(folder);
	CHECK(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count - 2;
}

static struct bytes text(const char *content)
{
	struct bytes bytes = {0};
	CHECK(bytes_set(&bytes, content, strlen(content)));
	return bytes;
}

static void special_files(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "socket"};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	CHECK(fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0 && mkfifo("fifo", 0666) == 0);
	CHECK(mknod("device", S_IFCHR | 0666, makedev(1, 5)) == 0);
	close(fd);
}

static void read_file(void)
{
	static char big[3000000];
	for (size_t i = 0; i < sizeof big; i++)
		big[i] = (char)(i * 2654435761u >> 11);
	jail_write("big", big, sizeof big);
	jail_write("nothing", "", 0);
	CHECK(chmod("big", 04751) == 0 && symlink("big", "link") == 0 && symlink("loop", "loop") == 0);
	CHECK(utimensat(AT_FDCWD, "big", (struct timespec[2]){{0}, {.tv_sec = -2, .tv_nsec = 5}}, 0) == 0);
	const struct outcome *outcome = WORKER("read-file", NULL, "path", jail_path("link"));
	CHECK(outcome->ok && outcome->output.len == sizeof big && memcmp(outcome->output.data, big, sizeof big) == 0);
	CHECK(has(outcome, "size", "3000000") && has(outcome, "mode", "4751") && has(outcome, "mtime-ns", "-1999999995"));
	outcome = WORKER("read-file", NULL, "path", jail_path("nothing"));
	CHECK(outcome->ok && outcome->output.len == 0 && has(outcome, "size", "0"));
	/* A file of size 0 that has content. */
	outcome = WORKER("read-file", NULL, "path", "/proc/self/status");
	CHECK(outcome->ok && outcome->output.len > 100 && strncmp(outcome->output.data, "Name:", 5) == 0);
	refused(WORKER("read-file", NULL, "path", jail_path("fifo")), "not-a-file");
	refused(WORKER("read-file", NULL, "path", jail_path("socket")), "not-a-file");
	refused(WORKER("read-file", NULL, "path", jail_path("device")), "not-a-file");
	refused(WORKER("read-file", NULL, "path", jail_path("")), "is-a-directory");
	refused(WORKER("read-file", NULL, "path", jail_path("missing")), "not-found");
	refused(WORKER("read-file", NULL, "path", jail_path("big/x")), "not-a-directory");
	refused(WORKER("read-file", NULL, "path", jail_path("loop")), "invalid");
	refused(WORKER("read-file", NULL, "path", "big"), "invalid");
	refused(WORKER("read-file", NULL, "path", ""), "invalid");
	refused(WORKER("read-file", NULL, "user", "root"), "invalid");
}

static void as_user(void)
{
	jail_write("private", "secret", 6);
	CHECK(chmod("private", 0600) == 0 && chmod(".", 0755) == 0);
	refused(WORKER("read-file", NULL, "path", jail_path("private"), "user", "65534:65534"), "permission");
	refused(WORKER("read-file", NULL, "path", jail_path("private"), "user", "nobody"), "permission");
	refused(WORKER("read-file", NULL, "path", jail_path("private"), "user", "no such user"), "not-found");
	CHECK(WORKER("read-file", NULL, "path", jail_path("private"), "user", "root")->ok);
	CHECK(WORKER("read-file", NULL, "path", jail_path("private"), "user", "0")->ok);
	CHECK(chown("private", 4321, 0) == 0);
	CHECK(WORKER("read-file", NULL, "path", jail_path("private"), "user", "4321")->ok);
	CHECK(chown("private", 0, 4322) == 0 && chmod("private", 0640) == 0);
	CHECK(WORKER("read-file", NULL, "path", jail_path("private"), "user", "4321:4322")->ok);
}

static void write_file(void)
{
	struct stat st;
	struct bytes one = text("one"), two = text("two"), big = {0};
	CHECK(bytes_reserve(&big, 2000001));
	memset(big.data, 'b', 2000001);
	bytes_truncate(&big, 2000001);
	CHECK(mkdir("w", 0755) == 0);
	const struct outcome *outcome = WORKER("write-file", &one, "path", jail_path("w/new"));
	CHECK(outcome->ok && has(outcome, "size", "3") && holds("w/new", "one"));
	CHECK(stat("w/new", &st) == 0 && (st.st_mode & 07777) == 0644 && st.st_uid == 0);
	CHECK(WORKER("write-file", &one, "path", jail_path("w/made"), "mode", "4755", "owner", "10:20")->ok);
	CHECK(stat("w/made", &st) == 0 && (st.st_mode & 07777) == 04755 && st.st_uid == 10 && st.st_gid == 20);
	/* Replaced as a whole: who has it open or linked keeps the old one; mode and owner stay. */
	CHECK(link("w/made", "w/old") == 0);
	CHECK(WORKER("write-file", &two, "path", jail_path("w/made"))->ok && holds("w/made", "two") && holds("w/old", "one"));
	CHECK(stat("w/made", &st) == 0 && (st.st_mode & 07777) == 04755 && st.st_uid == 10 && st.st_gid == 20);
	CHECK(WORKER("write-file", &big, "path", jail_path("w/big"))->ok && stat("w/big", &st) == 0 && st.st_size == 2000001);
	CHECK(WORKER("write-file", NULL, "path", jail_path("w/empty"))->ok && holds("w/empty", ""));
	/* Links are followed, dangling ones too, and stay. */
	CHECK(mkdir("w/d", 0755) == 0 && symlink("d/target", "w/link") == 0 && symlink(jail_path("w/link"), "w/link2") == 0);
	CHECK(WORKER("write-file", &one, "path", jail_path("w/link2"))->ok && holds("w/d/target", "one"));
	CHECK(WORKER("write-file", &two, "path", jail_path("w/link"))->ok && holds("w/d/target", "two"));
	CHECK(lstat("w/link", &st) == 0 && S_ISLNK(st.st_mode) && lstat("w/link2", &st) == 0 && S_ISLNK(st.st_mode));
	refused(WORKER("write-file", &one, "path", jail_path("w/a/b/c")), "not-found");
	CHECK(WORKER("write-file", &one, "path", jail_path("w/a/b/c"), "parents", "1", "owner", "7:8")->ok && holds("w/a/b/c", "one"));
	CHECK(stat("w/a", &st) == 0 && st.st_uid == 7 && st.st_gid == 8 && stat("w/a/b", &st) == 0 && st.st_uid == 7);
	char name[256];
	memset(name, 'n', 255);
	name[255] = 0;
	struct bytes longest = text("w/");
	CHECK(bytes_append(&longest, name, 255));
	CHECK(WORKER("write-file", &one, "path", jail_path(longest.data))->ok && holds(longest.data, "one"));
	CHECK(bytes_append(&longest, "n", 1));
	refused(WORKER("write-file", &one, "path", jail_path(longest.data)), "invalid");
	size_t before = names_in("w");
	refused(WORKER("write-file", &one, "path", jail_path("w/d")), "is-a-directory");
	refused(WORKER("write-file", &one, "path", jail_path("w/x/")), "is-a-directory");
	refused(WORKER("write-file", &one, "path", jail_path("w/..")), "is-a-directory");
	refused(WORKER("write-file", &one, "path", jail_path("fifo")), "not-a-file");
	refused(WORKER("write-file", &one, "path", jail_path("device")), "not-a-file");
	refused(WORKER("write-file", &one, "path", jail_path("loop")), "invalid");
	refused(WORKER("write-file", &one, "path", jail_path("w/new/x")), "not-a-directory");
	refused(WORKER("write-file", &one, "path", jail_path("w/new/x"), "parents", "1"), "not-a-directory");
	const char *bad[][2] = {{"mode", "888"}, {"mode", "77777"}, {"mode", "100000000000644"}, {"mode", ""}, {"mode", "-1"}, {"owner", "root"}, {"owner", "1"}, {"owner", "1:"},
				{"owner", ":1"}, {"owner", "1:2:3"}, {"owner", "4294967295:0"}};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		refused(WORKER("write-file", &one, "path", jail_path("w/bad"), bad[i][0], bad[i][1]), "invalid");
	refused(WORKER("write-file", &one, "path", "relative"), "invalid");
	CHECK(names_in("w") == before);
	bytes_free(&one);
	bytes_free(&two);
	bytes_free(&big);
	bytes_free(&longest);
}

/* A disk of 64 KiB in a mount namespace of this process. */
static void full_disk(void)
{
	struct bytes big = {0}, archive = {0};
	CHECK(bytes_reserve(&big, 200001));
	memset(big.data, 'b', 200001);
	bytes_truncate(&big, 200000);
	CHECK(unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
	CHECK(mkdir("small", 0755) == 0 && mount("none", "small", "tmpfs", 0, "size=64k") == 0);
	struct bytes one = text("one");
	CHECK(WORKER("write-file", &one, "path", jail_path("small/f"))->ok);
	refused(WORKER("write-file", &big, "path", jail_path("small/f")), "no-space");
	CHECK(holds("small/f", "one") && names_in("small") == 1);
	put_member(&archive, (struct member){.name = "fits", .type = '0'}, "1");
	put_header(&archive, (struct member){.name = "too-big", .type = '0', .size = big.len});
	put_data(&archive, big.data, big.len);
	put_end(&archive);
	const struct outcome *outcome = WORKER("tar-in", &archive, "path", jail_path("small"));
	refused(outcome, "no-space");
	CHECK(strstr(outcome->message, "entry 2 'too-big'") && holds("small/fits", "1") && names_in("small") == 2);
	/* No inode left. */
	CHECK(mount("none", "small", "tmpfs", MS_REMOUNT, "nr_inodes=4") == 0);
	bytes_truncate(&archive, 0);
	for (const char *name = "abcdef"; *name; name++)
		put_member(&archive, (struct member){.name = (char[]){*name, 0}, .type = '0'}, "");
	put_end(&archive);
	refused(WORKER("tar-in", &archive, "path", jail_path("small")), "no-space");
	CHECK(umount("small") == 0 && rmdir("small") == 0);
	bytes_free(&big);
	bytes_free(&archive);
	bytes_free(&one);
}

/* From here on no file system makes files without a name. */
static void forbid_tmpfile(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_TMPFILE & ~O_DIRECTORY, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {.len = sizeof code / sizeof *code, .filter = code};
	CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
	CHECK(open("/tmp", O_TMPFILE | O_WRONLY, 0600) < 0 && errno == EOPNOTSUPP);
}

/* The blocks of a list, as "name type;". */
static const char *listed(const struct outcome *outcome)
{
	static char names[4096];
	size_t at = 0, len = 0;
	uint64_t count = 0;
	names[0] = 0;
	for (; at < outcome->output.len; count++) {
		const unsigned char *p = (const unsigned char *)outcome->output.data + at;
		CHECK(outcome->output.len - at >= 4);
		size_t size = p[0] | (size_t)p[1] << 8 | (size_t)p[2] << 16 | (size_t)p[3] << 24;
		struct fields fields;
		CHECK(size <= outcome->output.len - at - 4 && fields_parse(&fields, p + 4, size, 20) == 0);
		len += (size_t)snprintf(names + len, sizeof names - len, "%s %s%s%s;", fields_string(&fields, "name", "?"), fields_string(&fields, "type", "?"),
					fields_find(&fields, "target") ? "=" : "", fields_string(&fields, "target", ""));
		CHECK(fields_find(&fields, "size") && fields_find(&fields, "mode") && fields_find(&fields, "uid") && fields_find(&fields, "gid") &&
		      fields_find(&fields, "mtime-ns"));
		fields_free(&fields);
		at += 4 + size;
	}
	char text_count[24];
	snprintf(text_count, sizeof text_count, "%llu", (unsigned long long)count);
	CHECK(outcome->ok && has(outcome, "count", text_count));
	return names;
}

static void list_and_stat(void)
{
	CHECK(mkdir("l", 0755) == 0 && chdir("l") == 0 && mkdir("b", 0755) == 0 && mkdir("b/c", 0755) == 0 && mkdir("empty", 0755) == 0);
	special_files();
	jail_write("b/c/deep", "1234", 4);
	jail_write("new\nline", "", 0);
	CHECK(symlink("b", "a") == 0 && symlink("/nowhere at all", "b/dangling") == 0 && chmod("b", 01770) == 0 && chown("b", 5, 6) == 0);
	CHECK(chdir("..") == 0);
	CHECK(strcmp(listed(WORKER("list", NULL, "path", jail_path("l"))), "a l=b;b d;device c;empty d;fifo p;new\nline f;socket s;") == 0);
	CHECK(strcmp(listed(WORKER("list", NULL, "path", jail_path("l/"), "recursive", "1")),
		     "a l=b;b d;b/c d;b/c/deep f;b/dangling l=/nowhere at all;device c;empty d;fifo p;new\nline f;socket s;") == 0);
	CHECK(strcmp(listed(WORKER("list", NULL, "path", jail_path("l/a"))), "c d;dangling l=/nowhere at all;") == 0);
	CHECK(strcmp(listed(WORKER("list", NULL, "path", jail_path("l/empty"))), "") == 0);
	refused(WORKER("list", NULL, "path", jail_path("l/b/c/deep")), "not-a-directory");
	refused(WORKER("list", NULL, "path", jail_path("l/fifo")), "not-a-directory");
	refused(WORKER("list", NULL, "path", jail_path("l/none")), "not-found");
	CHECK(mkdir("l/b/locked", 0700) == 0 && chmod("l/b", 0755) == 0);
	const struct outcome *outcome = WORKER("list", NULL, "path", jail_path("l"), "recursive", "1", "user", "65534:65534");
	refused(outcome, "permission");
	CHECK(strstr(outcome->message, "b/locked"));
	CHECK(utimensat(AT_FDCWD, "l/b", (struct timespec[2]){{0}, {.tv_sec = 1700000000, .tv_nsec = 123456789}}, 0) == 0);
	outcome = WORKER("stat", NULL, "path", jail_path("l/b//"));
	CHECK(outcome->ok && has(outcome, "name", "b") && has(outcome, "type", "d") && has(outcome, "mode", "755") && has(outcome, "uid", "5") &&
	      has(outcome, "gid", "6") && has(outcome, "mtime-ns", "1700000000123456789"));
	outcome = WORKER("stat", NULL, "path", jail_path("l/a"));
	CHECK(outcome->ok && has(outcome, "type", "l") && has(outcome, "target", "b"));
	outcome = WORKER("stat", NULL, "path", jail_path("l/b/c/deep"));
	CHECK(outcome->ok && has(outcome, "type", "f") && has(outcome, "size", "4"));
	CHECK(has(WORKER("stat", NULL, "path", jail_path("l/fifo")), "type", "p") && has(WORKER("stat", NULL, "path", "/"), "name", "/"));
	refused(WORKER("stat", NULL, "path", jail_path("l/none")), "not-found");
	refused(WORKER("stat", NULL, "path", "l/b"), "invalid");
}

/* Deeper than there are descriptors by default. */
static void deep_folders(void)
{
	struct rlimit limit, low;
	CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0 && mkdir("chain", 0755) == 0);
	int at = open("chain", O_PATH | O_DIRECTORY);
	for (unsigned i = 0; i < 300; i++) {
		CHECK(mkdirat(at, "d", 0755) == 0);
		int next = openat(at, "d", O_PATH | O_DIRECTORY);
		close(at);
		CHECK(next >= 0);
		at = next;
	}
	close(at);
	low = (struct rlimit){.rlim_cur = 64, .rlim_max = limit.rlim_max};
	CHECK(setrlimit(RLIMIT_NOFILE, &low) == 0);
	const struct outcome *outcome = WORKER("list", NULL, "path", jail_path("chain"), "recursive", "1");
	CHECK(outcome->ok && has(outcome, "count", "300") && setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

int main(void)
{
	jail_enter();
	CHECK(worker_knows("tar-in") && !worker_knows("exec") && !worker_knows(""));
	refused(WORKER("exec", NULL, "path", "/"), "unknown-kind");
	special_files();
	read_file();
	as_user();
	write_file();
	list_and_stat();
	deep_folders();
	full_disk();
	forbid_tmpfile();
	jail_remove("w");
	write_file();
	full_disk();
	return 0;
}
