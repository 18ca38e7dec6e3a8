/* Unit tests of src/frame.c: layout, hunting and recovery, and a seeded fuzz of the decoder. */
#include "../src/bytes.h"
#include "../src/frame.h"
#include "support/check.h"
#include "support/random.h"

#include <string.h>

static struct decoder decoder;

static void feed(const uint8_t *bytes, size_t len)
{
	size_t space;
	uint8_t *place = decoder_space(&decoder, &space);
	CHECK(len <= space);
	memcpy(place, bytes, len);
	decoder_filled(&decoder, len);
}

static size_t make(uint8_t *out, uint8_t type, uint32_t stream, const void *payload, size_t len, uint32_t tag)
{
	struct frame frame = {.type = type, .stream = stream, .offset = 7, .payload = payload, .len = (uint32_t)len};
	return frame_encode(out, &frame, tag);
}

static size_t make_resync(uint8_t *out, uint32_t tag)
{
	uint8_t payload[36] = FRAME_MAGIC;
	put_u32(payload + 16, tag);
	memset(payload + 20, 0x5a, 12);
	payload[32] = payload[34] = 1;
	return make(out, FRAME_RESYNC, 0, payload, sizeof payload, FRAME_RESYNC_TRAILER);
}

static void begin(uint32_t tag)
{
	uint8_t out[128];
	struct frame frame;
	decoder_reset(&decoder);
	feed(out, make_resync(out, tag));
	CHECK(decoder_next(&decoder, &frame) && frame.type == FRAME_RESYNC && decoder.tag == tag);
	CHECK(!decoder_next(&decoder, &frame));
}

static void layout(void)
{
	static const uint8_t expected[] = {0xF5, 0x12, 2, 1, 3, 0, 0, 0, 4, 3, 2, 1, 8, 7, 6, 5, 4, 3, 2, 1, 'a', 'b', 'c', 0x44, 0x33, 0x22, 0x11};
	uint8_t out[64];
	struct frame frame = {.type = FRAME_DATA, .channel = 2, .flags = 1, .stream = 0x01020304, .offset = 0x0102030405060708, .len = 3,
		.payload = (const uint8_t *)"abc"};
	CHECK(frame_encode(out, &frame, 0x11223344) == sizeof expected);
	CHECK(memcmp(out, expected, sizeof expected) == 0);
}

static void one_byte_at_a_time(void)
{
	uint8_t out[256];
	struct frame frame;
	begin(9);
	size_t len = make(out, FRAME_DATA, 5, "hello", 5, 9);
	for (size_t i = 0; i + 1 < len; i++) {
		feed(out + i, 1);
		CHECK(!decoder_next(&decoder, &frame));
	}
	feed(out + len - 1, 1);
	CHECK(decoder_next(&decoder, &frame));
	CHECK(frame.type == FRAME_DATA && frame.stream == 5 && frame.offset == 7 && frame.len == 5 && memcmp(frame.payload, "hello", 5) == 0);
}

static void padding_between_frames(void)
{
	uint8_t out[256] = {0};
	struct frame frame;
	begin(9);
	feed(out, 100);
	feed(out, make(out, FRAME_CLOSE, 5, NULL, 0, 9));
	CHECK(decoder_next(&decoder, &frame) && frame.type == FRAME_CLOSE);
	CHECK(!decoder.hunting);
}

/* A frame that must put the decoder into hunt, although a good one follows. */
static void refused(uint8_t type, uint8_t channel, uint32_t stream, size_t len, uint32_t tag)
{
	static uint8_t out[FRAME_OUT_MAX + 64], payload[FRAME_OUT_MAX];
	struct frame frame = {.type = type, .channel = channel, .stream = stream, .len = (uint32_t)len, .payload = payload};
	begin(9);
	size_t size = frame_encode(out, &frame, tag);
	feed(out, size < FRAME_IN_MAX + 24 ? size : FRAME_IN_MAX + 24);
	CHECK(!decoder_next(&decoder, &frame));
	feed(out, make(out, FRAME_CLOSE, 5, NULL, 0, 9));
	CHECK(!decoder_next(&decoder, &frame));
	CHECK(decoder.hunting);
}

