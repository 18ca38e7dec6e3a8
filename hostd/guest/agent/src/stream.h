/* Streams: flow control, retained output and pending input of each; the work behind a stream sees only this. */
#ifndef OFFSHOOT_STREAM_H
#define OFFSHOOT_STREAM_H

#include "fields.h"
#include "ring.h"

#include <stdbool.h>
#include <stdint.h>

#define STREAMS_MAX 256
#define STREAM_WINDOW 65536u
#define STREAM_KIND_MAX 32
#define STREAM_OPEN_MAX (2u << 20)
#define STREAM_FIELDS_MAX 4096

struct stream;

/* What the work behind a stream is told. */
struct work_ops {
	void (*input)(struct stream *stream); /* more input, or its end, is pending */
	void (*room)(struct stream *stream); /* the output ring has room again */
	void (*control)(struct stream *stream, const struct fields *fields);
	bool (*detach)(struct stream *stream); /* the host has given the stream up: false, or NULL, when the work is not to go on without it */
	void (*abort)(struct stream *stream); /* the stream is going: end the work and let go of it */
};

struct stream {
	uint32_t id;
	char kind[STREAM_KIND_MAX];

	bool opening; /* OPEN frames are still coming */
	uint8_t *open_buf;
	size_t open_len;

	bool suspended; /* neither opened nor resumed in this session */
	bool detached; /* the host gave it up, its work goes on unheard */

	struct ring out;
	uint64_t sent, send_limit;
	struct fields_out end;
	bool ended, end_sent;

	uint8_t *in; /* STREAM_WINDOW bytes, mapped at first use */
	uint64_t received, consumed;
	uint64_t acked, granted; /* what the last ACK said: consumed so far, and the limit */
	bool in_eof, in_discard;

	const struct work_ops *ops; /* NULL: no work is running */
	void *work;
};

struct streams {
	struct stream *slot[STREAMS_MAX]; /* known to the host */
	size_t count;
	size_t turn; /* round robin of the writer */
};

struct stream *streams_find(const struct streams *streams, uint32_t id);
/* A new stream, or NULL when STREAMS_MAX are live or memory is short. */
struct stream *streams_add(struct streams *streams, uint32_t id);
/* Aborts work that still runs and frees the stream. */
void streams_close(struct streams *streams, struct stream *stream);
/* Takes the stream from the host's view. Work that may goes on with its output thrown away, other work is aborted. */
void streams_detach(struct streams *streams, struct stream *stream);

/* Input. */
/* False when it would go beyond the granted limit or leaves a gap. */
bool stream_receive(struct stream *stream, uint64_t offset, const uint8_t *bytes, size_t len);
/* The next pending input in one piece; 0 when none. */
size_t stream_pending(const struct stream *stream, const uint8_t **bytes);
void stream_consume(struct stream *stream, size_t len);
/* Nobody reads any more: pending and later input is taken and dropped. */
void stream_discard_input(struct stream *stream);
/* For the ops of work without output or controls. */
void stream_ignore_room(struct stream *stream);
void stream_ignore_control(struct stream *stream, const struct fields *fields);
bool stream_ack_due(const struct stream *stream);

/* Output. */
/* To be called after ring_commit to stream->out. */
void stream_produced(struct stream *stream);
/* The work is over; takes what `result` holds. Only a detached stream is gone afterwards. */
void stream_end(struct stream *stream, struct fields_out *result);
/* Ends it with `error` and `message` (printf). */
void stream_fail(struct stream *stream, const char *error, const char *format, ...) __attribute__((format(printf, 3, 4)));
void stream_release(struct stream *stream, uint64_t upto);

#endif
