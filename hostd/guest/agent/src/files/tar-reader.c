#include "tar-reader.h"

#include <string.h>

#define LONG_NAME_MAX (1u << 20)
#define PAX_HEADER_MAX (4u << 20)

void tar_reader_init(struct tar_reader *reader, struct source *source)
{
	memset(reader, 0, sizeof *reader);
	reader->source = source;
}

void tar_reader_free(struct tar_reader *reader)
{
	pax_free(&reader->global);
	pax_free(&reader->local);
	sparse_free(&reader->map);
	bytes_free(&reader->name);
	bytes_free(&reader->link);
	bytes_free(&reader->long_name);
	bytes_free(&reader->long_link);
	bytes_free(&reader->records);
}

static int truncated(struct failure *failure)
{
	return fail(failure, "invalid", "the archive is cut off");
}

int tar_reader_data(struct tar_reader *reader, uint64_t want, const unsigned char **data, size_t *len, struct failure *failure)
{
	uint64_t most = want < reader->data_left ? want : reader->data_left;
	long n = source_want(reader->source, most < SOURCE_CHUNK ? (size_t)most : SOURCE_CHUNK, failure);
	if (n < 0)
		return -1;
	if (n == 0)
		return truncated(failure);
	*data = source_data(reader->source);
	*len = (size_t)n;
	return 0;
}

void tar_reader_consume(struct tar_reader *reader, size_t len)
{
	source_consume(reader->source, len);
	reader->data_left -= len;
}

static int skip_rest(struct tar_reader *reader, struct failure *failure)
{
	/* Where it is cut off, the next header will be missing. */
	int rc = source_skip(reader->source, reader->data_left + reader->padding, failure);
	reader->data_left = reader->padding = 0;
	return rc;
}

void tar_begin_data(struct tar_reader *reader, uint64_t size)
{
	reader->data_left = size;
	reader->padding = tar_padding(size);
}

/* Reads the whole data area of a header that describes the next one. */
static int read_extension(struct tar_reader *reader, uint64_t max, struct bytes *out, struct failure *failure)
{
	if (reader->data_left > max)
		return fail(failure, "invalid", "an extended header is too big");
	if (!bytes_set(out, "", 0) || !bytes_reserve(out, (size_t)reader->data_left))
		return fail(failure, "io", "out of memory");
	while (reader->data_left > 0) {
		const unsigned char *data = NULL;
		size_t len = 0;
		if (tar_reader_data(reader, reader->data_left, &data, &len, failure) < 0)
			return -1;
		bytes_append(out, data, len);
		tar_reader_consume(reader, len);
	}
	return skip_rest(reader, failure);
}

static int read_long(struct tar_reader *reader, struct bytes *out, bool *given, struct failure *failure)
{
	*given = true;
	return read_extension(reader, LONG_NAME_MAX, out, failure);
}

static int read_pax(struct tar_reader *reader, struct pax *into, struct failure *failure)
{
	if (read_extension(reader, PAX_HEADER_MAX, &reader->records, failure) < 0)
		return -1;
	return pax_read(into, reader->records.data, reader->records.len, failure);
}

static int read_header(struct tar_reader *reader, unsigned char block[TAR_BLOCK], struct failure *failure)
{
	long n = source_want(reader->source, TAR_BLOCK, failure);
	if (n < 0)
		return -1;
	if (n < (long)TAR_BLOCK)
		return truncated(failure);
	memcpy(block, source_data(reader->source), TAR_BLOCK);
	source_consume(reader->source, TAR_BLOCK);
	if (tar_is_zero(block, TAR_BLOCK))
		return 0;
	return tar_checksum_ok(block) ? 1 : fail(failure, "invalid", "not a tar header (its checksum is wrong)");
}

int tar_reader_next(struct tar_reader *reader, struct failure *failure)
{
	_Alignas(8) unsigned char block[TAR_BLOCK];
	const struct tar_header *header = (const struct tar_header *)block;
	if (skip_rest(reader, failure) < 0)
		return -1;
	pax_reset(&reader->local);
	reader->entry.path = "";
	reader->long_name_given = reader->long_link_given = false;
	for (;;) {
		int rc = read_header(reader, block, failure);
		if (rc <= 0)
			return rc;
		int64_t size = 0;
		if (strchr("xXgLK", header->type) && header->type) {
			if (!tar_number(header->size, sizeof header->size, &size) || size < 0)
				return fail(failure, "invalid", "a number in the header is malformed");
			tar_begin_data(reader, (uint64_t)size);
		}
		switch (header->type) {
		case 'x':
		case 'X':
			rc = read_pax(reader, &reader->local, failure);
			break;
		case 'g':
			rc = read_pax(reader, &reader->global, failure);
			break;
		case 'L':
			rc = read_long(reader, &reader->long_name, &reader->long_name_given, failure);
			break;
		case 'K':
			rc = read_long(reader, &reader->long_link, &reader->long_link_given, failure);
			break;
		default:
			if (tar_read_entry(reader, block, failure) < 0)
				return -1;
			reader->count++;
			return 1;
		}
		if (rc < 0)
			return -1;
	}
}
