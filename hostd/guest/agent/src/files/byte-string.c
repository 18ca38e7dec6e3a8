#include "byte-string.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool bytes_reserve(struct bytes *bytes, size_t extra)
{
	if (extra >= SIZE_MAX / 2 - bytes->len)
		return false;
	size_t need = bytes->len + extra + 1;
	if (need <= bytes->cap)
		return true;
	size_t cap = bytes->cap ? bytes->cap : 128;
	while (cap < need)
		cap *= 2;
	char *grown = realloc(bytes->data, cap);
	if (!grown)
		return false;
	bytes->data = grown;
	bytes->cap = cap;
	return true;
}

bool bytes_append(struct bytes *bytes, const void *data, size_t len)
{
	if (!bytes_reserve(bytes, len))
		return false;
	if (len > 0)
		memcpy(bytes->data + bytes->len, data, len);
	bytes_truncate(bytes, bytes->len + len);
	return true;
}

bool bytes_set(struct bytes *bytes, const void *data, size_t len)
{
	bytes->len = 0;
	return bytes_append(bytes, data, len);
}

void bytes_truncate(struct bytes *bytes, size_t len)
{
	bytes->len = len;
	if (bytes->data)
		bytes->data[len] = 0;
}

void bytes_free(struct bytes *bytes)
{
	free(bytes->data);
	memset(bytes, 0, sizeof *bytes);
}
