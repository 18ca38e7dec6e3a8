/* Archives made to get out of the target, to crash, to fill memory or to lie. Nothing outside the target may change. */
#include "../src/files/late-folders.h"
#include "../src/files/sparse.h"
#include "support/file-jail.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct bytes archive;

static void begin(void)
{
	bytes_truncate(&archive, 0);
	jail_remove("target");
	jail_remove("outside");
	CHECK(mkdir("target", 0755) == 0 && mkdir("outside", 0755) == 0);
	jail_write("outside/canary", "alive", 5);
}

static const struct outcome *extract(void)
{
	struct bytes before = tree_of("outside", true);
	const struct outcome *outcome = WORKER("tar-in", &archive, "path", jail_path("target"));
	struct bytes after = tree_of("outside", true);
	CHECK(before.len == after.len && memcmp(before.data, after.data, after.len) == 0);
	bytes_free(&before);
	bytes_free(&after);
	return outcome;
}

static void refused(const char *error, const char *part_of_message)
{
	const struct outcome *outcome = extract();
	if (strcmp(outcome->error, error) != 0 || !strstr(outcome->message, part_of_message))
		fprintf(stderr, "wanted %s (%s), got '%s' (%s)\n", error, part_of_message, outcome->error, outcome->message);
	CHECK(strcmp(outcome->error, error) == 0 && strstr(outcome->message, part_of_message));
}

static void accepted(void)
{
	put_end(&archive);
	const struct outcome *outcome = extract();
	if (!outcome->ok)
		fprintf(stderr, "%s: %s\n", outcome->error, outcome->message);
	CHECK(outcome->ok);
}

static bool holds(const char *name, const char *content)
{
	char buf[256];
	int fd = open(name, O_RDONLY | O_NOFOLLOW);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, sizeof buf);
	close(fd);
	return n == (ssize_t)strlen(content) && memcmp(buf, content, (size_t)n) == 0;
}

static bool exists(const char *name)
{
	struct stat st;
	return lstat(name, &st) == 0;
}

static void unsafe_names(void)
{
	const char *names[] = {"../outside/canary", "a/../../outside/canary", "..", "a/..", "/etc/passwd", "//x", "./../outside/x"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		begin();
		put_member(&archive, (struct member){.name = "first", .type = '0'}, "1");
		put_member(&archive, (struct member){.name = names[i], .type = '0'}, "evil");
		refused("unsafe-path", "entry 2 '");
		CHECK(holds("target/first", "1"));
		begin();
		put_member(&archive, (struct member){.name = "first", .type = '0'}, "1");
		put_member(&archive, (struct member){.name = "hard", .link = names[i], .type = '1'}, NULL);
		refused("unsafe-path", "entry 2 'hard'");
		begin();
		put_member(&archive, (struct member){.name = names[i], .type = '5'}, NULL);
		refused("unsafe-path", "entry 1");
		begin();
		char record[64];
		snprintf(record, sizeof record, "path=%s", names[i]);
		PAX(&archive, record);
		put_member(&archive, (struct member){.name = "harmless", .type = '0'}, "evil");
		refused("unsafe-path", "entry 1");
	}
}

static void links_out(void)
{
	begin();
	put_member(&archive, (struct member){.name = "out", .link = "../outside", .type = '2'}, NULL);
	put_member(&archive, (struct member){.name = "out/new", .type = '0'}, "evil");
	refused("unsafe-path", "entry 2 'out/new'");
	/* A hard link through a symbolic link, and a hard link to a symbolic link that is then written to. */
	begin();
	put_member(&archive, (struct member){.name = "out", .link = "../outside", .type = '2'}, NULL);
	put_member(&archive, (struct member){.name = "x", .link = "out/canary", .type = '1'}, NULL);
	refused("unsafe-path", "entry 2 'x'");
	begin();
	put_member(&archive, (struct member){.name = "out", .link = "../outside/canary", .type = '2'}, NULL);
	put_member(&archive, (struct member){.name = "x", .link = "out", .type = '1'}, NULL);
	put_member(&archive, (struct member){.name = "x", .type = '0'}, "mine");
	accepted();
	CHECK(holds("target/x", "mine"));
	/* A folder entry over a link does not go through it, nor do its late mode and time. */
	begin();
	put_member(&archive, (struct member){.name = "d", .type = '5', .mode = 0700}, NULL);
	put_member(&archive, (struct member){.name = "d", .link = "../outside", .type = '2'}, NULL);
	accepted();
	begin();
	put_member(&archive, (struct member){.name = "d", .link = "../outside", .type = '2'}, NULL);
	put_member(&archive, (struct member){.name = "d", .type = '5', .mode = 0700}, NULL);
	put_member(&archive, (struct member){.name = "d/inside", .type = '0'}, "in");
	accepted();
	CHECK(holds("target/d/inside", "in"));
	/* A link left there by an earlier run is replaced, not followed; one above is refused. */
	begin();
	CHECK(symlink("../outside/canary", "target/file") == 0 && symlink("../outside", "target/above") == 0);
	put_member(&archive, (struct member){.name = "file", .type = '0'}, "mine");
	accepted();
	CHECK(holds("target/file", "mine"));
	bytes_truncate(&archive, 0);
	put_member(&archive, (struct member){.name = "above/x/y", .type = '0'}, "evil");
	refused("unsafe-path", "symbolic link");
}

