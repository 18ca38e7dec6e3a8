/* The sparse formats of GNU tar ("Storing Sparse Files" in its manual): type S headers, and pax 0.0, 0.1 and 1.0. */
#include "tar-reader.h"

#include <string.h>

static int malformed(struct failure *failure)
{
	return fail(failure, "invalid", "a sparse file's map is malformed");
}

static int use_map(struct tar_reader *reader, const struct sparse_map *map, int64_t real_size, struct failure *failure)
{
	if (real_size < 0 || !sparse_valid(map, (uint64_t)real_size, reader->data_left))
		return malformed(failure);
	reader->entry.map = map;
	reader->entry.size = (uint64_t)real_size;
	return 0;
}

/* Reads `count` pairs of 12-byte numbers; an empty pair ends the list. */
static bool add_pairs(struct sparse_map *map, const unsigned char *pairs, size_t count)
{
	for (size_t i = 0; i < count; i++, pairs += 24) {
		int64_t offset, len;
		if (pairs[0] == 0 && pairs[12] == 0)
			return true;
		if (!tar_number((const char *)pairs, 12, &offset) || !tar_number((const char *)pairs + 12, 12, &len) || offset < 0 || len < 0)
			return false;
		if (!sparse_add(map, (uint64_t)offset, (uint64_t)len))
			return false;
	}
	return true;
}

int tar_read_old_sparse(struct tar_reader *reader, const unsigned char *header, struct failure *failure)
{
	int64_t real_size;
	sparse_clear(&reader->map);
	if (!tar_number((const char *)header + OLD_SPARSE_REAL_SIZE_AT, 12, &real_size) ||
	    !add_pairs(&reader->map, header + OLD_SPARSE_AT, OLD_SPARSE_COUNT))
		return malformed(failure);
	for (bool more = header[OLD_SPARSE_MORE_AT] != 0; more;) {
		long n = source_want(reader->source, TAR_BLOCK, failure);
		if (n < 0)
			return -1;
		if (n < (long)TAR_BLOCK)
			return fail(failure, "invalid", "the archive is cut off");
		const unsigned char *block = source_data(reader->source);
		if (!add_pairs(&reader->map, block, OLD_SPARSE_EXTENSION_COUNT))
			return malformed(failure);
		more = block[OLD_SPARSE_EXTENSION_MORE_AT] != 0;
		source_consume(reader->source, TAR_BLOCK);
	}
	return use_map(reader, &reader->map, real_size, failure);
}

/* A cursor over the decimal lines at the start of a 1.0 file's data. */
struct map_lines {
	struct tar_reader *reader;
	unsigned char block[TAR_BLOCK];
	size_t at;
};

static int next_byte(struct map_lines *lines, struct failure *failure)
{
	if (lines->at == TAR_BLOCK) {
		if (lines->reader->data_left < TAR_BLOCK)
			return malformed(failure);
		const unsigned char *data;
		size_t len;
		if (tar_reader_data(lines->reader, TAR_BLOCK, &data, &len, failure) < 0)
			return -1;
		if (len < TAR_BLOCK)
			return fail(failure, "invalid", "the archive is cut off");
		memcpy(lines->block, data, TAR_BLOCK);
		tar_reader_consume(lines->reader, TAR_BLOCK);
		lines->at = 0;
	}
	return lines->block[lines->at++];
}

static int next_number(struct map_lines *lines, uint64_t *out, struct failure *failure)
{
	char digits[20];
	int64_t number;
	for (size_t len = 0; len < sizeof digits; len++) {
		int byte = next_byte(lines, failure);
		if (byte < 0)
			return -1;
		if (byte == '\n') {
			if (pax_decimal(digits, digits + len, &number) != digits + len)
				return malformed(failure);
			*out = (uint64_t)number;
			return 0;
		}
		digits[len] = (char)byte;
	}
	return malformed(failure);
}

static int read_map_lines(struct tar_reader *reader, struct failure *failure)
{
	struct map_lines lines = {.reader = reader, .at = TAR_BLOCK};
	uint64_t count, offset, len;
	sparse_clear(&reader->map);
	if (next_number(&lines, &count, failure) < 0)
		return -1;
	for (; count > 0; count--) {
		if (next_number(&lines, &offset, failure) < 0 || next_number(&lines, &len, failure) < 0)
			return -1;
		if (!sparse_add(&reader->map, offset, len))
			return malformed(failure);
	}
	return 0;
}

int tar_read_pax_sparse(struct tar_reader *reader, struct failure *failure)
{
	struct pax *pax = &reader->local;
	if (pax->sparse_size.set != PAX_GIVEN)
		return 0;
	if (pax->sparse_major.set == PAX_GIVEN && pax->sparse_major.value == 1) {
		if (read_map_lines(reader, failure) < 0)
			return -1;
		return use_map(reader, &reader->map, pax->sparse_size.value, failure);
	}
	if (pax->sparse_major.set == PAX_GIVEN && pax->sparse_major.value > 1)
		return fail(failure, "invalid", "an unknown sparse format");
	if (!pax->sparse_map_given || pax->map_offset_pending)
		return malformed(failure);
	return use_map(reader, &pax->map, pax->sparse_size.value, failure);
}
