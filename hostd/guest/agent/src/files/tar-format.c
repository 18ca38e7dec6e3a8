#include "tar-format.h"

#include <string.h>

static bool base_256(const unsigned char *p, size_t size, int64_t *out)
{
	bool negative = p[0] & 0x40;
	uint64_t number = negative ? UINT64_MAX : 0;
	for (size_t i = 0; i < size; i++) {
		unsigned char byte = i == 0 ? (unsigned char)(negative ? p[0] | 0x80 : p[0] & 0x3f) : p[i];
		/* What is shifted out, and the sign bit in the end, must be sign only. */
		if (number >> 55 != (negative ? 0x1ff : 0))
			return false;
		number = number << 8 | byte;
	}
	*out = (int64_t)number;
	return true;
}

bool tar_number(const char *field, size_t size, int64_t *out)
{
	if ((unsigned char)field[0] & 0x80)
		return base_256((const unsigned char *)field, size, out);
	size_t at = 0;
	uint64_t number = 0;
	while (at < size && field[at] == ' ')
		at++;
	for (; at < size && field[at] >= '0' && field[at] <= '7'; at++) {
		if (number >> 60)
			return false;
		number = number << 3 | (uint64_t)(field[at] - '0');
	}
	if (at < size && field[at] != ' ' && field[at] != 0)
		return false;
	*out = (int64_t)number;
	return true;
}

void tar_put_octal(char *field, size_t size, uint64_t number)
{
	size_t digits = size - 1;
	if (digits < 21 && number >> (3 * digits))
		number = 0;
	field[digits] = 0;
	while (digits > 0) {
		field[--digits] = (char)('0' + (number & 7));
		number >>= 3;
	}
}

bool tar_is_zero(const void *data, size_t len)
{
	const char *p = data;
	uint64_t word;
	for (; len >= sizeof word; p += sizeof word, len -= sizeof word) {
		memcpy(&word, p, sizeof word);
		if (word != 0)
			return false;
	}
	for (; len > 0; p++, len--)
		if (*p != 0)
			return false;
	return true;
}

bool tar_checksum_ok(const unsigned char block[TAR_BLOCK])
{
	const size_t at = offsetof(struct tar_header, checksum), end = at + sizeof ((struct tar_header *)0)->checksum;
	int64_t stored;
	long high = 0, sum = (long)(end - at) * ' ';
	for (size_t i = 0; i < TAR_BLOCK; i = i + 1 == at ? end : i + 1) {
		sum += block[i];
		high += block[i] >> 7;
	}
	return tar_number((const char *)block + at, end - at, &stored) && (stored == sum || stored == sum - 256 * high);
}

void tar_put_checksum(struct tar_header *header)
{
	const unsigned char *p = (const unsigned char *)header;
	unsigned sum = 0;
	memset(header->checksum, ' ', sizeof header->checksum);
	for (size_t i = 0; i < TAR_BLOCK; i++)
		sum += p[i];
	tar_put_octal(header->checksum, 7, sum);
}
