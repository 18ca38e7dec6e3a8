#include "driver.h"

#include "../../src/bytes.h"
#include "check.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

uint64_t now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void driver_connect(struct driver *d)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	strcpy(address.sun_path, d->socket_path);
	uint64_t until = now_ms() + DRIVER_WAIT_MS;
	for (;;) {
		d->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		CHECK(d->fd >= 0);
		if (connect(d->fd, (struct sockaddr *)&address, sizeof address) == 0)
			break;
		close(d->fd);
		CHECK(now_ms() < until);
		usleep(2000);
	}
	d->len = 0;
}

void driver_start(struct driver *d)
{
	driver_start_with(d, NULL, NULL);
}

void driver_start_with(struct driver *d, const char *option, const char *value)
{
	const char *program = getenv("OFFSHOOT_AGENT");
	CHECK(program);
	memset(d, 0, sizeof *d);
	strcpy(d->workspace, "/tmp/offshoot-agent-test-XXXXXX");
	CHECK(mkdtemp(d->workspace));
	snprintf(d->socket_path, sizeof d->socket_path, "%s/socket", d->workspace);
	d->next_id = 1;
	d->pid = fork();
	CHECK(d->pid >= 0);
	if (d->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execl(program, program, "--socket", d->socket_path, "--workspace", d->workspace, "--dry-identity", d->workspace, option, value, (char *)NULL);
		_exit(127);
	}
	driver_connect(d);
	driver_resync(d);
}

void driver_stop(struct driver *d)
{
	int status;
	char command[128];
	CHECK(waitpid(d->pid, &status, WNOHANG) == 0);
	kill(d->pid, SIGKILL);
	waitpid(d->pid, &status, 0);
	close(d->fd);
	fields_free(&d->hello);
	snprintf(command, sizeof command, "rm -rf %s", d->workspace);
	CHECK(system(command) == 0);
}

void driver_send_bytes(struct driver *d, const void *bytes, size_t len)
{
	const char *p = bytes;
	while (len > 0) {
		ssize_t put = send(d->fd, p, len, MSG_NOSIGNAL);
		CHECK(put > 0);
		p += put;
		len -= (size_t)put;
	}
}

void driver_send(struct driver *d, uint8_t type, uint32_t stream, uint64_t offset, const void *payload, size_t len)
{
	static uint8_t out[FRAME_OUT_MAX + FRAME_OVERHEAD];
	struct frame frame = {.type = type, .stream = stream, .offset = offset, .len = (uint32_t)len, .payload = payload};
	driver_send_bytes(d, out, frame_encode(out, &frame, type == FRAME_RESYNC ? FRAME_RESYNC_TRAILER : d->tag));
}

void driver_send_limit(struct driver *d, uint8_t type, uint32_t stream, uint64_t offset, uint64_t limit)
{
	uint8_t bytes[8];
	put_u64(bytes, limit);
	driver_send(d, type, stream, offset, bytes, sizeof bytes);
}

/* More bytes into the buffer; false when none came in time or the agent closed. */
static bool fill(struct driver *d, uint64_t until)
{
	struct pollfd poll_fd = {.fd = d->fd, .events = POLLIN};
	uint64_t now = now_ms();
	if (now >= until || poll(&poll_fd, 1, (int)(until - now)) <= 0)
		return false;
	ssize_t got = recv(d->fd, d->buf + d->len, sizeof d->buf - d->len, 0);
	if (got <= 0)
		return false;
	d->len += (size_t)got;
	return true;
}

static void drop(struct driver *d, size_t len)
{
	memmove(d->buf, d->buf + len, d->len - len);
	d->len -= len;
}

void driver_resync(struct driver *d)
{
	uint8_t payload[36] = FRAME_MAGIC;
	CHECK(getrandom(payload + 16, 16, 0) == 16);
	payload[32] = payload[34] = 1;
	payload[33] = payload[35] = 0;
	d->tag = get_u32(payload + 16);
	driver_send(d, FRAME_RESYNC, 0, 0, payload, sizeof payload);
	uint64_t until = now_ms() + DRIVER_WAIT_MS;
	for (;;) {
		uint8_t *at = memmem(d->buf, d->len, payload, 32);
		if (at && at >= d->buf + FRAME_HEADER) {
			drop(d, (size_t)(at - d->buf) - FRAME_HEADER);
			break;
		}
		if (d->len > sizeof d->buf / 2)
			drop(d, d->len - 64);
		CHECK(fill(d, until));
	}
	CHECK(d->buf[1] == FRAME_RESYNC_ACK);
	uint32_t len = get_u32(d->buf + 4);
	while (d->len < FRAME_OVERHEAD + len)
		CHECK(fill(d, until));
	CHECK(get_u32(d->buf + FRAME_HEADER + len) == FRAME_RESYNC_TRAILER);
	fields_free(&d->hello);
	CHECK(fields_parse(&d->hello, d->buf + FRAME_HEADER + 32, len - 32, 4096) == 0);
	drop(d, FRAME_OVERHEAD + len);
}

