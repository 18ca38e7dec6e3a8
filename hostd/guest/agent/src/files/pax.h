/* Pax extended headers: reading records into attributes, and writing records. */
#ifndef OFFSHOOT_FILES_PAX_H
#define OFFSHOOT_FILES_PAX_H

#include "byte-string.h"
#include "failure.h"
#include "sparse.h"

#include <time.h>

enum pax_set { PAX_INHERIT, PAX_GIVEN, PAX_DELETED };

struct pax_text {
	enum pax_set set;
	struct bytes value;
};
struct pax_number {
	enum pax_set set;
	int64_t value;
};

struct pax {
	struct pax_text path, link;
	struct pax_number size, uid, gid, mtime;
	long mtime_ns;
	/* GNU.sparse.*: never global. */
	struct pax_text sparse_name;
	struct pax_number sparse_major, sparse_minor, sparse_size;
	bool sparse_map_given;
	struct sparse_map map;
	bool map_offset_pending;
	uint64_t map_offset;
};

/* Takes over every record of one extended header. */
int pax_read(struct pax *pax, const char *records, size_t len, struct failure *failure);
void pax_reset(struct pax *pax);
void pax_free(struct pax *pax);

/* Appends "LEN KEY=VALUE\n". */
bool pax_put(struct bytes *records, const char *key, const char *value, size_t len);
bool pax_put_number(struct bytes *records, const char *key, uint64_t number);
bool pax_put_time(struct bytes *records, const char *key, struct timespec time);

/* Decimal digits only, up to `end`; NULL when there are none or the number is beyond int64, else where they end. */
const char *pax_decimal(const char *p, const char *end, int64_t *out);

#endif
