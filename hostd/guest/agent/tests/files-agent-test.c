/* File kinds through the real agent: flow control both ways, uploads that are broken off, and failures while the host still sends. */
#include "support/check.h"
#include "support/driver.h"

#include "../src/files/tar-format.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE 16384u
#define FILES 40u
#define FILE_SIZE 100000u

static struct driver driver;

static char *inside(const char *name)
{
	static char path[4][256];
	static unsigned next;
	char *p = path[next++ % 4];
	snprintf(p, 256, "%s/%s", driver.workspace, name);
	return p;
}

static char *parameter(const char *name)
{
	static char text[300];
	snprintf(text, sizeof text, "path=%s", inside(name));
	return text;
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

/* Sends bytes as the agent's ACKs allow; false when END comes first. */
static bool send_all(uint32_t id, const unsigned char *bytes, size_t len, uint64_t *limit)
{
	for (size_t sent = 0; sent < len;) {
		size_t piece = len - sent < PIECE ? len - sent : PIECE;
		if (sent + piece <= *limit) {
			driver_send(&driver, FRAME_DATA, id, sent, bytes + sent, piece);
			sent += piece;
			continue;
		}
		CHECK(driver_next(&driver, DRIVER_WAIT_MS));
		if (driver.frame.type == FRAME_END)
			return false;
		if (driver.frame.type == FRAME_ACK)
			memcpy(limit, driver.payload, sizeof *limit);
	}
	return true;
}

static unsigned char *make_archive(size_t *len)
{
	*len = FILES * (TAR_BLOCK + FILE_SIZE + (size_t)tar_padding(FILE_SIZE)) + 2 * TAR_BLOCK;
	unsigned char *archive = calloc(1, *len), *p = archive;
	CHECK(archive);
	for (unsigned i = 0; i < FILES; i++) {
		struct tar_header *header = (struct tar_header *)p;
		snprintf(header->name, sizeof header->name, "folder/%u", i);
		tar_put_octal(header->mode, 8, 0640);
		tar_put_octal(header->size, 12, FILE_SIZE);
		header->type = '0';
		memcpy(header->magic, "ustar", 6);
		tar_put_checksum(header);
		memset(p + TAR_BLOCK, 'a' + (int)(i % 26), FILE_SIZE);
		p += TAR_BLOCK + FILE_SIZE + tar_padding(FILE_SIZE);
	}
	return archive;
}

static void archive_in_and_out(void)
{
	size_t len;
	uint64_t limit = 65536;
	struct outcome outcome;
	struct stat st;
	unsigned char *archive = make_archive(&len);
	uint32_t id = driver_open(&driver, DRIVER_WINDOW, "kind=tar-in", parameter("in"), NULL);
	CHECK(send_all(id, archive, len, &limit));
	driver_send(&driver, FRAME_EOF, id, len, NULL, 0);
	driver_finish(&driver, id, &outcome);
	CHECK(fields_are(&outcome.end, "ok", "1") && fields_are(&outcome.end, "entries", "40") && fields_are(&outcome.end, "bytes", "4000000"));
	outcome_free(&outcome);
	CHECK(stat(inside("in/folder/39"), &st) == 0 && st.st_size == FILE_SIZE && (st.st_mode & 0777) == 0640 && st.st_mtim.tv_sec == 0);
	driver_run(&driver, &outcome, "kind=tar-out", parameter("in"), NULL);
	CHECK(fields_are(&outcome.end, "ok", "1") && fields_are(&outcome.end, "entries", "41"));
	CHECK(outcome.len[1] > 4000000 && memmem(outcome.bytes[1], outcome.len[1], "zzzzzzzz", 8));
	outcome_free(&outcome);
	free(archive);
}

/* The host goes away in mid upload: the old file stays, and nothing else does. */
static void broken_off(void)
{
	static unsigned char bytes[200000];
	uint64_t limit = 65536;
	struct outcome outcome;
	CHECK(mkdir(inside("w"), 0755) == 0);
	FILE *old = fopen(inside("w/file"), "w");
	CHECK(old && fputs("old", old) >= 0 && fclose(old) == 0);
	uint32_t id = driver_open(&driver, DRIVER_WINDOW, "kind=write-file", parameter("w/file"), NULL);
	CHECK(send_all(id, bytes, sizeof bytes, &limit));
	driver_send(&driver, FRAME_CLOSE, id, 0, NULL, 0);
	/* The next answer comes after the worker was ended. */
	driver_run(&driver, &outcome, "kind=read-file", parameter("w/file"), NULL);
	CHECK(outcome_is(&outcome, 1, "old") && fields_are(&outcome.end, "size", "3"));
	outcome_free(&outcome);
	usleep(100000);
	CHECK(names_in(inside("w")) == 1);
}

/* A refusal at the first entry comes while the host has megabytes to send. */
static void refused_early(void)
{
	size_t len;
	uint64_t limit = 65536;
	struct outcome outcome;
	unsigned char *archive = make_archive(&len);
	struct tar_header *header = (struct tar_header *)archive;
	memcpy(header->name, "../outside", 11);
	tar_put_checksum(header);
	uint32_t id = driver_open(&driver, DRIVER_WINDOW, "kind=tar-in", parameter("refused"), NULL);
	bool sent_all = send_all(id, archive, len, &limit);
	if (!sent_all) {
		struct fields end;
		CHECK(fields_parse(&end, driver.payload, driver.frame.len, 100) == 0 && fields_are(&end, "error", "unsafe-path"));
		CHECK(strstr(fields_string(&end, "message", ""), "entry 1 '../outside'"));
		fields_free(&end);
		driver_send(&driver, FRAME_CLOSE, id, 0, NULL, 0);
	} else {
		driver_finish(&driver, id, &outcome);
		CHECK(fields_are(&outcome.end, "error", "unsafe-path"));
		outcome_free(&outcome);
	}
	CHECK(access(inside("outside"), F_OK) < 0);
	free(archive);
}

static void nothing_hangs(void)
{
	struct outcome outcome;
	CHECK(mkfifo(inside("fifo"), 0644) == 0);
	driver_run(&driver, &outcome, "kind=read-file", parameter("fifo"), NULL);
	CHECK(fields_are(&outcome.end, "error", "not-a-file"));
	outcome_free(&outcome);
	driver_run(&driver, &outcome, "kind=tar-out", parameter("fifo"), NULL);
	CHECK(fields_are(&outcome.end, "error", "not-a-file"));
	outcome_free(&outcome);
}

int main(void)
{
	driver_start(&driver);
	archive_in_and_out();
	broken_off();
	refused_early();
	nothing_hangs();
	driver_stop(&driver);
	return 0;
}
