/* Frames of the guest protocol (PROTOCOL.md): encoding, and a decoder that hunts for the next RESYNC after anything malformed. */
#ifndef OFFSHOOT_FRAME_H
#define OFFSHOOT_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FRAME_START 0xF5
#define FRAME_HEADER 20u
#define FRAME_TRAILER 4u
#define FRAME_OVERHEAD (FRAME_HEADER + FRAME_TRAILER)
#define FRAME_IN_MAX 16384u
#define FRAME_OUT_MAX 65536u
#define FRAME_RESYNC_TRAILER 0x52455359u
#define FRAME_MAGIC "offshoot-resync\n"
#define FRAME_MAGIC_LEN 16u
#define FRAME_NONCE_LEN 16u
#define FRAME_PING_MAX 64u
#define FRAME_FLAG_MORE 1u
#define FRAME_GUEST_STREAM 0x80000000u

enum frame_type {
	FRAME_RESYNC = 0x01,
	FRAME_RESYNC_ACK = 0x02,
	FRAME_OPEN = 0x10,
	FRAME_DATA = 0x12,
	FRAME_ACK = 0x13,
	FRAME_EOF = 0x14,
	FRAME_END = 0x15,
	FRAME_CLOSE = 0x16,
	FRAME_CONTROL = 0x17,
	FRAME_RESUME = 0x18,
	FRAME_PING = 0x20,
	FRAME_PONG = 0x21,
};

struct frame {
	uint8_t type, channel, flags;
	uint32_t stream;
	uint64_t offset;
	uint32_t len;
	const uint8_t *payload;
};

/* Writes header, payload and trailer (FRAME_OVERHEAD + len bytes) to out; a NULL payload leaves its place for the caller. Returns the size. */
size_t frame_encode(uint8_t *out, const struct frame *frame, uint32_t trailer);

struct decoder {
	size_t start, end;
	uint32_t tag;
	bool hunting;
	uint8_t buf[4 * (FRAME_IN_MAX + FRAME_OVERHEAD)];
};

/* Forgets everything; only a RESYNC is taken next. */
void decoder_reset(struct decoder *decoder);
/* Where to read at most *len more bytes (never 0 once decoder_next returned false); invalidates payloads. */
uint8_t *decoder_space(struct decoder *decoder, size_t *len);
void decoder_filled(struct decoder *decoder, size_t len);
/* The next frame, its payload valid until decoder_space. A RESYNC also sets the tag. False: more bytes are needed. */
bool decoder_next(struct decoder *decoder, struct frame *frame);
/* The peer broke the protocol in a way only the caller could see: hunt. */
void decoder_fail(struct decoder *decoder);

#endif
