#include "session.h"

#include "agent.h"
#include "bytes.h"
#include "kinds.h"

#include <stdlib.h>
#include <string.h>

void session_reset(struct session *session)
{
	decoder_reset(&session->decoder);
	session->open = false;
	session->out_at = session->out_len = 0;
	session->pongs = session->rejects = 0;
	for (size_t i = 0; i < STREAMS_MAX; i++) {
		struct stream *stream = session->streams.slot[i];
		if (stream && stream->opening)
			streams_close(&session->streams, stream);
		else if (stream)
			stream->suspended = true;
	}
}

void session_drop_streams(struct session *session, const struct stream *but)
{
	for (size_t i = 0; i < STREAMS_MAX; i++)
		if (session->streams.slot[i] && session->streams.slot[i] != but)
			streams_detach(&session->streams, session->streams.slot[i]);
}

static void resync(struct agent *agent, const struct frame *frame)
{
	struct session *session = &agent->session;
	size_t start = session->decoder.start, end = session->decoder.end;
	uint32_t tag = session->decoder.tag;
	session_reset(session);
	session->decoder.start = start;
	session->decoder.end = end;
	session->decoder.tag = tag;
	session->decoder.hunting = false;
	session_answer_resync(agent, frame);
}

/* Adds one OPEN frame's payload; false when it is too much. */
static bool add_open_part(struct stream *stream, const struct frame *frame)
{
	if (frame->len == 0)
		return true;
	if (stream->open_len + frame->len > STREAM_OPEN_MAX)
		return false;
	uint8_t *grown = realloc(stream->open_buf, stream->open_len + frame->len);
	if (!grown)
		return false;
	memcpy(grown + stream->open_len, frame->payload, frame->len);
	stream->open_buf = grown;
	stream->open_len += frame->len;
	return true;
}

static bool open_stream(struct agent *agent, const struct frame *frame)
{
	struct session *session = &agent->session;
	bool more = frame->flags & FRAME_FLAG_MORE;
	struct stream *stream = streams_find(&session->streams, frame->stream);
	if (stream && !stream->opening)
		return stream->ended; /* the rest of an OPEN that was already refused */
	if (!stream) {
		stream = streams_add(&session->streams, frame->stream);
		if (!stream) {
			if (session->rejects == SESSION_REJECTS)
				return false;
			if (!more)
				session->reject[session->rejects++] = frame->stream;
			return true;
		}
		stream->opening = true;
	}
	stream->send_limit = frame->offset;
	if (!add_open_part(stream, frame)) {
		stream->opening = false;
		stream_fail(stream, "invalid", "the parameters are over %u bytes", STREAM_OPEN_MAX);
		return true;
	}
	if (more)
		return true;
	stream->opening = false;
	struct fields fields;
	if (fields_parse(&fields, stream->open_buf, stream->open_len, STREAM_FIELDS_MAX) < 0) {
		stream_fail(stream, "invalid", "the parameters are malformed or over %d", STREAM_FIELDS_MAX);
	} else {
		kinds_start(agent, stream, &fields);
		fields_free(&fields);
	}
	return true;
}

static void control(struct stream *stream, const struct frame *frame)
{
	struct fields fields;
	if (!stream->ops || fields_parse(&fields, frame->payload, frame->len, STREAM_FIELDS_MAX) < 0)
		return;
	stream->ops->control(stream, &fields);
	fields_free(&fields);
}

static bool data(struct stream *stream, const struct frame *frame)
{
	if (!stream_receive(stream, frame->offset, frame->payload, frame->len))
		return false;
	if (stream->ops)
		stream->ops->input(stream);
	return true;
}

static bool eof(struct stream *stream, const struct frame *frame)
{
	if (frame->offset != stream->received)
		return false;
	if (stream->in_eof)
		return true;
	stream->in_eof = true;
	if (stream->ops)
		stream->ops->input(stream);
	return true;
}

static bool acked(struct stream *stream, const struct frame *frame)
{
	if (frame->offset > stream->sent)
		return false;
	uint64_t limit = get_u64(frame->payload);
	if (limit > stream->send_limit)
		stream->send_limit = limit;
	stream_release(stream, frame->offset);
	return true;
}

static bool resume(struct stream *stream, const struct frame *frame)
{
	if (frame->offset > stream->out.length)
		return false;
	stream->sent = frame->offset;
	stream->send_limit = get_u64(frame->payload);
	stream->suspended = false;
	stream->end_sent = false;
	stream_release(stream, frame->offset); /* also moves `sent` up to the oldest kept byte */
	return true;
}

static bool ping(struct session *session, const struct frame *frame)
{
	if (session->pongs == SESSION_PONGS)
		return true;
	size_t i = session->pongs++;
	session->pong[i].len = (uint8_t)frame->len;
	session->pong[i].offset = frame->offset;
	memcpy(session->pong[i].bytes, frame->payload, frame->len);
	return true;
}

/* False when the host broke the protocol. */
static bool take(struct agent *agent, const struct frame *frame)
{
	struct session *session = &agent->session;
	if (frame->type == FRAME_RESYNC) {
		resync(agent, frame);
		return true;
	}
	if (frame->type == FRAME_PING)
		return ping(session, frame);
	if (frame->type == FRAME_PONG)
		return true;
	if (frame->type == FRAME_OPEN)
		return open_stream(agent, frame);
	struct stream *stream = streams_find(&session->streams, frame->stream);
	if (!stream)
		return true; /* refused, or closed while this was under way */
	if (frame->type == FRAME_CLOSE) {
		streams_close(&session->streams, stream);
		return true;
	}
	if (stream->opening)
		return false;
	switch (frame->type) {
	case FRAME_DATA:
		return data(stream, frame);
	case FRAME_EOF:
		return eof(stream, frame);
	case FRAME_ACK:
		return acked(stream, frame);
	case FRAME_RESUME:
		return resume(stream, frame);
	default:
		control(stream, frame);
		return true;
	}
}

void session_input(struct agent *agent)
{
	struct frame frame;
	while (decoder_next(&agent->session.decoder, &frame))
		if (!take(agent, &frame))
			decoder_fail(&agent->session.decoder);
}
