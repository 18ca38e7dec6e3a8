#include "stream.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct stream *streams_find(const struct streams *streams, uint32_t id)
{
	for (size_t i = 0; i < STREAMS_MAX; i++)
		if (streams->slot[i] && streams->slot[i]->id == id)
			return streams->slot[i];
	return NULL;
}

struct stream *streams_add(struct streams *streams, uint32_t id)
{
	for (size_t i = 0; i < STREAMS_MAX; i++) {
		if (streams->slot[i])
			continue;
		struct stream *stream = calloc(1, sizeof *stream);
		if (!stream)
			return NULL;
		stream->id = id;
		stream->granted = STREAM_WINDOW;
		streams->slot[i] = stream;
		streams->count++;
		return stream;
	}
	return NULL;
}

static void stream_free(struct stream *stream)
{
	ring_free(&stream->out);
	if (stream->in)
		munmap(stream->in, STREAM_WINDOW);
	fields_out_free(&stream->end);
	free(stream->open_buf);
	free(stream);
}

static void remove_slot(struct streams *streams, const struct stream *stream)
{
	for (size_t i = 0; i < STREAMS_MAX; i++)
		if (streams->slot[i] == stream) {
			streams->slot[i] = NULL;
			streams->count--;
		}
}

void streams_close(struct streams *streams, struct stream *stream)
{
	remove_slot(streams, stream);
	if (stream->ops)
		stream->ops->abort(stream);
	stream_free(stream);
}

void streams_detach(struct streams *streams, struct stream *stream)
{
	if (!stream->ops || !stream->ops->detach || !stream->ops->detach(stream)) {
		streams_close(streams, stream);
		return;
	}
	remove_slot(streams, stream);
	stream->detached = true;
	stream->suspended = true;
	stream_release(stream, stream->out.length);
}

bool stream_receive(struct stream *stream, uint64_t offset, const uint8_t *bytes, size_t len)
{
	if (stream->in_eof || offset != stream->received || stream->received + len > stream->granted)
		return false;
	if (stream->in_discard) {
		stream->received = stream->consumed = stream->received + len;
		return true;
	}
	if (!stream->in) {
		void *place = mmap(NULL, STREAM_WINDOW, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (place == MAP_FAILED)
			return false;
		stream->in = place;
	}
	size_t at = stream->received % STREAM_WINDOW;
	size_t straight = STREAM_WINDOW - at < len ? STREAM_WINDOW - at : len;
	memcpy(stream->in + at, bytes, straight);
	memcpy(stream->in, bytes + straight, len - straight);
	stream->received += len;
	return true;
}

size_t stream_pending(const struct stream *stream, const uint8_t **bytes)
{
	size_t at = stream->consumed % STREAM_WINDOW;
	size_t len = (size_t)(stream->received - stream->consumed);
	*bytes = stream->in + at;
	return STREAM_WINDOW - at < len ? STREAM_WINDOW - at : len;
}

void stream_consume(struct stream *stream, size_t len)
{
	stream->consumed += len;
}

void stream_discard_input(struct stream *stream)
{
	stream->in_discard = true;
	stream->consumed = stream->received;
}

void stream_ignore_room(struct stream *stream)
{
	(void)stream;
}

void stream_ignore_control(struct stream *stream, const struct fields *fields)
{
	(void)stream;
	(void)fields;
}

bool stream_ack_due(const struct stream *stream)
{
	return stream->consumed != stream->acked;
}

void stream_produced(struct stream *stream)
{
	if (stream->detached)
		stream_release(stream, stream->out.length);
}

void stream_end(struct stream *stream, struct fields_out *result)
{
	stream->ops = NULL;
	stream->work = NULL;
	if (stream->detached) {
		fields_out_free(result);
		stream_free(stream);
		return;
	}
	stream_discard_input(stream);
	stream->end = *result;
	*result = (struct fields_out){0};
	stream->ended = true;
}

void stream_fail(struct stream *stream, const char *error, const char *format, ...)
{
	char message[1024];
	va_list args;
	va_start(args, format);
	vsnprintf(message, sizeof message, format, args);
	va_end(args);
	struct fields_out result = {0};
	fields_put_string(&result, "error", error);
	fields_put_string(&result, "message", message);
	stream_end(stream, &result);
}

void stream_release(struct stream *stream, uint64_t upto)
{
	uint64_t before = stream->out.base;
	ring_release(&stream->out, upto);
	if (stream->sent < stream->out.base)
		stream->sent = stream->out.base;
	if (stream->out.base != before && stream->ops)
		stream->ops->room(stream);
}