/* Re-extracting never writes through a hard link that the workspace made. */
static void existing_hard_link(void)
{
	begin();
	CHECK(link("outside/canary", "target/file") == 0);
	put_member(&archive, (struct member){.name = "file", .type = '0'}, "mine");
	accepted();
	CHECK(holds("target/file", "mine") && holds("outside/canary", "alive"));
}

static void kinds_in_the_way(void)
{
	begin();
	put_member(&archive, (struct member){.name = "d/f", .type = '0'}, "1");
	put_member(&archive, (struct member){.name = "d", .type = '0'}, "2");
	refused("is-a-directory", "entry 2 'd'");
	begin();
	put_member(&archive, (struct member){.name = "f", .type = '0'}, "1");
	put_member(&archive, (struct member){.name = "f/x", .type = '0'}, "2");
	refused("not-a-directory", "entry 2 'f/x'");
	begin();
	put_member(&archive, (struct member){.name = "hard", .link = "missing", .type = '1'}, NULL);
	refused("not-found", "entry 1 'hard'");
	begin();
	put_member(&archive, (struct member){.name = "keep", .type = '0'}, "1");
	put_member(&archive, (struct member){.name = "keep", .link = "missing", .type = '1'}, NULL);
	refused("not-found", "entry 2 'keep'");
	CHECK(holds("target/keep", "1"));
	/* An empty folder that held the cached parent is replaced; the name is then a file. */
	begin();
	put_member(&archive, (struct member){.name = "d/e", .type = '5'}, NULL);
	put_member(&archive, (struct member){.name = "d/e", .type = '0'}, "file");
	put_member(&archive, (struct member){.name = "h", .link = "d/e", .type = '1'}, NULL);
	put_member(&archive, (struct member){.name = "h", .link = "h", .type = '1'}, NULL);
	accepted();
	CHECK(holds("target/h", "file"));
}

