/* Fields: the key-value encoding of OPEN, END, CONTROL and RESYNC_ACK payloads (PROTOCOL.md). */
#ifndef OFFSHOOT_FIELDS_H
#define OFFSHOOT_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct field {
	const char *key; /* NUL-terminated copy */
	const unsigned char *value; /* followed by a NUL that value_len does not count */
	size_t value_len;
};

struct fields {
	struct field *items;
	size_t count;
	void *storage;
};

/* Parses a whole payload into owned copies. Returns 0, or -1 when malformed, over max_count, or out of memory (nothing is kept then). */
int fields_parse(struct fields *out, const void *buf, size_t len, size_t max_count);
void fields_free(struct fields *fields);

/* First field with this key, or NULL. */
const struct field *fields_find(const struct fields *fields, const char *key);
/* Its value as a C string without inner NULs, or fallback when absent or holding a NUL. */
const char *fields_string(const struct fields *fields, const char *key, const char *fallback);
/* Its value as decimal; -1 when malformed or above max, 0 when absent (*out untouched), 1 when read. */
int fields_u64(const struct fields *fields, const char *key, uint64_t max, uint64_t *out);
bool fields_flag(const struct fields *fields, const char *key);

/* A growing output buffer; `failed` is set for good when memory ran out. */
struct fields_out {
	unsigned char *buf;
	size_t len, cap;
	bool failed;
};
void fields_put(struct fields_out *out, const char *key, const void *value, size_t len);
void fields_put_string(struct fields_out *out, const char *key, const char *value);
void fields_put_u64(struct fields_out *out, const char *key, uint64_t value);
void fields_out_free(struct fields_out *out);

#endif
