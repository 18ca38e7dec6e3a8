#include "frame.h"

#include "bytes.h"

#include <string.h>

#define RESYNC_LEN (FRAME_MAGIC_LEN + FRAME_NONCE_LEN + 4u)

size_t frame_encode(uint8_t *out, const struct frame *frame, uint32_t trailer)
{
	out[0] = FRAME_START;
	out[1] = frame->type;
	out[2] = frame->channel;
	out[3] = frame->flags;
	put_u32(out + 4, frame->len);
	put_u32(out + 8, frame->stream);
	put_u64(out + 12, frame->offset);
	if (frame->payload && frame->len)
		memcpy(out + FRAME_HEADER, frame->payload, frame->len);
	put_u32(out + FRAME_HEADER + frame->len, trailer);
	return FRAME_OVERHEAD + frame->len;
}

void decoder_reset(struct decoder *decoder)
{
	decoder->start = decoder->end = 0;
	decoder->tag = 0;
	decoder->hunting = true;
}

void decoder_fail(struct decoder *decoder)
{
	decoder->hunting = true;
}

uint8_t *decoder_space(struct decoder *decoder, size_t *len)
{
	if (decoder->start == decoder->end)
		decoder->start = decoder->end = 0;
	if (sizeof decoder->buf - decoder->end < FRAME_IN_MAX + FRAME_OVERHEAD) {
		memmove(decoder->buf, decoder->buf + decoder->start, decoder->end - decoder->start);
		decoder->end -= decoder->start;
		decoder->start = 0;
	}
	*len = sizeof decoder->buf - decoder->end;
	return decoder->buf + decoder->end;
}

void decoder_filled(struct decoder *decoder, size_t len)
{
	decoder->end += len;
}

/* What the host may send: lengths, and which types belong to the session (stream 0). */
static bool acceptable(const struct frame *f)
{
	if (f->channel != 0 || f->len > FRAME_IN_MAX)
		return false;
	switch (f->type) {
	case FRAME_RESYNC:
		return f->stream == 0 && f->len == RESYNC_LEN;
	case FRAME_PING:
	case FRAME_PONG:
		return f->stream == 0 && f->len <= FRAME_PING_MAX;
	case FRAME_OPEN:
		return f->stream != 0 && !(f->stream & FRAME_GUEST_STREAM);
	case FRAME_CONTROL:
		return f->stream != 0;
	case FRAME_DATA:
		return f->stream != 0 && f->len > 0;
	case FRAME_ACK:
	case FRAME_RESUME:
		return f->stream != 0 && f->len == 8;
	case FRAME_EOF:
	case FRAME_CLOSE:
		return f->stream != 0 && f->len == 0;
	default:
		return false;
	}
}

static void read_header(const uint8_t *p, struct frame *f)
{
	f->type = p[1];
	f->channel = p[2];
	f->flags = p[3];
	f->len = get_u32(p + 4);
	f->stream = get_u32(p + 8);
	f->offset = get_u64(p + 12);
	f->payload = p + FRAME_HEADER;
}

static bool begins_resync(const uint8_t *p, size_t have)
{
	struct frame f;
	if (have >= 2 && p[1] != FRAME_RESYNC)
		return false;
	if (have < FRAME_HEADER)
		return true;
	read_header(p, &f);
	if (!acceptable(&f))
		return false;
	size_t magic = have - FRAME_HEADER < FRAME_MAGIC_LEN ? have - FRAME_HEADER : FRAME_MAGIC_LEN;
	return memcmp(f.payload, FRAME_MAGIC, magic) == 0;
}

/* Moves start to the next possible RESYNC. True when a whole and right one is there. */
static bool hunt(struct decoder *d, struct frame *frame)
{
	for (;;) {
		uint8_t *at = memchr(d->buf + d->start, FRAME_START, d->end - d->start);
		if (!at) {
			d->start = d->end;
			return false;
		}
		d->start = (size_t)(at - d->buf);
		size_t have = d->end - d->start;
		if (begins_resync(at, have)) {
			if (have < FRAME_OVERHEAD + RESYNC_LEN)
				return false;
			read_header(at, frame);
			if (get_u32(at + FRAME_HEADER + RESYNC_LEN) == FRAME_RESYNC_TRAILER)
				return true;
		}
		d->start++;
	}
}

static bool take_resync(struct decoder *d, struct frame *frame)
{
	d->tag = get_u32(frame->payload + FRAME_MAGIC_LEN);
	d->hunting = false;
	d->start += FRAME_OVERHEAD + frame->len;
	return true;
}

bool decoder_next(struct decoder *d, struct frame *frame)
{
	for (;;) {
		if (d->hunting)
			return hunt(d, frame) ? take_resync(d, frame) : false;
		while (d->start < d->end && d->buf[d->start] == 0)
			d->start++;
		size_t have = d->end - d->start;
		const uint8_t *p = d->buf + d->start;
		if (have == 0)
			return false;
		if (p[0] != FRAME_START) {
			d->hunting = true;
			continue;
		}
		if (have < FRAME_HEADER)
			return false;
		read_header(p, frame);
		if (!acceptable(frame)) {
			d->hunting = true;
			continue;
		}
		if (have < FRAME_OVERHEAD + frame->len)
			return false;
		uint32_t trailer = get_u32(p + FRAME_HEADER + frame->len);
		if (frame->type == FRAME_RESYNC && trailer == FRAME_RESYNC_TRAILER && begins_resync(p, have))
			return take_resync(d, frame);
		if (frame->type == FRAME_RESYNC || trailer != d->tag) {
			/* A dead host's half frame may have swallowed a RESYNC: look inside it. */
			d->start++;
			d->hunting = true;
			continue;
		}
		d->start += FRAME_OVERHEAD + frame->len;
		return true;
	}
}
