#include "tar-writer.h"

#include "pax.h"
#include "tar-format.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define ID_MAX_OCTAL 07777777u
#define SIZE_MAX_OCTAL 077777777777u

struct member {
	const char *path, *link;
	char type;
	const struct stat *st;
	uint64_t size; /* of the data in the archive */
	bool sparse;
};

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

static bool is_ascii(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text & 0x80)
			return false;
	return true;
}

/* Splits a path over the header's prefix and name fields. False when it doesn't fit. */
static bool put_path(struct tar_header *header, const char *path)
{
	size_t len = strlen(path);
	if (len <= sizeof header->name) {
		memcpy(header->name, path, len);
		return true;
	}
	if (len > sizeof header->prefix + 1 + sizeof header->name)
		return false;
	/* Not at the very end: the name after the slash must not be empty. */
	for (const char *slash = path + len - sizeof header->name - 1; (slash = strchr(slash, '/')) && slash[1]; slash++) {
		size_t prefix = (size_t)(slash - path);
		if (prefix > sizeof header->prefix)
			return false;
		if (prefix == 0)
			continue;
		memcpy(header->prefix, path, prefix);
		memcpy(header->name, slash + 1, len - prefix - 1);
		return true;
	}
	return false;
}

/* What stands in the header when a record says the real path: its last bytes. */
static void put_path_stand_in(struct tar_header *header, const char *path)
{
	size_t len = strlen(path), take = len < sizeof header->name ? len : sizeof header->name;
	const char *tail = path + len - take;
	while (*tail == '/')
		tail++;
	memcpy(header->name, tail, strlen(tail));
}

static void fill_numbers(struct tar_header *header, const struct member *member)
{
	const struct stat *st = member->st;
	uint64_t mtime = st->st_mtim.tv_sec < 0 ? 0 : (uint64_t)st->st_mtim.tv_sec;
	tar_put_octal(header->mode, sizeof header->mode, st->st_mode & 07777);
	tar_put_octal(header->uid, sizeof header->uid, st->st_uid);
	tar_put_octal(header->gid, sizeof header->gid, st->st_gid);
	tar_put_octal(header->size, sizeof header->size, member->size);
	tar_put_octal(header->mtime, sizeof header->mtime, mtime);
	header->type = member->type;
	memcpy(header->magic, "ustar", 6);
	memcpy(header->version, "00", 2);
	tar_put_octal(header->device_major, sizeof header->device_major, 0);
	tar_put_octal(header->device_minor, sizeof header->device_minor, 0);
	tar_put_checksum(header);
}

/* Fills the header's texts and collects a record for everything that doesn't fit. */
static bool collect_records(struct tar_writer *writer, struct tar_header *header, const struct member *member)
{
	struct bytes *records = &writer->records;
	const struct stat *st = member->st;
	size_t link_len = strlen(member->link);
	bool ok = true;
	if (member->sparse)
		ok = pax_put_number(records, "GNU.sparse.major", 1) && pax_put_number(records, "GNU.sparse.minor", 0) &&
		     pax_put(records, "GNU.sparse.name", member->path, strlen(member->path)) &&
		     pax_put_number(records, "GNU.sparse.realsize", (uint64_t)st->st_size);
	bool fits = is_ascii(member->path) && put_path(header, member->path);
	if (!fits)
		put_path_stand_in(header, member->path);
	if (!fits && !member->sparse)
		ok = ok && pax_put(records, "path", member->path, strlen(member->path));
	memcpy(header->link, member->link, link_len < sizeof header->link ? link_len : sizeof header->link);
	if (link_len > sizeof header->link || !is_ascii(member->link))
		ok = ok && pax_put(records, "linkpath", member->link, link_len);
	if (st->st_mtim.tv_nsec != 0 || st->st_mtim.tv_sec < 0 || (uint64_t)st->st_mtim.tv_sec > SIZE_MAX_OCTAL)
		ok = ok && pax_put_time(records, "mtime", st->st_mtim);
	if (st->st_uid > ID_MAX_OCTAL)
		ok = ok && pax_put_number(records, "uid", st->st_uid);
	if (st->st_gid > ID_MAX_OCTAL)
		ok = ok && pax_put_number(records, "gid", st->st_gid);
	if (member->size > SIZE_MAX_OCTAL)
		ok = ok && pax_put_number(records, "size", member->size);
	return ok;
}

static int write_records(struct tar_writer *writer, const struct member *member, struct failure *failure)
{
	struct tar_header header = {0};
	struct stat plain = {.st_mode = 0644, .st_mtim.tv_sec = member->st->st_mtim.tv_sec};
	struct member extension = {.path = "", .link = "", .type = 'x', .st = &plain, .size = writer->records.len};
	static const char folder[] = "PaxHeaders/";
	size_t len = strlen(member->path), room = sizeof header.name - (sizeof folder - 1), take = len < room ? len : room;
	memcpy(header.name, folder, sizeof folder - 1);
	memcpy(header.name + sizeof folder - 1, member->path + len - take, take);
	fill_numbers(&header, &extension);
	return sink_put(&writer->sink, &header, sizeof header, failure) < 0 ||
		       sink_put(&writer->sink, writer->records.data, writer->records.len, failure) < 0
		       ? -1
		       : sink_zeros(&writer->sink, tar_padding(writer->records.len), failure);
}

static int write_header(struct tar_writer *writer, const struct member *member, struct failure *failure)
{
	struct tar_header header = {0};
	bytes_truncate(&writer->records, 0);
	if (!collect_records(writer, &header, member))
		return out_of_memory(failure);
	if (writer->records.len > 0 && write_records(writer, member, failure) < 0)
		return -1;
	fill_numbers(&header, member);
	writer->entries++;
	return sink_put(&writer->sink, &header, sizeof header, failure);
}

int tar_write_entry(struct tar_writer *writer, const char *path, char type, const struct stat *st, const char *link, struct failure *failure)
{
	const struct member member = {.path = path, .link = link, .type = type, .st = st};
	return write_header(writer, &member, failure);
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
	const struct member member = {.path = path, .link = "", .type = '0', .st = st, .size = text->len + padding + data, .sparse = true};
	if (write_header(writer, &member, failure) < 0 || sink_put(&writer->sink, text->data, text->len, failure) < 0 ||
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
	const struct member member = {.path = path, .link = "", .type = '0', .st = st, .size = (uint64_t)st->st_size};
	if (write_header(writer, &member, failure) < 0 || write_range(writer, fd, 0, member.size, path, failure) < 0)
		return -1;
	return sink_zeros(&writer->sink, tar_padding(member.size), failure);
}

int tar_write_end(struct tar_writer *writer, struct failure *failure)
{
	return sink_zeros(&writer->sink, 2 * TAR_BLOCK, failure) < 0 ? -1 : sink_flush(&writer->sink, failure);
}
