/* Unit tests of src/text.c: small files read, put in place whole, or overwritten where that is safe. */
#include "../src/text.h"
#include "support/check.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/offshoot-text-test-XXXXXX";
static char name[128];

static const char *path(const char *leaf)
{
	snprintf(name, sizeof name, "%s/%s", folder, leaf);
	return name;
}

static bool holds(const char *leaf, const char *text, unsigned mode)
{
	struct stat info;
	char got[256];
	return lstat(path(leaf), &info) == 0 && S_ISREG(info.st_mode) && (info.st_mode & 07777) == mode &&
		text_read(path(leaf), got, sizeof got) == (long)strlen(text) && strcmp(got, text) == 0;
}

static ino_t inode(const char *leaf)
{
	struct stat info;
	CHECK(lstat(path(leaf), &info) == 0);
	return info.st_ino;
}

static void replacing(void)
{
	CHECK(text_replace(path("a"), "one\n", 0644) == 0 && holds("a", "one\n", 0644));
	ino_t before = inode("a");
	CHECK(text_replace(path("a"), "two\n", 0400) == 0 && holds("a", "two\n", 0400) && inode("a") != before);
	CHECK(access(path("a.offshoot"), F_OK) < 0);
	CHECK(text_replace(path("no/such"), "x", 0644) < 0 && errno == ENOENT);
	CHECK(mkdir(path("folder"), 0755) == 0 && text_replace(path("folder"), "x", 0644) < 0 && access(path("folder.offshoot"), F_OK) < 0);
}

static void putting(void)
{
	CHECK(text_put(path("b"), "a longer text\n", 0644) == 0 && holds("b", "a longer text\n", 0644));
	ino_t before = inode("b");
	CHECK(text_put(path("b"), "short\n", 0644) == 0 && holds("b", "short\n", 0644) && inode("b") == before);
	CHECK(text_put(path("b"), "another mode\n", 0444) == 0 && holds("b", "another mode\n", 0444) && inode("b") != before);

	/* What it does not own is not written through: a link, symbolic or hard, gives way to a file. */
	CHECK(symlink("b", path("link")) == 0 && text_put(path("link"), "mine\n", 0644) == 0);
	CHECK(holds("link", "mine\n", 0644) && holds("b", "another mode\n", 0444));
	CHECK(symlink("nowhere", path("dangling")) == 0 && text_put(path("dangling"), "mine\n", 0644) == 0 && holds("dangling", "mine\n", 0644));
	char other[128];
	snprintf(other, sizeof other, "%s/hard", folder);
	CHECK(link(path("link"), other) == 0 && text_put(other, "theirs\n", 0644) == 0);
	CHECK(holds("link", "mine\n", 0644) && holds("hard", "theirs\n", 0644));
	CHECK(mkfifo(path("fifo"), 0644) == 0 && text_put(path("fifo"), "file\n", 0644) == 0 && holds("fifo", "file\n", 0644));
}

static void reading(void)
{
	char small[4];
	CHECK(text_put(path("c"), "0123456789", 0644) == 0);
	CHECK(text_read(path("c"), small, sizeof small) == 3 && strcmp(small, "012") == 0);
	CHECK(text_read(path("missing"), small, sizeof small) < 0 && errno == ENOENT);
	char *all = text_read_all(path("c"), 10);
	CHECK(all && strcmp(all, "0123456789") == 0);
	free(all);
	CHECK(!text_read_all(path("c"), 9) && errno == EFBIG);
	CHECK(!text_read_all(path("missing"), 9) && errno == ENOENT);
	CHECK(!text_read_all(folder, 9) && errno == EISDIR);
	char big[10001];
	memset(big, 'b', 10000);
	big[10000] = 0;
	CHECK(text_put(path("d"), big, 0644) == 0);
	all = text_read_all(path("d"), 1 << 20);
	CHECK(all && strcmp(all, big) == 0);
	free(all);
	CHECK(text_poke(path("c"), "abc") == 0 && holds("c", "abc3456789", 0644));
	CHECK(text_poke(path("missing"), "abc") < 0 && errno == ENOENT);
}

int main(void)
{
	char command[128];
	umask(022);
	CHECK(mkdtemp(folder));
	replacing();
	putting();
	reading();
	snprintf(command, sizeof command, "rm -rf %s", folder);
	CHECK(system(command) == 0);
	return 0;
}
