#include "pax.h"

#include <string.h>

const char *pax_decimal(const char *p, const char *end, int64_t *out)
{
	const char *start = p;
	int64_t number = 0;
	for (; p < end && *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(number, 10, &number) || __builtin_add_overflow(number, *p - '0', &number))
			return NULL;
	*out = number;
	return p == start ? NULL : p;
}

static bool read_whole(const char *value, size_t len, int64_t *out)
{
	return pax_decimal(value, value + len, out) == value + len;
}

/* [-]SECONDS[.FRACTION], rounded down to nanoseconds. */
static bool read_time(const char *value, size_t len, int64_t *seconds, long *ns)
{
	const char *end = value + len;
	bool negative = len > 0 && *value == '-';
	const char *p = pax_decimal(value + negative, end, seconds);
	long fraction = 0, unit = 100000000;
	bool rest = false;
	if (!p)
		return false;
	if (p < end && *p++ != '.')
		return false;
	for (; p < end && *p >= '0' && *p <= '9'; p++) {
		fraction += (*p - '0') * unit;
		rest = rest || (unit == 0 && *p != '0');
		unit /= 10;
	}
	if (p != end)
		return false;
	if (negative) {
		fraction += rest;
		*seconds = -*seconds - (fraction > 0);
		fraction = fraction > 0 ? 1000000000 - fraction : 0;
	}
	*ns = fraction;
	return true;
}

static int set_text(struct pax_text *text, const char *value, size_t len, struct failure *failure)
{
	text->set = len > 0 ? PAX_GIVEN : PAX_DELETED;
	if (memchr(value, 0, len))
		return fail(failure, "invalid", "a pax header's name holds a NUL");
	return bytes_set(&text->value, value, len) ? 0 : fail(failure, "io", "out of memory");
}

static int set_number(struct pax_number *number, const char *value, size_t len)
{
	number->set = len > 0 ? PAX_GIVEN : PAX_DELETED;
	return len == 0 || read_whole(value, len, &number->value) ? 0 : -1;
}

/* GNU.sparse.map (format 0.1): "offset,length,offset,length...". */
static int set_map(struct pax *pax, const char *value, size_t len)
{
	const char *end = value + len;
	sparse_clear(&pax->map);
	pax->sparse_map_given = true;
	for (const char *p = value; p < end;) {
		int64_t offset, size;
		p = pax_decimal(p, end, &offset);
		if (!p || p == end || *p++ != ',')
			return -1;
		p = pax_decimal(p, end, &size);
		if (!p || !sparse_add(&pax->map, (uint64_t)offset, (uint64_t)size))
			return -1;
		if (p < end && (*p++ != ',' || p == end))
			return -1;
	}
	return 0;
}

/* Format 0.0: pairs of GNU.sparse.offset and GNU.sparse.numbytes records. */
static int add_to_map(struct pax *pax, bool is_offset, const char *value, size_t len)
{
	int64_t number;
	if (!read_whole(value, len, &number) || is_offset == pax->map_offset_pending)
		return -1;
	pax->sparse_map_given = true;
	pax->map_offset_pending = is_offset;
	if (is_offset) {
		pax->map_offset = (uint64_t)number;
		return 0;
	}
	return sparse_add(&pax->map, pax->map_offset, (uint64_t)number) ? 0 : -1;
}

static int set_sparse(struct pax *pax, const char *key, const char *value, size_t len, struct failure *failure)
{
	if (strcmp(key, "name") == 0)
		return set_text(&pax->sparse_name, value, len, failure);
	if (strcmp(key, "major") == 0)
		return set_number(&pax->sparse_major, value, len);
	if (strcmp(key, "minor") == 0)
		return set_number(&pax->sparse_minor, value, len);
	if (strcmp(key, "size") == 0 || strcmp(key, "realsize") == 0)
		return set_number(&pax->sparse_size, value, len);
	if (strcmp(key, "map") == 0)
		return set_map(pax, value, len);
	if (strcmp(key, "offset") == 0 || strcmp(key, "numbytes") == 0)
		return add_to_map(pax, key[0] == 'o', value, len);
	return 0;
}

static int set_record(struct pax *pax, const char *key, const char *value, size_t len, struct failure *failure)
{
	if (strcmp(key, "path") == 0)
		return set_text(&pax->path, value, len, failure);
	if (strcmp(key, "linkpath") == 0)
		return set_text(&pax->link, value, len, failure);
	if (strcmp(key, "size") == 0)
		return set_number(&pax->size, value, len);
	if (strcmp(key, "uid") == 0)
		return set_number(&pax->uid, value, len);
	if (strcmp(key, "gid") == 0)
		return set_number(&pax->gid, value, len);
	if (strncmp(key, "GNU.sparse.", 11) == 0)
		return set_sparse(pax, key + 11, value, len, failure);
	if (strcmp(key, "mtime") != 0)
		return 0;
	pax->mtime.set = len > 0 ? PAX_GIVEN : PAX_DELETED;
	return len == 0 || read_time(value, len, &pax->mtime.value, &pax->mtime_ns) ? 0 : -1;
}

int pax_read(struct pax *pax, const char *records, size_t len, struct failure *failure)
{
	const char *end = records + len;
	for (const char *p = records; p < end;) {
		int64_t size;
		const char *key = pax_decimal(p, end, &size);
		if (!key || key == end || *key++ != ' ' || size > end - p || p + size <= key || p[size - 1] != '\n')
			return fail(failure, "invalid", "malformed pax header: a record's length is wrong");
		const char *stop = p + size - 1;
		const char *equals = memchr(key, '=', (size_t)(stop - key));
		char name[64];
		if (!equals || equals == key)
			return fail(failure, "invalid", "malformed pax header: a record without '='");
		size_t name_len = (size_t)(equals - key);
		p = stop + 1;
		if (name_len >= sizeof name)
			continue;
		memcpy(name, key, name_len);
		name[name_len] = 0;
		if (set_record(pax, name, equals + 1, (size_t)(stop - equals - 1), failure) < 0)
			return fail(failure, "invalid", "malformed pax header: bad value of '%s'", name);
	}
	return 0;
}

void pax_reset(struct pax *pax)
{
	struct bytes path = pax->path.value, link = pax->link.value, sparse_name = pax->sparse_name.value;
	struct sparse_map map = pax->map;
	memset(pax, 0, sizeof *pax);
	pax->path.value = path;
	pax->link.value = link;
	pax->sparse_name.value = sparse_name;
	pax->map = map;
	sparse_clear(&pax->map);
}

void pax_free(struct pax *pax)
{
	bytes_free(&pax->path.value);
	bytes_free(&pax->link.value);
	bytes_free(&pax->sparse_name.value);
	sparse_free(&pax->map);
	memset(pax, 0, sizeof *pax);
}
