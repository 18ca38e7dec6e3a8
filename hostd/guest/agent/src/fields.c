#include "fields.h"

#include <stdlib.h>
#include <string.h>

#define KEY_HEAD 1u
#define VALUE_HEAD 4u

static uint32_t read_u32(const unsigned char *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static bool valid_key(const unsigned char *key, size_t len)
{
	if (len == 0)
		return false;
	for (size_t i = 0; i < len; i++)
		if (key[i] <= ' ' || key[i] > '~' || (key[i] >= 'A' && key[i] <= 'Z'))
			return false;
	return true;
}

/* Splits one field off the front of [*p, *p + *left); false when malformed. */
static bool next_field(const unsigned char **p, size_t *left, const unsigned char **key, size_t *key_len, const unsigned char **value, size_t *value_len)
{
	size_t klen = (*p)[0];
	if (*left < KEY_HEAD + klen + VALUE_HEAD || !valid_key(*p + KEY_HEAD, klen))
		return false;
	size_t vlen = read_u32(*p + KEY_HEAD + klen);
	size_t head = KEY_HEAD + klen + VALUE_HEAD;
	if (vlen > *left - head)
		return false;
	*key = *p + KEY_HEAD;
	*key_len = klen;
	*value = *p + head;
	*value_len = vlen;
	*p += head + vlen;
	*left -= head + vlen;
	return true;
}

int fields_parse(struct fields *out, const void *buf, size_t len, size_t max_count)
{
	const unsigned char *p = buf, *key, *value;
	size_t left = len, count = 0, key_len, value_len;
	memset(out, 0, sizeof *out);
	while (left > 0) {
		if (count == max_count || !next_field(&p, &left, &key, &key_len, &value, &value_len))
			return -1;
		count++;
	}
	if (count == 0)
		return 0;
	/* Each field's two heads (5 bytes) make room for its two NULs. */
	out->storage = malloc(count * sizeof *out->items + len);
	if (!out->storage)
		return -1;
	out->items = out->storage;
	out->count = count;
	unsigned char *copy = (unsigned char *)out->storage + count * sizeof *out->items;
	p = buf;
	left = len;
	for (struct field *item = out->items; left > 0; item++) {
		if (!next_field(&p, &left, &key, &key_len, &value, &value_len))
			break;
		item->key = memcpy(copy, key, key_len);
		copy += key_len;
		*copy++ = 0;
		if (value_len > 0)
			memcpy(copy, value, value_len);
		item->value = copy;
		item->value_len = value_len;
		copy += value_len;
		*copy++ = 0;
	}
	return 0;
}

void fields_free(struct fields *fields)
{
	free(fields->storage);
	memset(fields, 0, sizeof *fields);
}

const struct field *fields_find(const struct fields *fields, const char *key)
{
	for (size_t i = 0; i < fields->count; i++)
		if (strcmp(fields->items[i].key, key) == 0)
			return &fields->items[i];
	return NULL;
}

const char *fields_string(const struct fields *fields, const char *key, const char *fallback)
{
	const struct field *field = fields_find(fields, key);
	if (!field || memchr(field->value, 0, field->value_len))
		return fallback;
	return (const char *)field->value;
}

int fields_u64(const struct fields *fields, const char *key, uint64_t max, uint64_t *out)
{
	const struct field *field = fields_find(fields, key);
	if (!field)
		return 0;
	uint64_t number = 0;
	for (size_t i = 0; i < field->value_len; i++) {
		unsigned digit = (unsigned)field->value[i] - '0';
		if (digit > 9 || number > (UINT64_MAX - digit) / 10)
			return -1;
		number = number * 10 + digit;
	}
	if (field->value_len == 0 || number > max)
		return -1;
	*out = number;
	return 1;
}

bool fields_flag(const struct fields *fields, const char *key)
{
	const struct field *field = fields_find(fields, key);
	return field && field->value_len == 1 && field->value[0] == '1';
}

static bool reserve(struct fields_out *out, size_t extra)
{
	if (out->failed || extra > SIZE_MAX / 2 - out->len)
		return false;
	size_t need = out->len + extra;
	if (need <= out->cap)
		return true;
	size_t cap = out->cap ? out->cap : 256;
	while (cap < need)
		cap *= 2;
	unsigned char *grown = realloc(out->buf, cap);
	if (!grown)
		return false;
	out->buf = grown;
	out->cap = cap;
	return true;
}

void fields_put(struct fields_out *out, const char *key, const void *value, size_t len)
{
	size_t key_len = strlen(key);
	if (len > UINT32_MAX || key_len > UINT8_MAX || !valid_key((const unsigned char *)key, key_len) ||
	    !reserve(out, KEY_HEAD + key_len + VALUE_HEAD + len)) {
		out->failed = true;
		return;
	}
	unsigned char *p = out->buf + out->len;
	*p++ = (unsigned char)key_len;
	memcpy(p, key, key_len);
	p += key_len;
	for (unsigned shift = 0; shift < 32; shift += 8)
		*p++ = (unsigned char)(len >> shift);
	if (len > 0)
		memcpy(p, value, len);
	out->len += KEY_HEAD + key_len + VALUE_HEAD + len;
}

void fields_put_string(struct fields_out *out, const char *key, const char *value)
{
	fields_put(out, key, value, strlen(value));
}

void fields_put_u64(struct fields_out *out, const char *key, uint64_t value)
{
	char digits[20];
	size_t at = sizeof digits;
	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value > 0);
	fields_put(out, key, digits + at, sizeof digits - at);
}

void fields_out_free(struct fields_out *out)
{
	free(out->buf);
	memset(out, 0, sizeof *out);
}