static void odd_but_fine(void)
{
	begin();
	put_member(&archive, (struct member){.name = "./", .type = '5', .mode = 0500}, NULL);
	put_member(&archive, (struct member){.name = "./a//b/./c", .type = '0'}, "1");
	put_member(&archive, (struct member){.name = "old-folder/", .type = 0, .magic = "\0\0\0\0\0\0\0"}, NULL);
	put_member(&archive, (struct member){.name = "v7", .type = 0, .magic = "\0\0\0\0\0\0\0"}, "2");
	put_member(&archive, (struct member){.name = "seven", .type = '7'}, "3");
	put_member(&archive, (struct member){.name = "unknown", .type = 'Z'}, "4");
	put_member(&archive, (struct member){.name = "name", .prefix = "pre/fix", .type = '0'}, "5");
	put_member(&archive, (struct member){.name = "gnu", .prefix = "no prefix", .type = '0', .magic = "ustar  "}, "6");
	put_member(&archive, (struct member){.name = "dumped", .type = 'D'}, "Yname");
	put_member(&archive, (struct member){.name = "blanks", .type = '0', .size_field = "         1 "}, NULL);
	put_data(&archive, "7", 1);
	put_member(&archive, (struct member){.name = "base", .type = '0', .size_field = "\x80\0\0\0\0\0\0\0\0\0\0\x01"}, NULL);
	put_data(&archive, "8", 1);
	/* A size on what has no data. */
	put_header(&archive, (struct member){.name = "sized-folder", .type = '5', .size = 4096});
	put_header(&archive, (struct member){.name = "sized-link", .link = "v7", .type = '1', .size = 1});
	put_header(&archive, (struct member){.name = "sized-symlink", .link = "v7", .type = '2', .size = 2});
	put_member(&archive, (struct member){.name = "chr", .type = '3'}, NULL);
	put_member(&archive, (struct member){.name = "blk", .type = '4'}, NULL);
	put_member(&archive, (struct member){.name = "../fifo", .type = '6'}, NULL);
	put_end(&archive);
	/* What follows the end, padding or not, is taken from the sender. */
	CHECK(bytes_reserve(&archive, 1 << 20));
	memset(archive.data + archive.len, 'r', 1 << 20);
	bytes_truncate(&archive, archive.len + (1 << 20));
	const struct outcome *outcome = extract();
	struct stat st;
	CHECK(outcome->took_all_input);
	CHECK(outcome->ok && strcmp(result_of(outcome, "skipped"), "3") == 0 && strcmp(result_of(outcome, "entries"), "14") == 0);
	CHECK(holds("target/a/b/c", "1") && holds("target/v7", "2") && holds("target/seven", "3") && holds("target/unknown", "4"));
	CHECK(holds("target/pre/fix/name", "5") && holds("target/gnu", "6") && holds("target/blanks", "7") && holds("target/base", "8"));
	CHECK(stat("target/old-folder", &st) == 0 && S_ISDIR(st.st_mode) && stat("target/dumped", &st) == 0 && S_ISDIR(st.st_mode));
	CHECK(!exists("target/chr") && !exists("target/blk") && !exists("target/fifo") && !exists("outside/fifo"));
	/* The folder was there before: its mode is its own. */
	CHECK(stat("target", &st) == 0 && (st.st_mode & 0777) == 0755);
}

static void pax_headers(void)
{
	begin();
	put_pax(&archive, 'g', (const char *const[]){"mtime=1.5", "uid=11", "comment=none", NULL});
	PAX(&archive, "path=renamed", "gid=12", "uname=ignored");
	put_member(&archive, (struct member){.name = "x", .type = '0'}, "1");
	PAX(&archive, "mtime=-1.25", "uid=");
	put_member(&archive, (struct member){.name = "early", .type = '0'}, "2");
	PAX(&archive, "mtime=-1.0000000001");
	put_member(&archive, (struct member){.name = "earlier", .type = '0'}, "2");
	PAX(&archive, "size=3", "SCHILY.xattr.user.with=equals=x");
	put_header(&archive, (struct member){.name = "sized", .type = '0', .size = 0});
	put_data(&archive, "abc", 3);
	PAX(&archive, "linkpath=long target");
	put_member(&archive, (struct member){.name = "link", .link = "short", .type = '2'}, NULL);
	accepted();
	struct stat st;
	char target[64] = "";
	CHECK(stat("target/renamed", &st) == 0 && st.st_uid == 11 && st.st_gid == 12 && st.st_mtim.tv_sec == 1 && st.st_mtim.tv_nsec == 500000000);
	CHECK(stat("target/early", &st) == 0 && st.st_uid == 0 && st.st_gid == 0 && st.st_mtim.tv_sec == -2 && st.st_mtim.tv_nsec == 750000000);
	CHECK(stat("target/earlier", &st) == 0 && st.st_mtim.tv_sec == -2 && st.st_mtim.tv_nsec == 999999999);
	CHECK(holds("target/sized", "abc") && readlink("target/link", target, sizeof target) > 0 && strcmp(target, "long target") == 0);
	const char *bad[] = {"mtime=yesterday", "mtime=1.5x", "mtime=99999999999999999999", "uid=-1", "size=1e3", "size=99999999999999999999",
			     "GNU.sparse.map=1", "GNU.sparse.map=1,2,", "GNU.sparse.map=a,b", "GNU.sparse.numbytes=1"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		begin();
		PAX(&archive, bad[i]);
		put_member(&archive, (struct member){.name = "x", .type = '0'}, "1");
		refused("invalid", "pax header");
	}
	begin();
	put_header(&archive, (struct member){.name = "pax", .type = 'x', .size = 12});
	put_data(&archive, "12 path=a\0b\n", 12);
	refused("invalid", "holds a NUL");
	const char *raw[] = {"99 path=x\n", "999999999 path=x\n", "0 path=x\n", "9 path=x\n0 a=b\n", "path=x\n", "8 path=x\n", "11 path=x\n", "10 path=xx", "11 =athxxx\n", "18446744073709551616 p=x\n", "-5 p=\n", " "};
	for (size_t i = 0; i < sizeof raw / sizeof *raw; i++) {
		begin();
		put_member(&archive, (struct member){.name = "pax", .type = 'x'}, raw[i]);
		put_member(&archive, (struct member){.name = "x", .type = '0'}, "1");
		refused("invalid", "malformed pax header");
	}
}

