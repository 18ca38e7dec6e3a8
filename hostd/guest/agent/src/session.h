/* One session with the host: incoming frames act on streams, outgoing frames are made from their state when the carrier takes more. */
#ifndef OFFSHOOT_SESSION_H
#define OFFSHOOT_SESSION_H

#include "frame.h"
#include "stream.h"

#define SESSION_PONGS 16
#define SESSION_REJECTS 512
#define SESSION_FILL 65536u
/* Room for one largest frame after SESSION_FILL was nearly reached. */
#define SESSION_OUT_MAX (SESSION_FILL + 2 * (FRAME_OUT_MAX + FRAME_OVERHEAD))

struct agent;

struct session {
	struct streams streams;
	bool open; /* a RESYNC was answered */
	struct decoder decoder;

	struct { uint8_t len, bytes[FRAME_PING_MAX]; uint64_t offset; } pong[SESSION_PONGS];
	size_t pongs;
	uint32_t reject[SESSION_REJECTS];
	size_t rejects;

	size_t out_at, out_len;
	uint8_t out[SESSION_OUT_MAX];
};

/* Another carrier: nothing is sent until a RESYNC comes. Streams stay. */
void session_reset(struct session *session);
/* Takes the frames among the bytes just put into session->decoder. */
void session_input(struct agent *agent);
/* Puts a RESYNC_ACK into session->out, which must be empty, and opens the session. */
void session_answer_resync(struct agent *agent, const struct frame *frame);
/* Puts frames into session->out, up to about SESSION_FILL bytes. */
void session_fill(struct session *session);
/* Forgets all streams but one: commands go on unheard, other work is aborted. */
void session_drop_streams(struct session *session, const struct stream *but);

#endif
