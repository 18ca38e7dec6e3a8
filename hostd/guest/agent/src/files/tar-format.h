/* The tar block formats: POSIX ustar, with GNU's and star's variations (GNU tar manual "Basic Tar Format"; POSIX pax). */
#ifndef OFFSHOOT_FILES_TAR_FORMAT_H
#define OFFSHOOT_FILES_TAR_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TAR_BLOCK 512u

struct tar_header {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type, link[100], magic[6], version[2];
	char user[32], group[32], device_major[8], device_minor[8];
	char prefix[155], pad[12];
};
_Static_assert(sizeof(struct tar_header) == TAR_BLOCK, "a tar header is one block");

/* Where old GNU sparse headers (type S) and their extension blocks keep the map. */
#define OLD_SPARSE_AT 386u
#define OLD_SPARSE_COUNT 4u
#define OLD_SPARSE_MORE_AT 482u
#define OLD_SPARSE_REAL_SIZE_AT 483u
#define OLD_SPARSE_EXTENSION_COUNT 21u
#define OLD_SPARSE_EXTENSION_MORE_AT 504u

/* Octal (blanks around it allowed, empty is 0) or base-256. False when malformed or beyond int64. */
bool tar_number(const char *field, size_t size, int64_t *out);
/* Writes `size - 1` octal digits; a number too big for them becomes 0 (its pax record says it). */
void tar_put_octal(char *field, size_t size, uint64_t number);

bool tar_is_zero(const void *data, size_t len);
/* Some old writers summed signed bytes; both sums are accepted. */
bool tar_checksum_ok(const unsigned char block[TAR_BLOCK]);
void tar_put_checksum(struct tar_header *header);

static inline uint64_t tar_padding(uint64_t size)
{
	return (TAR_BLOCK - size % TAR_BLOCK) % TAR_BLOCK;
}

#endif
