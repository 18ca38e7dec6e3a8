#include "ring.h"

#include <string.h>
#include <sys/mman.h>

#define MARK(ring, n) (&(ring)->marks[(n) % RING_MARKS])
#define MAPPED (RING_SIZE + RING_MARKS * sizeof(struct ring_mark))

/* The memory of the ring that was freed last: most streams end before the next one begins. */
static void *spare;

static bool map(struct ring *ring)
{
	if (ring->buf)
		return true;
	void *place = spare ? spare : mmap(NULL, MAPPED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (place == MAP_FAILED)
		return false;
	spare = NULL;
	ring->buf = place;
	ring->marks = (struct ring_mark *)(ring->buf + RING_SIZE);
	return true;
}

static bool continues(const struct ring *ring, uint8_t channel)
{
	return ring->next_mark != ring->first_mark && MARK(ring, ring->next_mark - 1)->channel == channel;
}

size_t ring_room(struct ring *ring, uint8_t channel)
{
	if (!map(ring))
		return 0;
	if (!continues(ring, channel) && ring->next_mark - ring->first_mark == RING_MARKS)
		return 0;
	return RING_SIZE - (size_t)(ring->length - ring->base);
}

int ring_reserve(struct ring *ring, size_t max, struct iovec piece[2])
{
	size_t room = RING_SIZE - (size_t)(ring->length - ring->base);
	if (max > room)
		max = room;
	size_t at = ring->length % RING_SIZE;
	size_t straight = RING_SIZE - at < max ? RING_SIZE - at : max;
	piece[0] = (struct iovec){ring->buf + at, straight};
	piece[1] = (struct iovec){ring->buf, max - straight};
	return max > straight ? 2 : 1;
}

void ring_commit(struct ring *ring, uint8_t channel, size_t len)
{
	if (len == 0)
		return;
	if (!continues(ring, channel))
		*MARK(ring, ring->next_mark++) = (struct ring_mark){.at = ring->length, .channel = channel & 3};
	ring->length += len;
}

/* The number of the mark whose run holds the offset. */
static uint64_t find_mark(const struct ring *ring, uint64_t offset)
{
	uint64_t low = ring->first_mark, high = ring->next_mark - 1;
	while (low < high) {
		uint64_t middle = low + (high - low + 1) / 2;
		if (MARK(ring, middle)->at <= offset)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

size_t ring_copy(const struct ring *ring, uint64_t from, size_t max, uint8_t *out, uint8_t *channel)
{
	if (from < ring->base || from >= ring->length)
		return 0;
	uint64_t mark = find_mark(ring, from);
	uint64_t end = mark + 1 == ring->next_mark ? ring->length : MARK(ring, mark + 1)->at;
	size_t len = end - from < max ? (size_t)(end - from) : max;
	size_t at = from % RING_SIZE;
	size_t straight = RING_SIZE - at < len ? RING_SIZE - at : len;
	memcpy(out, ring->buf + at, straight);
	memcpy(out + straight, ring->buf, len - straight);
	*channel = MARK(ring, mark)->channel;
	return len;
}

void ring_release(struct ring *ring, uint64_t upto)
{
	if (upto > ring->length)
		upto = ring->length;
	if (upto <= ring->base)
		return;
	ring->base = upto;
	if (ring->base == ring->length)
		ring->first_mark = ring->next_mark;
	else
		ring->first_mark = find_mark(ring, upto);
}

void ring_free(struct ring *ring)
{
	if (ring->buf && !spare)
		spare = ring->buf;
	else if (ring->buf)
		munmap(ring->buf, MAPPED);
	memset(ring, 0, sizeof *ring);
}
