#include "parked.h"

#include "../agent.h"
#include "exec.h"

#include <signal.h>
#include <stdlib.h>

struct parked {
	uint64_t signals; /* bit by number */
	uint64_t rows, cols;
	bool resized;
};

/* Input waits in the stream. */
static void on_input(struct stream *stream)
{
	(void)stream;
}

static void on_control(struct stream *stream, const struct fields *fields)
{
	struct parked *parked = stream->work;
	uint64_t number = 0, rows = 0, cols = 0;
	if (fields_u64(fields, "signal", SIGRTMAX, &number) == 1 && number > 0 && number < 64)
		parked->signals |= 1ull << number;
	if (fields_u64(fields, "rows", 65535, &rows) != 1 || fields_u64(fields, "cols", 65535, &cols) != 1)
		return;
	parked->rows = rows;
	parked->cols = cols;
	parked->resized = true;
}

static void on_abort(struct stream *stream)
{
	free(stream->work);
}

static const struct work_ops parked_ops = {.input = on_input, .room = on_input, .control = on_control, .abort = on_abort};

void parked_add(struct agent *agent, struct stream *stream)
{
	(void)agent;
	struct parked *parked = calloc(1, sizeof *parked);
	if (!parked) {
		stream_fail(stream, "spawn-failed", "the agent is out of memory");
		return;
	}
	stream->ops = &parked_ops;
	stream->work = parked;
}

/* Takes what `text` holds. */
static void control(struct stream *stream, struct fields_out *text)
{
	struct fields fields;
	if (stream->ops && !text->failed && fields_parse(&fields, text->buf, text->len, 2) == 0) {
		stream->ops->control(stream, &fields);
		fields_free(&fields);
	}
	fields_out_free(text);
}

static void replay(struct stream *stream, const struct parked *parked)
{
	struct fields_out text = {0};
	if (parked->resized) {
		fields_put_u64(&text, "rows", parked->rows);
		fields_put_u64(&text, "cols", parked->cols);
		control(stream, &text);
	}
	for (uint64_t number = 1; number < 64; number++)
		if (parked->signals & 1ull << number) {
			fields_put_u64(&text, "signal", number);
			control(stream, &text);
		}
	if (stream->ops)
		stream->ops->input(stream);
}

static void start(struct agent *agent, struct stream *stream)
{
	struct parked *parked = stream->work;
	struct fields fields;
	stream->ops = NULL;
	stream->work = NULL;
	if (fields_parse(&fields, stream->open_buf, stream->open_len, STREAM_FIELDS_MAX) < 0) {
		stream_fail(stream, "spawn-failed", "the agent is out of memory");
	} else {
		exec_start(agent, stream, &fields);
		fields_free(&fields);
		replay(stream, parked);
	}
	free(parked);
}

static struct stream *first(const struct streams *streams)
{
	struct stream *lowest = NULL;
	for (size_t i = 0; i < STREAMS_MAX; i++) {
		struct stream *stream = streams->slot[i];
		if (stream && stream->ops == &parked_ops && (!lowest || stream->id < lowest->id))
			lowest = stream;
	}
	return lowest;
}

void parked_start_all(struct agent *agent)
{
	for (struct stream *stream; (stream = first(&agent->session.streams));)
		start(agent, stream);
}
