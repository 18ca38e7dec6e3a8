/* Unit tests of src/stream.c: the input window, acknowledgements, the bound on streams, and streams whose host is gone. */
#include "../src/stream.h"
#include "support/check.h"

#include <string.h>

static int aborts, rooms;

static void nothing(struct stream *stream)
{
	(void)stream;
}

static void on_room(struct stream *stream)
{
	(void)stream;
	rooms++;
}

static void on_control(struct stream *stream, const struct fields *fields)
{
	(void)stream;
	(void)fields;
}

static void on_abort(struct stream *stream)
{
	(void)stream;
	aborts++;
}

static const struct work_ops ops = {.input = nothing, .room = on_room, .control = on_control, .abort = on_abort};
static struct streams streams;
static uint8_t bytes[STREAM_WINDOW + 1];

static void window(void)
{
	const uint8_t *pending;
	struct stream *s = streams_add(&streams, 1);
	CHECK(stream_receive(s, 0, bytes, 1000));
	CHECK(!stream_receive(s, 0, bytes, 1) && !stream_receive(s, 1001, bytes, 1));
	CHECK(stream_receive(s, 1000, bytes, STREAM_WINDOW - 1000));
	CHECK(!stream_receive(s, STREAM_WINDOW, bytes, 1));
	CHECK(!stream_ack_due(s)); /* held is not consumed */
	CHECK(stream_pending(s, &pending) == STREAM_WINDOW);
	stream_consume(s, 10);
	CHECK(stream_ack_due(s));
	/* What was consumed is granted by the next ACK only. */
	CHECK(!stream_receive(s, STREAM_WINDOW, bytes, 1));
	s->granted = s->consumed + STREAM_WINDOW;
	s->acked = s->consumed;
	CHECK(!stream_ack_due(s));
	memset(bytes, 'w', 10);
	CHECK(stream_receive(s, STREAM_WINDOW, bytes, 10));
	CHECK(stream_pending(s, &pending) == STREAM_WINDOW - 10);
	stream_consume(s, STREAM_WINDOW - 10);
	CHECK(stream_pending(s, &pending) == 10 && pending[9] == 'w');
	stream_discard_input(s);
	CHECK(stream_pending(s, &pending) == 0 && stream_ack_due(s));
	s->granted = s->consumed + STREAM_WINDOW;
	CHECK(stream_receive(s, s->received, bytes, 100) && s->consumed == s->received);
	s->in_eof = true;
	CHECK(!stream_receive(s, s->received, bytes, 1));
	streams_close(&streams, s);
}

static void bound(void)
{
	for (uint32_t id = 1; id <= STREAMS_MAX; id++)
		CHECK(streams_add(&streams, id));
	CHECK(!streams_add(&streams, 999));
	CHECK(streams_find(&streams, 256) && !streams_find(&streams, 999));
	streams_close(&streams, streams_find(&streams, 17));
	CHECK(!streams_find(&streams, 17) && streams_add(&streams, 999));
	for (size_t i = 0; i < STREAMS_MAX; i++)
		streams_close(&streams, streams.slot[i]);
	CHECK(streams.count == 0);
}

static void output(struct stream *s, size_t len)
{
	struct iovec piece[2];
	CHECK(ring_room(&s->out, 1) >= len);
	ring_reserve(&s->out, len, piece);
	memset(piece[0].iov_base, 'o', piece[0].iov_len);
	ring_commit(&s->out, 1, len);
	stream_produced(s);
}

static void released_output_wakes_the_work(void)
{
	struct stream *s = streams_add(&streams, 1);
	s->ops = &ops;
	output(s, 100);
	CHECK(s->out.length == 100 && s->out.base == 0);
	rooms = 0;
	stream_release(s, 40);
	CHECK(rooms == 1 && s->sent == 40);
	stream_release(s, 40);
	CHECK(rooms == 1);
	aborts = 0;
	streams_close(&streams, s);
	CHECK(aborts == 1);
}

static bool goes_on(struct stream *s)
{
	return s->id != 4;
}

static void detached(void)
{
	static struct work_ops detachable;
	detachable = ops;
	detachable.detach = goes_on;
	struct fields_out result = {0};
	struct stream *exec = streams_add(&streams, 1), *transfer = streams_add(&streams, 2), *ended = streams_add(&streams, 3);
	struct stream *unwilling = streams_add(&streams, 4);
	transfer->ops = &ops;
	exec->ops = unwilling->ops = &detachable;
	output(exec, 100);
	aborts = 0;
	streams_detach(&streams, transfer);
	streams_detach(&streams, unwilling);
	CHECK(aborts == 2);
	streams_detach(&streams, ended);
	streams_detach(&streams, exec);
	CHECK(aborts == 2 && streams.count == 0 && !streams_find(&streams, 1));
	/* Its output goes nowhere and never fills up. */
	for (int i = 0; i < 40; i++)
		output(exec, 100000);
	CHECK(exec->out.base == exec->out.length);
	fields_put_string(&result, "ok", "1");
	stream_end(exec, &result); /* frees both; the sanitizer tells otherwise */
}

static void failure(void)
{
	struct fields parsed;
	struct stream *s = streams_add(&streams, 1);
	stream_fail(s, "invalid", "no %s", "sense");
	CHECK(s->ended && fields_parse(&parsed, s->end.buf, s->end.len, 8) == 0);
	CHECK(strcmp(fields_string(&parsed, "error", ""), "invalid") == 0 && strcmp(fields_string(&parsed, "message", ""), "no sense") == 0);
	fields_free(&parsed);
	streams_close(&streams, s);
}

int main(void)
{
	window();
	bound();
	released_output_wakes_the_work();
	detached();
	failure();
	return 0;
}