bool driver_next(struct driver *d, int wait_ms)
{
	uint64_t until = now_ms() + (uint64_t)wait_ms;
	struct frame *f = &d->frame;
	while (d->len < FRAME_HEADER || d->len < FRAME_OVERHEAD + get_u32(d->buf + 4))
		if (!fill(d, until))
			return false;
	CHECK(d->buf[0] == FRAME_START);
	*f = (struct frame){.type = d->buf[1], .channel = d->buf[2], .flags = d->buf[3], .len = get_u32(d->buf + 4), .stream = get_u32(d->buf + 8),
		.offset = get_u64(d->buf + 12), .payload = d->payload};
	CHECK(f->len <= FRAME_OUT_MAX);
	CHECK(get_u32(d->buf + FRAME_HEADER + f->len) == d->tag);
	memcpy(d->payload, d->buf + FRAME_HEADER, f->len);
	drop(d, FRAME_OVERHEAD + f->len);
	return true;
}

void driver_await(struct driver *d, uint8_t type, uint32_t stream)
{
	do
		CHECK(driver_next(d, DRIVER_WAIT_MS));
	while (d->frame.type != type || d->frame.stream != stream);
}

uint32_t driver_open_fields(struct driver *d, uint64_t limit, const struct fields_out *fields)
{
	uint32_t id = d->next_id++;
	static uint8_t out[FRAME_IN_MAX + FRAME_OVERHEAD];
	size_t at = 0;
	CHECK(!fields->failed);
	do {
		size_t len = fields->len - at < FRAME_IN_MAX ? fields->len - at : FRAME_IN_MAX;
		struct frame frame = {.type = FRAME_OPEN, .stream = id, .offset = limit, .len = (uint32_t)len, .payload = fields->buf + at,
			.flags = at + len < fields->len ? FRAME_FLAG_MORE : 0};
		driver_send_bytes(d, out, frame_encode(out, &frame, d->tag));
		at += len;
	} while (at < fields->len);
	return id;
}

static void put_pair(struct fields_out *out, const char *pair)
{
	char key[64];
	const char *equals = strchr(pair, '=');
	CHECK(equals && (size_t)(equals - pair) < sizeof key);
	memcpy(key, pair, (size_t)(equals - pair));
	key[equals - pair] = 0;
	fields_put_string(out, key, equals + 1);
}

static uint32_t open_list(struct driver *d, uint64_t limit, const char *first, va_list args)
{
	struct fields_out fields = {0};
	for (const char *pair = first; pair; pair = va_arg(args, const char *))
		put_pair(&fields, pair);
	uint32_t id = driver_open_fields(d, limit, &fields);
	fields_out_free(&fields);
	return id;
}

uint32_t driver_open(struct driver *d, uint64_t limit, const char *first, ...)
{
	va_list args;
	va_start(args, first);
	uint32_t id = open_list(d, limit, first, args);
	va_end(args);
	return id;
}

static void take_data(struct driver *d, struct outcome *o)
{
	int channel = d->frame.channel;
	CHECK(channel == 1 || channel == 2);
	CHECK(d->frame.offset == o->total && d->frame.len > 0);
	size_t needed = o->len[channel] + d->frame.len + 1;
	if (needed > o->cap[channel])
		o->bytes[channel] = realloc(o->bytes[channel], o->cap[channel] = 2 * needed);
	CHECK(o->bytes[channel]);
	memcpy(o->bytes[channel] + o->len[channel], d->payload, d->frame.len);
	o->len[channel] += d->frame.len;
	o->bytes[channel][o->len[channel]] = 0;
	o->total += d->frame.len;
}

void driver_finish(struct driver *d, uint32_t id, struct outcome *o)
{
	memset(o, 0, sizeof *o);
	for (int channel = 1; channel <= 2; channel++)
		CHECK((o->bytes[channel] = calloc(1, 1)));
	for (;;) {
		CHECK(driver_next(d, DRIVER_WAIT_MS));
		if (d->frame.stream != id)
			continue;
		if (d->frame.type == FRAME_DATA) {
			take_data(d, o);
			driver_send_limit(d, FRAME_ACK, id, o->total, o->total + DRIVER_WINDOW);
		}
		if (d->frame.type == FRAME_END)
			break;
	}
	o->end_offset = d->frame.offset;
	CHECK(o->end_offset == o->total);
	CHECK(fields_parse(&o->end, d->payload, d->frame.len, 4096) == 0);
	driver_send(d, FRAME_CLOSE, id, 0, NULL, 0);
}

void driver_run(struct driver *d, struct outcome *o, const char *first, ...)
{
	va_list args;
	va_start(args, first);
	uint32_t id = open_list(d, DRIVER_WINDOW, first, args);
	va_end(args);
	driver_finish(d, id, o);
}

void outcome_free(struct outcome *o)
{
	fields_free(&o->end);
	free(o->bytes[1]);
	free(o->bytes[2]);
	memset(o, 0, sizeof *o);
}

bool outcome_is(const struct outcome *o, int channel, const char *text)
{
	return o->len[channel] == strlen(text) && memcmp(o->bytes[channel], text, o->len[channel]) == 0;
}

bool fields_are(const struct fields *fields, const char *key, const char *value)
{
	return strcmp(fields_string(fields, key, "\x01"), value) == 0;
}

uint64_t fields_number(const struct fields *fields, const char *key)
{
	uint64_t value = 0;
	CHECK(fields_u64(fields, key, UINT64_MAX, &value) == 1);
	return value;
}

bool driver_listed(const struct driver *d, uint32_t id, struct fields *state)
{
	for (size_t i = 0; i < d->hello.count; i++) {
		const struct field *field = &d->hello.items[i];
		if (strcmp(field->key, "stream") != 0)
			continue;
		CHECK(fields_parse(state, field->value, field->value_len, 64) == 0);
		if (fields_number(state, "id") == id)
			return true;
		fields_free(state);
	}
	return false;
}
