/* The tests' one assertion. */
#ifndef OFFSHOOT_TESTS_CHECK_H
#define OFFSHOOT_TESTS_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(cond) \
	do { \
		if (!(cond)) { \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #cond); \
			exit(1); \
		} \
	} while (0)

#endif
