/* Matches one component of a path against a pattern: `*`, `?`, `[...]` and `\` before a plain character. Bytes, but `?` and sets take whole UTF-8
 * characters. Work is at most the product of both lengths. */
#ifndef OFFSHOOT_FILES_GLOB_H
#define OFFSHOOT_FILES_GLOB_H

#include <stdbool.h>
#include <stddef.h>

struct glob_text {
	const char *data;
	size_t len;
};

bool glob_matches(struct glob_text pattern, struct glob_text name);

#endif
