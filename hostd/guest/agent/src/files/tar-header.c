/* An entry's header, and the pax header before it when ustar can't hold everything. */
#include "tar-writer.h"

#include "pax.h"
#include "tar-format.h"

#include <string.h>

#define ID_MAX_OCTAL 07777777u
#define SIZE_MAX_OCTAL 077777777777u

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

static void fill_numbers(struct tar_header *header, const struct tar_member *member)
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
static bool collect_records(struct tar_writer *writer, struct tar_header *header, const struct tar_member *member)
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
	/* A time before 1970 is a big number here. */
	if (st->st_mtim.tv_nsec != 0 || (uint64_t)st->st_mtim.tv_sec > SIZE_MAX_OCTAL)
		ok = ok && pax_put_time(records, "mtime", st->st_mtim);
	if (st->st_uid > ID_MAX_OCTAL)
		ok = ok && pax_put_number(records, "uid", st->st_uid);
	if (st->st_gid > ID_MAX_OCTAL)
		ok = ok && pax_put_number(records, "gid", st->st_gid);
	if (member->size > SIZE_MAX_OCTAL)
		ok = ok && pax_put_number(records, "size", member->size);
	return ok;
}

static int write_records(struct tar_writer *writer, const struct tar_member *member, struct failure *failure)
{
	struct tar_header header = {0};
	struct stat plain = {.st_mode = 0644, .st_mtim.tv_sec = member->st->st_mtim.tv_sec};
	struct tar_member extension = {.path = "", .link = "", .type = 'x', .st = &plain, .size = writer->records.len};
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

int tar_write_header(struct tar_writer *writer, const struct tar_member *member, struct failure *failure)
{
	struct tar_header header = {0};
	bytes_truncate(&writer->records, 0);
	if (!collect_records(writer, &header, member))
		return fail(failure, "io", "out of memory");
	if (writer->records.len > 0 && write_records(writer, member, failure) < 0)
		return -1;
	fill_numbers(&header, member);
	writer->entries++;
	return sink_put(&writer->sink, &header, sizeof header, failure);
}
