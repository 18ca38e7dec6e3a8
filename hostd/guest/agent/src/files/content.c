#include "extract.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Runs of zeros from this length on become holes. */
#define HOLE_MIN (64u * 1024)

static int write_at(int fd, const unsigned char *data, size_t len, uint64_t offset, const char *path, struct failure *failure)
{
	while (len > 0) {
		ssize_t n = pwrite(fd, data, len, (off_t)offset);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail_errno(failure, errno, path);
		data += n;
		len -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

/* Length of the hole that may be left at `at`: whole HOLE_MIN blocks of zeros. */
static size_t zeros_at(const unsigned char *data, size_t len, size_t at)
{
	size_t end = at;
	while (len - end >= HOLE_MIN && tar_is_zero(data + end, HOLE_MIN))
		end += HOLE_MIN;
	return end - at;
}

/* Writes one piece of the data, leaving holes; `*written_end` is where the last byte written ended. */
static int write_piece(int fd, const unsigned char *data, size_t len, uint64_t offset, uint64_t *written_end, const char *path, struct failure *failure)
{
	for (size_t at = 0; at < len;) {
		size_t hole = zeros_at(data, len, at), end = at + hole;
		if (hole > 0) {
			at = end;
			continue;
		}
		do
			end = len - end > HOLE_MIN ? end + HOLE_MIN : len;
		while (end < len && zeros_at(data, len, end) == 0);
		if (write_at(fd, data + at, end - at, offset + at, path, failure) < 0)
			return -1;
		*written_end = offset + end;
		at = end;
	}
	return 0;
}

static int write_range(int fd, struct tar_reader *reader, uint64_t offset, uint64_t len, uint64_t *written_end, const char *path, struct failure *failure)
{
	while (len > 0) {
		const unsigned char *data;
		size_t piece;
		if (tar_reader_data(reader, len, &data, &piece, failure) < 0 ||
		    write_piece(fd, data, piece, offset, written_end, path, failure) < 0)
			return -1;
		tar_reader_consume(reader, piece);
		offset += piece;
		len -= piece;
	}
	return 0;
}

int extract_content(int fd, struct tar_reader *reader, const char *path, struct failure *failure)
{
	const struct tar_entry *entry = &reader->entry;
	uint64_t written_end = 0;
	int rc = 0;
	if (!entry->map)
		rc = write_range(fd, reader, 0, entry->size, &written_end, path, failure);
	for (size_t i = 0; entry->map && rc == 0 && i < entry->map->count; i++) {
		const struct segment *segment = &entry->map->items[i];
		rc = write_range(fd, reader, segment->offset, segment->len, &written_end, path, failure);
	}
	if (rc == 0 && written_end < entry->size && ftruncate(fd, (off_t)entry->size) < 0)
		rc = fail_errno(failure, errno, path);
	return rc;
}
