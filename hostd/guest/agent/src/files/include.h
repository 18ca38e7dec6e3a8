/* Which paths of a walk the `include` globs want. A pattern is matched component by component beneath the walk's root: `**` stands for any number
 * of components, a folder that matches brings all beneath it. A pattern that begins with `!` takes away, wherever it stands. */
#ifndef OFFSHOOT_FILES_INCLUDE_H
#define OFFSHOOT_FILES_INCLUDE_H

#include "../fields.h"
#include "failure.h"

#include <stdint.h>

struct include_pattern;
struct include {
	bool given; /* without any pattern everything is wanted */
	struct include_pattern *patterns;
	size_t count;
	uint64_t *states; /* for each folder on the way down: for each pattern the set of components it may go on with */
	size_t depth_cap;
};

enum include_verdict { INCLUDE_NOT, INCLUDE_WANTED, INCLUDE_ON_THE_WAY /* not itself, but if it is a folder perhaps something beneath it */ };

/* Reads the parameters. Fails with `invalid` for a pattern of more than 62 components. */
int include_open(struct include *include, const struct fields *params, struct failure *failure);
/* About `base`, `depth` folders beneath the root. The folders above it must have been asked about last, in order. */
int include_ask(struct include *include, size_t depth, const char *base, enum include_verdict *verdict, struct failure *failure);
void include_close(struct include *include);

#endif
