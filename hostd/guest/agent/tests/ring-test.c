/* Unit tests of src/ring.c: against a plain model under random use, and the bound on runs. */
#include "../src/ring.h"
#include "support/check.h"
#include "support/random.h"

#include <string.h>

static uint8_t byte_at(uint64_t offset)
{
	return (uint8_t)(offset * 31 + (offset >> 8));
}

static void add(struct ring *ring, uint8_t channel, size_t max)
{
	struct iovec piece[2];
	uint64_t at = ring->length;
	int pieces = ring_reserve(ring, max, piece);
	size_t total = 0;
	for (int p = 0; p < pieces; p++)
		for (size_t i = 0; i < piece[p].iov_len; i++)
			((uint8_t *)piece[p].iov_base)[i] = byte_at(at + total++);
	CHECK(total <= max && total == (max < RING_SIZE - (at - ring->base) ? max : RING_SIZE - (at - ring->base)));
	ring_commit(ring, channel, total);
}

static void against_a_model(void)
{
	static uint8_t channels[RING_SIZE], out[70000];
	struct ring ring = {0};
	uint64_t seed = 7;
	for (int step = 0; step < 20000; step++) {
		uint8_t channel = (uint8_t)(1 + random_below(&seed, 2)), got_channel = 0;
		if (random_below(&seed, 2) && ring_room(&ring, channel) > 0) {
			uint64_t before = ring.length;
			add(&ring, channel, 1 + random_below(&seed, random_below(&seed, 10) ? 3000 : 300000));
			for (uint64_t i = before; i < ring.length; i++)
				channels[i % RING_SIZE] = channel;
		}
		if (ring.length > ring.base) {
			uint64_t from = ring.base + random_below(&seed, ring.length - ring.base);
			size_t max = 1 + random_below(&seed, sizeof out), len = ring_copy(&ring, from, max, out, &got_channel), expected = 0;
			while (expected < max && from + expected < ring.length && channels[(from + expected) % RING_SIZE] == channels[from % RING_SIZE])
				expected++;
			CHECK(len == expected && got_channel == channels[from % RING_SIZE]);
			for (size_t i = 0; i < len; i++)
				CHECK(out[i] == byte_at(from + i));
		}
		if (random_below(&seed, 3) == 0)
			ring_release(&ring, ring.base + random_below(&seed, ring.length - ring.base + 1));
		CHECK(ring.length - ring.base <= RING_SIZE);
	}
	CHECK(ring.length > 4 * RING_SIZE);
	ring_free(&ring);
}

static void full(void)
{
	struct ring ring = {0};
	CHECK(ring_room(&ring, 1) == RING_SIZE);
	add(&ring, 1, RING_SIZE + 5);
	CHECK(ring.length == RING_SIZE && ring_room(&ring, 1) == 0 && ring_room(&ring, 2) == 0);
	ring_release(&ring, 10);
	CHECK(ring_room(&ring, 1) == 10 && ring_room(&ring, 2) == 10);
	ring_release(&ring, 5);
	CHECK(ring.base == 10);
	ring_release(&ring, UINT64_MAX);
	CHECK(ring.base == RING_SIZE && ring_room(&ring, 1) == RING_SIZE);
	ring_free(&ring);
}

static void too_many_runs(void)
{
	struct ring ring = {0};
	uint8_t out[8], channel;
	for (unsigned i = 0; i < RING_MARKS; i++) {
		CHECK(ring_room(&ring, (uint8_t)(1 + i % 2)) > 0);
		add(&ring, (uint8_t)(1 + i % 2), 1);
	}
	CHECK(ring_room(&ring, 1) == 0);
	CHECK(ring_room(&ring, 2) > 0);
	ring_release(&ring, 1);
	CHECK(ring_room(&ring, 1) > 0);
	add(&ring, 1, 3);
	CHECK(ring_copy(&ring, RING_MARKS, 8, out, &channel) == 3 && channel == 1);
	CHECK(ring_copy(&ring, 0, 8, out, &channel) == 0);
	CHECK(ring_copy(&ring, RING_MARKS + 3, 8, out, &channel) == 0);
	ring_free(&ring);
}

int main(void)
{
	against_a_model();
	full();
	too_many_runs();
	return 0;
}
