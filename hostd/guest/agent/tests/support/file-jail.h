/* What the tests of the file workers share: a scratch folder, a worker run in a child with a deadline, archives built by hand, trees compared. */
#ifndef OFFSHOOT_TESTS_FILE_JAIL_H
#define OFFSHOOT_TESTS_FILE_JAIL_H

#include "../../src/files/byte-string.h"
#include "../../src/files/tar-format.h"
#include "check.h"

#include <stdbool.h>

/* A new scratch folder that is the working directory from now on and is removed at exit. */
const char *jail_enter(void);
/* jail + "/" + name; kept for the whole run. */
const char *jail_path(const char *name);
void jail_remove(const char *name);
void jail_write(const char *name, const void *data, size_t len);
/* Runs a program and requires that it ends with 0; words end with NULL. */
void jail_run(const char *const words[]);
#define RUN(...) jail_run((const char *const[]){__VA_ARGS__, NULL})

struct outcome {
	bool ok, took_all_input;
	char error[32], message[700];
	struct bytes result; /* the fields, as "key=value\n" */
	struct bytes output;
};

/* Runs a worker on `input` in a child; params are key, value, ..., NULL. A child that takes over 60 s or dies fails the test. The outcome is valid
 * until the next run. `between` (may be NULL) is called once, when the first output has arrived. */
const struct outcome *worker(const char *kind, const struct bytes *input, void (*between)(void), const char *const params[]);
#define WORKER(kind, input, ...) worker(kind, input, NULL, (const char *const[]){__VA_ARGS__, NULL})
/* The value of a result, "" when absent. */
const char *result_of(const struct outcome *outcome, const char *key);

/* An archive by hand. Headers have a right checksum, mode 644 and an mtime of 1000000000 unless changed. */
struct member {
	const char *name, *link, *prefix;
	char type;
	uint64_t size;
	const char *size_field; /* 12 raw bytes instead of `size` */
	unsigned mode;
	const char *magic; /* 8 bytes; default "ustar\0" "00" */
};
void put_header(struct bytes *archive, struct member member);
void put_data(struct bytes *archive, const void *data, size_t len);
void put_member(struct bytes *archive, struct member member, const char *data);
/* An x (or g) header with these records, which are "key=value" each. */
void put_pax(struct bytes *archive, char type, const char *const records[]);
#define PAX(archive, ...) put_pax(archive, 'x', (const char *const[]){__VA_ARGS__, NULL})
void put_end(struct bytes *archive);

/* A text that describes a tree: names, types, modes, owners, times, contents, link targets, which names are one file. */
struct bytes tree_of(const char *folder, bool nanoseconds);
/* Compares two trees and shows the first difference. */
bool same_tree(const char *a, const char *b, bool nanoseconds);

#endif
