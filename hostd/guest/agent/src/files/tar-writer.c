#include "tar-writer.h"

#include "tar-format.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

int tar_writer_open(struct tar_writer *writer, int fd, struct failure *failure)
{
	memset(writer, 0, sizeof *writer);
	return sink_open(&writer->sink, fd, failure);
}

void tar_writer_close(struct tar_writer *writer)
{
	sink_close(&writer->sink);
	bytes_free(&writer->records);
	bytes_free(&writer->map_text);
	sparse_free(&writer->map);
}

static int out_of_memory(struct failure *failure)
{
	return fail(failure, "io", "out of memory");
}

int tar_write_entry(struct tar_writer *writer, const char *path, char type, const struct stat *st, const char *link, struct failure *failure)
{
	const struct tar_member member = {.path = path, .link = link, .type = type, .st = st};
	return tar_write_header(writer, &member, failure);
}

/* Exactly `len` bytes, zeros where the file has none any more. */
static int write_range(struct tar_writer *writer, int fd, uint64_t offset, uint64_t len, const char *path, struct failure *failure)
{
	uint64_t sent;
	if (sink_file(&writer->sink, fd, offset, len, &sent, path, failure) < 0)
		return -1;
	writer->bytes += len;
	return sink_zeros(&writer->sink, len - sent, failure);
}

/* The data parts of a file, ended by an empty one at its size as GNU tar does. Returns 0 when the file has no holes worth the trouble. */
static int find_map(struct tar_writer *writer, int fd, const struct stat *st, struct failure *failure)
{
	const off_t size = st->st_size;
	sparse_clear(&writer->map);
	if ((uint64_t)st->st_blocks * 512 >= (uint64_t)size)
		return 0;
	for (off_t at = 0; at < size;) {
		off_t data = lseek(fd, at, SEEK_DATA);
		if (data < 0 && errno == ENXIO)
			break;
		off_t hole = data < 0 ? -1 : lseek(fd, data, SEEK_HOLE);
		if (hole < 0 || (data == 0 && hole >= size))
			return 0;
		/* The last place in the map takes the rest of the file, and one is kept for the end. */
		if (hole > size || writer->map.count + 2 >= SPARSE_SEGMENTS_MAX)
			hole = size;
		if (data < size && !sparse_add(&writer->map, (uint64_t)data, (uint64_t)(hole - data)))
			return out_of_memory(failure);
		at = hole;
	}
	return sparse_add(&writer->map, (uint64_t)size, 0) ? 1 : out_of_memory(failure);
}

static bool put_line(struct bytes *text, uint64_t number)
{
	char digits[21];
	size_t at = sizeof digits;
	digits[--at] = '\n';
	do {
		digits[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	return bytes_append(text, digits + at, sizeof digits - at);
}

static int write_sparse(struct tar_writer *writer, const char *path, int fd, const struct stat *st, struct failure *failure)
{
	const struct sparse_map *map = &writer->map;
	struct bytes *text = &writer->map_text;
	uint64_t data = 0;
	bytes_truncate(text, 0);
	bool ok = put_line(text, map->count);
	for (size_t i = 0; i < map->count; i++) {
		ok = ok && put_line(text, map->items[i].offset) && put_line(text, map->items[i].len);
		data += map->items[i].len;
	}
	if (!ok)
		return out_of_memory(failure);
	uint64_t padding = tar_padding(text->len);
	const struct tar_member member = {.path = path, .link = "", .type = '0', .st = st, .size = text->len + padding + data, .sparse = true};
	if (tar_write_header(writer, &member, failure) < 0 || sink_put(&writer->sink, text->data, text->len, failure) < 0 ||
	    sink_zeros(&writer->sink, padding, failure) < 0)
		return -1;
	for (size_t i = 0; i < map->count; i++)
		if (write_range(writer, fd, map->items[i].offset, map->items[i].len, path, failure) < 0)
			return -1;
	return sink_zeros(&writer->sink, tar_padding(data), failure);
}

int tar_write_file(struct tar_writer *writer, const char *path, int fd, const struct stat *st, bool sparse, struct failure *failure)
{
	int has_holes = sparse ? find_map(writer, fd, st, failure) : 0;
	if (has_holes < 0)
		return -1;
	if (has_holes)
		return write_sparse(writer, path, fd, st, failure);
	const struct tar_member member = {.path = path, .link = "", .type = '0', .st = st, .size = (uint64_t)st->st_size};
	if (tar_write_header(writer, &member, failure) < 0 || write_range(writer, fd, 0, member.size, path, failure) < 0)
		return -1;
	return sink_zeros(&writer->sink, tar_padding(member.size), failure);
}

int tar_write_end(struct tar_writer *writer, struct failure *failure)
{
	return sink_zeros(&writer->sink, 2 * TAR_BLOCK, failure) < 0 ? -1 : sink_flush(&writer->sink, failure);
}
