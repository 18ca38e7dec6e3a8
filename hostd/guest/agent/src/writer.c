/* Makes outgoing frames from what the streams hold: small answers first, then data in turn, then the ends of streams that said all. */
#include "session.h"

#include <string.h>

/* A whole frame then fits one write to the kernel's port driver, which takes 32 KiB at a time. */
#define DATA_MAX (32768u - FRAME_OVERHEAD)

static void put(struct session *session, const struct frame *frame)
{
	session->out_len += frame_encode(session->out + session->out_len, frame, session->decoder.tag);
}

static void put_pongs(struct session *session)
{
	for (size_t i = 0; i < session->pongs; i++)
		put(session, &(struct frame){
			.type = FRAME_PONG, .offset = session->pong[i].offset, .len = session->pong[i].len, .payload = session->pong[i].bytes});
	session->pongs = 0;
}

static void put_rejects(struct session *session)
{
	struct fields_out result = {0};
	if (session->rejects == 0)
		return;
	fields_put_string(&result, "error", "too-many-streams");
	fields_put_string(&result, "message", "the agent serves at most 256 streams at a time");
	while (!result.failed && session->rejects > 0 && session->out_len < SESSION_FILL)
		put(session, &(struct frame){.type = FRAME_END,
			.stream = session->reject[--session->rejects], .len = (uint32_t)result.len, .payload = result.buf});
	fields_out_free(&result);
}

static void put_ack(struct session *session, struct stream *stream)
{
	uint8_t limit[8];
	if (stream->suspended || stream->opening || !stream_ack_due(stream))
		return;
	stream->acked = stream->consumed;
	stream->granted = stream->consumed + STREAM_WINDOW;
	for (int i = 0; i < 8; i++)
		limit[i] = (uint8_t)(stream->granted >> (8 * i));
	put(session, &(struct frame){.type = FRAME_ACK, .stream = stream->id, .offset = stream->acked, .len = 8, .payload = limit});
}

static void put_end(struct session *session, struct stream *stream)
{
	if (!stream->ended || stream->end_sent || stream->suspended || stream->sent != stream->out.length)
		return;
	stream->end_sent = true;
	put(session, &(struct frame){.type = FRAME_END,
		.stream = stream->id, .offset = stream->out.length, .len = (uint32_t)stream->end.len, .payload = stream->end.buf});
}

/* One DATA frame of this stream; false when it has nothing to send now. */
static bool put_data(struct session *session, struct stream *stream)
{
	if (stream->suspended || stream->opening || stream->sent >= stream->out.length || stream->sent >= stream->send_limit)
		return false;
	uint64_t allowed = stream->send_limit - stream->sent;
	struct frame frame = {.type = FRAME_DATA, .stream = stream->id, .offset = stream->sent};
	uint8_t *at = session->out + session->out_len;
	frame.len = (uint32_t)ring_copy(
		&stream->out, stream->sent, allowed < DATA_MAX ? (size_t)allowed : DATA_MAX, at + FRAME_HEADER, &frame.channel);
	put(session, &frame);
	stream->sent += frame.len;
	return true;
}

void session_fill(struct session *session)
{
	struct stream **slot = session->streams.slot;
	if (session->out_at == session->out_len)
		session->out_at = session->out_len = 0;
	if (!session->open)
		return;
	put_pongs(session);
	put_rejects(session);
	for (size_t i = 0; i < STREAMS_MAX && session->out_len < SESSION_FILL; i++)
		if (slot[i])
			put_ack(session, slot[i]);
	for (size_t idle = 0; idle < STREAMS_MAX && session->out_len < SESSION_FILL;) {
		session->streams.turn = (session->streams.turn + 1) % STREAMS_MAX;
		struct stream *stream = slot[session->streams.turn];
		idle = stream && put_data(session, stream) ? 0 : idle + 1;
	}
	for (size_t i = 0; i < STREAMS_MAX && session->out_len < SESSION_FILL; i++)
		if (slot[i])
			put_end(session, slot[i]);
}