static void numbers(void)
{
	static const struct {
		const char *field;
		bool ok;
		int64_t number;
	} cases[] = {
		{"0000000017\0", true, 15},
		{"  17 \0\0\0\0\0", true, 15},
		{"\0\0\0\0\0\0\0\0\0\0\0", true, 0},
		{"777777777777", true, 0777777777777},
		{"17x00000000", false, 0},
		{"18000000000", false, 0},
		{"\x80\0\0\0\0\0\0\0\0\0\x01\x02", true, 258},
		{"\x80\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xff", true, INT64_MAX},
		{"\x80\0\0\0\x80\0\0\0\0\0\0\0", false, 0},
		{"\x80\0\0\x01\0\0\0\0\0\0\0\x01", false, 0},
		{"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xfe", true, -2},
		{"\xff\xff\xff\xff\x80\0\0\0\0\0\0\0", true, INT64_MIN},
		{"\xff\xff\xff\xff\x7f\xff\xff\xff\xff\xff\xff\xff", false, 0},
	};
	int64_t number;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		CHECK(tar_number(cases[i].field, 12, &number) == cases[i].ok);
		CHECK(!cases[i].ok || number == cases[i].number);
	}
	CHECK(tar_number("7777777777777777777777", 21, &number) && number == INT64_MAX);
	CHECK(!tar_number("7777777777777777777777", 22, &number));
}

static void broken(void)
{
	begin();
	refused("invalid", "cut off");
	begin();
	put_member(&archive, (struct member){.name = "f", .type = '0'}, "content");
	refused("invalid", "entry 2");
	put_end(&archive);
	size_t whole = archive.len;
	for (size_t cut = 1; cut < whole - TAR_BLOCK; cut += 97) {
		begin();
		put_member(&archive, (struct member){.name = "f", .type = '0'}, "content");
		bytes_truncate(&archive, cut < archive.len ? cut : archive.len);
		refused("invalid", "cut off");
		CHECK(cut > TAR_BLOCK + 7 || !exists("target/f"));
	}
	begin();
	put_member(&archive, (struct member){.name = "f", .type = '0'}, "1");
	archive.data[3] ^= 1;
	refused("invalid", "checksum");
	begin();
	CHECK(bytes_append(&archive, "PK\3\4 this is no tar archive at all", 34) && bytes_reserve(&archive, 4096));
	memset(archive.data + archive.len, 'z', 4000);
	bytes_truncate(&archive, archive.len + 4000);
	refused("invalid", "not a tar header");
	const char *sizes[] = {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "\x80\0\0\0\x80\0\0\0\0\0\0\0", "\x80\0\0\x01\0\0\0\0\0\0\0\0", "12345678abcd",
			       "-00000000001", "\xbf\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"};
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		for (const char *type = "0SxgLK5"; *type; type++) {
			begin();
			put_member(&archive, (struct member){.name = "f", .type = *type, .size_field = sizes[i]}, NULL);
			refused("invalid", "");
		}
	begin();
	put_member(&archive, (struct member){.name = "f", .type = '0', .size_field = sizes[0]}, NULL);
	refused("invalid", "negative size");
	begin();
	put_member(&archive, (struct member){.name = "", .type = '0'}, "1");
	refused("invalid", "empty name");
	begin();
	put_member(&archive, (struct member){.name = "l", .link = "", .type = '2'}, NULL);
	refused("invalid", "entry 1 'l'");
	begin();
	put_member(&archive, (struct member){.name = "f", .type = 'M'}, "1");
	refused("invalid", "type 'M'");
}

