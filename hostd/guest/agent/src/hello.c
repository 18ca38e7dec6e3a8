/* The answer to a RESYNC: who the agent is, what it can do, and what it still holds of each stream. */
#include "agent.h"
#include "kinds.h"

#include <string.h>

#define PROTOCOL_VERSION 1

static void put_stream(struct fields_out *ack, struct stream *stream)
{
	struct fields_out state = {0};
	fields_put_u64(&state, "id", stream->id);
	fields_put_string(&state, "kind", stream->kind);
	fields_put_u64(&state, "received", stream->received);
	/* The host sends up to this without waiting for an ACK. */
	stream->granted = stream->consumed + STREAM_WINDOW;
	fields_put_u64(&state, "limit", stream->granted);
	fields_put_u64(&state, "base", stream->out.base);
	fields_put_u64(&state, "length", stream->out.length);
	fields_put_u64(&state, "ended", stream->ended);
	if (state.failed)
		ack->failed = true;
	else
		fields_put(ack, "stream", state.buf, state.len);
	fields_out_free(&state);
}

void session_answer_resync(struct agent *agent, const struct frame *frame)
{
	struct session *session = &agent->session;
	struct fields_out fields = {0};
	fields_put_u64(&fields, "version", PROTOCOL_VERSION);
	fields_put_string(&fields, "agent", AGENT_BUILD);
	kinds_put_capabilities(agent, &fields);
	kinds_put_identity(agent, &fields);
	for (size_t i = 0; i < STREAMS_MAX; i++)
		if (session->streams.slot[i])
			put_stream(&fields, session->streams.slot[i]);

	size_t len = FRAME_MAGIC_LEN + FRAME_NONCE_LEN + fields.len;
	if (!fields.failed && len <= FRAME_OUT_MAX) {
		struct frame ack = {.type = FRAME_RESYNC_ACK, .len = (uint32_t)len};
		uint8_t *payload = session->out + FRAME_HEADER;
		session->out_len = frame_encode(session->out, &ack, FRAME_RESYNC_TRAILER);
		memcpy(payload, frame->payload, FRAME_MAGIC_LEN + FRAME_NONCE_LEN);
		memcpy(payload + FRAME_MAGIC_LEN + FRAME_NONCE_LEN, fields.buf, fields.len);
		session->open = true;
	}
	fields_out_free(&fields);
}
