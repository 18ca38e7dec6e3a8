/* A growing byte string, always followed by a NUL that `len` does not count once anything was put in. */
#ifndef OFFSHOOT_FILES_BYTE_STRING_H
#define OFFSHOOT_FILES_BYTE_STRING_H

#include <stdbool.h>
#include <stddef.h>

struct bytes {
	char *data;
	size_t len, cap;
};

/* False when memory ran out; the content is then as before. */
bool bytes_reserve(struct bytes *bytes, size_t extra);
bool bytes_append(struct bytes *bytes, const void *data, size_t len);
bool bytes_set(struct bytes *bytes, const void *data, size_t len);
void bytes_truncate(struct bytes *bytes, size_t len);
void bytes_free(struct bytes *bytes);

#endif