/* Sizes that would take the machine's memory or disk if they were believed. */
static void greedy(void)
{
	const char types[] = "xgLK";
	for (size_t i = 0; i < 4; i++) {
		begin();
		put_header(&archive, (struct member){.name = "f", .type = types[i], .size = 07777777777});
		refused("invalid", "too big");
	}
	/* 8 EiB of hole, a map that overlaps, some beyond the end, some whose sum is wrong, one number too big. */
	const char *maps[] = {"5,5,3,5", "0,9223372036854775807,9223372036854775807,9223372036854775807", "100,1", "1,9223372036854775807", "45,10", "0,5", "0,5,10,6", "9223372036854775808,1"};
	for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
		char record[128];
		begin();
		snprintf(record, sizeof record, "GNU.sparse.map=%s", maps[i]);
		PAX(&archive, "GNU.sparse.size=50", record);
		put_member(&archive, (struct member){.name = "f", .type = '0'}, "0123456789");
		refused("invalid", i == sizeof maps / sizeof *maps - 1 ? "pax header" : "map is malformed");
	}
	struct sparse_map map = {0};
	for (unsigned i = 0; i < SPARSE_SEGMENTS_MAX; i++)
		CHECK(sparse_add(&map, i, 1));
	CHECK(!sparse_add(&map, SPARSE_SEGMENTS_MAX, 1));
	sparse_free(&map);
	begin();
	PAX(&archive, "GNU.sparse.size=50", "GNU.sparse.offset=0");
	put_member(&archive, (struct member){.name = "f", .type = '0'}, NULL);
	refused("invalid", "map is malformed");
	begin();
	PAX(&archive, "GNU.sparse.size=9223372036854775807", "GNU.sparse.map=0,1");
	put_member(&archive, (struct member){.name = "f", .type = '0'}, "1");
	refused("invalid", "entry 1 'f'");
	CHECK(!exists("target/f"));
	const char *lines[] = {"99999999999\n0\n1\n", "-1\n", "1\n0\n1", "1\n0\n2\n", "1\n\n\n", "123456789012345678901234567890\n", "x\n"};
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		begin();
		PAX(&archive, "GNU.sparse.major=1", "GNU.sparse.minor=0", "GNU.sparse.name=f", "GNU.sparse.realsize=50");
		put_header(&archive, (struct member){.name = "stand-in", .type = '0', .size = 513});
		put_data(&archive, lines[i], strlen(lines[i]));
		put_data(&archive, "d", 1);
		refused("invalid", "entry 1");
	}
}

/* Folders named again and again, in any order: the last word counts. */
static void repeated_folders(void)
{
	struct stat st;
	begin();
	for (unsigned i = 0; i < 3000; i++) {
		char name[16];
		snprintf(name, sizeof name, "%u/", i % 1000);
		put_member(&archive, (struct member){.name = name, .type = '5', .mode = i < 2000 ? 0700 : 0711}, NULL);
	}
	accepted();
	CHECK(stat("target/999", &st) == 0 && (st.st_mode & 0777) == 0711 && st.st_mtim.tv_sec == 1000000000);
}

/* Millions of them don't pile up in memory. */
static void endless_folders(void)
{
	struct failure failure = {0};
	struct stat st;
	begin();
	CHECK(mkdir("target/a", 0755) == 0 && mkdir("target/b", 0755) == 0);
	struct late_folders late = {.root = open("target", O_RDONLY | O_DIRECTORY)};
	for (unsigned i = 0; i < 2000000; i++)
		CHECK(late_folders_add(&late, i % 2 ? "b" : "a", i < 1900000 ? 0700 : 0711, (struct timespec){.tv_sec = i}, &failure) == 0);
	CHECK(late.count < 1500000 && late_folders_apply(&late, &failure) == 0);
	CHECK(stat("target/b", &st) == 0 && (st.st_mode & 0777) == 0711 && st.st_mtim.tv_sec == 1999999);
	close(late.root);
	late_folders_free(&late);
}

int main(void)
{
	jail_enter();
	unsafe_names();
	links_out();
	existing_hard_link();
	kinds_in_the_way();
	odd_but_fine();
	pax_headers();
	numbers();
	broken();
	greedy();
	repeated_folders();
	endless_folders();
	bytes_free(&archive);
	return 0;
}