static void refusals(void)
{
	refused(FRAME_DATA, 0, 5, 10, 8);
	refused(FRAME_DATA, 1, 5, 10, 9);
	refused(FRAME_DATA, 0, 0, 10, 9);
	refused(FRAME_DATA, 0, 5, 0, 9);
	refused(FRAME_DATA, 0, 5, FRAME_IN_MAX + 1, 9);
	refused(FRAME_OPEN, 0, 0x80000001, 10, 9);
	refused(FRAME_OPEN, 0, 0, 10, 9);
	refused(FRAME_ACK, 0, 5, 7, 9);
	refused(FRAME_RESUME, 0, 5, 9, 9);
	refused(FRAME_EOF, 0, 5, 1, 9);
	refused(FRAME_CLOSE, 0, 5, 1, 9);
	refused(FRAME_PING, 0, 1, 4, 9);
	refused(FRAME_PING, 0, 0, 65, 9);
	refused(FRAME_END, 0, 5, 4, 9);
	refused(FRAME_RESYNC_ACK, 0, 0, 36, FRAME_RESYNC_TRAILER);
	refused(FRAME_RESYNC, 0, 0, 36, FRAME_RESYNC_TRAILER);
	refused(0x7f, 0, 5, 4, 9);
	refused(0, 0, 0, 0, 9);
}

static void largest_frame(void)
{
	static uint8_t out[FRAME_IN_MAX + 64], payload[FRAME_IN_MAX];
	struct frame frame;
	begin(9);
	for (int i = 0; i < 20; i++) {
		feed(out, make(out, FRAME_DATA, 5, payload, FRAME_IN_MAX, 9));
		CHECK(decoder_next(&decoder, &frame) && frame.len == FRAME_IN_MAX);
	}
}

/* Each possible length of a half frame, then what an adopting host writes. */
static void half_frame_then_padding(void)
{
	static uint8_t out[FRAME_IN_MAX + 64], zeros[FRAME_IN_MAX + FRAME_OVERHEAD], payload[FRAME_IN_MAX];
	uint8_t resync[128];
	struct frame frame;
	memset(payload, 0xF5, sizeof payload);
	size_t len = make(out, FRAME_DATA, 5, payload, FRAME_IN_MAX, 0xd1d2d3d4), resync_len = make_resync(resync, 77);
	for (size_t cut = 1; cut < len; cut += cut < 40 || cut > len - 8 ? 1 : 997) {
		begin(0xd1d2d3d4);
		feed(out, cut);
		CHECK(!decoder_next(&decoder, &frame));
		feed(zeros, sizeof zeros);
		CHECK(!decoder_next(&decoder, &frame));
		feed(resync, resync_len);
		CHECK(decoder_next(&decoder, &frame) && frame.type == FRAME_RESYNC && decoder.tag == 77);
	}
}

/* Without padding the half frame swallows RESYNCs until it is complete; then the last one inside is found. */
static void half_frame_without_padding(void)
{
	uint8_t out[512], resync[128];
	struct frame frame;
	begin(9);
	size_t len = make(out, FRAME_DATA, 5, "0123456789012345678901234567890123456789012345678901234567890123456789", 70, 9);
	feed(out, len - 75);
	feed(resync, make_resync(resync, 77));
	CHECK(!decoder_next(&decoder, &frame));
	feed(resync, make_resync(resync, 78));
	CHECK(decoder_next(&decoder, &frame) && decoder.tag == 77);
	CHECK(decoder_next(&decoder, &frame) && decoder.tag == 78);
}

static void resync_in_session(void)
{
	uint8_t out[128];
	struct frame frame;
	begin(9);
	feed(out, make_resync(out, 10));
	CHECK(decoder_next(&decoder, &frame) && frame.type == FRAME_RESYNC && decoder.tag == 10);
	size_t len = make_resync(out, 11);
	out[len - 1] ^= 1;
	feed(out, len);
	CHECK(!decoder_next(&decoder, &frame) && decoder.hunting && decoder.tag == 10);
	len = make_resync(out, 12);
	out[FRAME_HEADER + 3] ^= 1;
	feed(out, len);
	CHECK(!decoder_next(&decoder, &frame));
	feed(out, make_resync(out, 13));
	CHECK(decoder_next(&decoder, &frame) && decoder.tag == 13);
}

