/* What a stream has sent or will send: bytes kept by absolute offset until acknowledged, with the channel each came from. */
#ifndef OFFSHOOT_RING_H
#define OFFSHOOT_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#define RING_SIZE (1u << 20)
#define RING_MARKS 4096u

/* Starts of runs of one channel: `at` is the run's offset. */
struct ring_mark {
	uint64_t at : 62;
	uint64_t channel : 2;
};

struct ring {
	uint8_t *buf; /* mapped at first use */
	struct ring_mark *marks;
	uint64_t base, length; /* oldest kept offset, offset after the newest byte */
	uint64_t first_mark, next_mark; /* counters, modulo RING_MARKS */
};

/* How many bytes of this channel may be added now; 0 also when memory is short. */
size_t ring_room(struct ring *ring, uint8_t channel);
/* The free place as at most two pieces, at most max bytes; returns the count of pieces. ring_room must have been above 0. */
int ring_reserve(struct ring *ring, size_t max, struct iovec piece[2]);
void ring_commit(struct ring *ring, uint8_t channel, size_t len);
/* Copies at most max bytes of one channel from an offset within [base, length); returns the count. */
size_t ring_copy(const struct ring *ring, uint64_t from, size_t max, uint8_t *out, uint8_t *channel);
/* Forgets everything before an offset; out of range is clamped. */
void ring_release(struct ring *ring, uint64_t upto);
void ring_free(struct ring *ring);

#endif
