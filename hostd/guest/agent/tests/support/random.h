/* Seeded pseudo-random numbers (xorshift64*): the same run every time. */
#ifndef OFFSHOOT_TESTS_RANDOM_H
#define OFFSHOOT_TESTS_RANDOM_H

#include <stdint.h>

static inline uint64_t random_next(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 2685821657736338717ull;
}

static inline uint64_t random_below(uint64_t *state, uint64_t limit)
{
	return random_next(state) % limit;
}

#endif