/* Whatever came before, padding and a RESYNC always begin a session, and what follows is read right. */
static void recovers(uint32_t tag)
{
	static const uint8_t zeros[FRAME_IN_MAX + FRAME_OVERHEAD];
	uint8_t out[128];
	struct frame frame;
	while (decoder_next(&decoder, &frame))
		;
	feed(zeros, sizeof zeros);
	while (decoder_next(&decoder, &frame))
		;
	feed(out, make_resync(out, tag));
	CHECK(decoder_next(&decoder, &frame) && frame.type == FRAME_RESYNC && decoder.tag == tag);
	feed(out, make(out, FRAME_PING, 0, "x", 1, tag));
	CHECK(decoder_next(&decoder, &frame) && frame.type == FRAME_PING && frame.payload[0] == 'x');
}

static size_t random_stretch(uint64_t *seed, uint8_t *out, uint32_t tag)
{
	static const uint8_t types[] = {0x01, 0x02, 0x10, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x20, 0x21, 0x33};
	static uint8_t payload[FRAME_IN_MAX + 100];
	size_t len = random_below(seed, 4) ? random_below(seed, 64) : random_below(seed, sizeof payload);
	for (size_t i = 0; i < len; i++)
		payload[i] = random_below(seed, 8) ? (uint8_t)random_next(seed) : FRAME_START;
	switch (random_below(seed, 6)) {
	case 0:
		memcpy(out, payload, len);
		return len;
	case 1:
		return make_resync(out, (uint32_t)random_next(seed));
	case 2: /* oversize */
		len = make(out, FRAME_DATA, 3, payload, len, tag);
		put_u32(out + 4, (uint32_t)random_next(seed));
		return len;
	default:
		return make(out, types[random_below(seed, sizeof types)], (uint32_t)random_below(seed, 3), payload, len, random_below(seed, 5) ? tag : 1);
	}
}

static void fuzz(void)
{
	static uint8_t out[FRAME_IN_MAX + 256];
	uint64_t seed = 0x0ff5400712345678;
	size_t frames = 0;
	for (int round = 0; round < 4000; round++) {
		begin(42);
		for (int stretch = 0; stretch < 8; stretch++) {
			size_t len = random_stretch(&seed, out, decoder.tag);
			if (len && random_below(&seed, 3) == 0)
				out[random_below(&seed, len)] ^= (uint8_t)(1 + random_below(&seed, 255));
			if (random_below(&seed, 4) == 0)
				len = random_below(&seed, len + 1);
			for (int copies = random_below(&seed, 6) == 0 ? 2 : 1; copies > 0; copies--)
				for (size_t at = 0; at < len;) {
					size_t part = 1 + random_below(&seed, len - at), space;
					decoder_space(&decoder, &space);
					CHECK(space >= FRAME_IN_MAX + FRAME_OVERHEAD - 64);
					part = part < space ? part : space;
					feed(out + at, part);
					at += part;
					struct frame frame;
					while (decoder_next(&decoder, &frame)) {
						frames++;
						CHECK(frame.len <= FRAME_IN_MAX && frame.channel == 0);
						CHECK(frame.payload >= decoder.buf && frame.payload + frame.len + FRAME_TRAILER <= decoder.buf + decoder.end);
						CHECK(!decoder.hunting);
					}
				}
		}
		recovers((uint32_t)round + 1000);
	}
	/* The generator must reach the good paths too. */
	CHECK(frames > 4000);
}

int main(void)
{
	layout();
	one_byte_at_a_time();
	padding_between_frames();
	refusals();
	largest_frame();
	half_frame_then_padding();
	half_frame_without_padding();
	resync_in_session();
	fuzz();
	return 0;
}
