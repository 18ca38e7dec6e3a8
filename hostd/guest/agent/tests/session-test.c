/* The protocol, driven through the program: sessions that break off and resume, credit, retention, limits, and any bytes at all. */
#include "../src/bytes.h"
#include "../src/stream.h"
#include "support/check.h"
#include "support/driver.h"
#include "support/random.h"

#include <string.h>
#include <unistd.h>

static struct driver d;
static struct outcome o;

static void hello(void)
{
	static const char *const kinds[] = {"exec", "metrics", "prepare-resume", "sync", "shutdown", "read-file", "write-file", "list", "stat", "tar-in", "tar-out", "drop-streams", "include"};
	CHECK(fields_are(&d.hello, "version", "1") && fields_are(&d.hello, "generation", "0"));
	CHECK(strlen(fields_string(&d.hello, "boot-id", "")) == 36 && *fields_string(&d.hello, "agent", ""));
	for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
		bool found = false;
		for (size_t i = 0; i < d.hello.count; i++)
			found = found || (strcmp(d.hello.items[i].key, "capability") == 0 && strcmp((const char *)d.hello.items[i].value, kinds[k]) == 0);
		CHECK(found);
	}
}

static void ping(void)
{
	for (uint64_t i = 0; i < 10; i++)
		driver_send(&d, FRAME_PING, 0, i, "abc", 3);
	for (uint64_t i = 0; i < 10; i++) {
		CHECK(driver_next(&d, DRIVER_WAIT_MS) && d.frame.type == FRAME_PONG && d.frame.offset == i && d.frame.len == 3);
		CHECK(memcmp(d.payload, "abc", 3) == 0);
	}
}

static void unknown_kinds(void)
{
	driver_run(&d, &o, "kind=teleport", NULL);
	CHECK(fields_are(&o.end, "error", "unknown-kind"));
	outcome_free(&o);
	driver_run(&d, &o, "nothing=", NULL);
	CHECK(fields_are(&o.end, "error", "unknown-kind"));
	outcome_free(&o);
	uint32_t id = d.next_id++;
	driver_send(&d, FRAME_OPEN, id, 100, "\x04kind\xff\xff\xff\x7f", 9);
	driver_finish(&d, id, &o);
	CHECK(fields_are(&o.end, "error", "invalid"));
	outcome_free(&o);
	/* Nobody knows these streams: all is ignored. */
	driver_send(&d, FRAME_DATA, 5000, 3, "x", 1);
	driver_send(&d, FRAME_CLOSE, 5000, 0, NULL, 0);
	driver_send(&d, FRAME_EOF, FRAME_GUEST_STREAM | 1, 0, NULL, 0);
	driver_send_limit(&d, FRAME_RESUME, 5001, 0, 9);
	ping();
}

/* The guest sends what it was granted and not a byte more. */
static void credit(void)
{
	uint32_t id = driver_open(&d, 1000, "kind=exec", "shell=head -c 5000 /dev/zero", NULL);
	uint64_t got = 0;
	while (driver_next(&d, got < 1000 ? DRIVER_WAIT_MS : 300)) {
		CHECK(d.frame.type == FRAME_DATA && d.frame.offset == got);
		got += d.frame.len;
	}
	CHECK(got == 1000);
	driver_send_limit(&d, FRAME_ACK, id, 1000, 1500);
	driver_await(&d, FRAME_DATA, id);
	CHECK(d.frame.offset == 1000 && d.frame.len == 500);
	driver_send_limit(&d, FRAME_ACK, id, 1500, 9000);
	driver_await(&d, FRAME_END, id);
	CHECK(d.frame.offset == 5000);
	driver_send(&d, FRAME_CLOSE, id, 0, NULL, 0);
}

static void a_limit_never_shrinks(void)
{
	uint32_t id = driver_open(&d, 4000, "kind=exec", "stdin=1", "shell=read x; head -c 5000 /dev/zero", NULL);
	driver_send_limit(&d, FRAME_ACK, id, 0, 10);
	driver_send(&d, FRAME_DATA, id, 0, "go\n", 3);
	uint64_t got = 0;
	while (got < 4000) {
		driver_await(&d, FRAME_DATA, id);
		got += d.frame.len;
	}
	driver_send(&d, FRAME_CLOSE, id, 0, NULL, 0);
}

/* Begins sessions until the stream's state says so. */
static void resync_until(uint32_t id, const char *key, uint64_t value, struct fields *state)
{
	for (int tries = 0;; tries++) {
		driver_resync(&d);
		CHECK(driver_listed(&d, id, state));
		if (fields_number(state, key) == value)
			return;
		CHECK(tries < 1000);
		fields_free(state);
		usleep(10000);
	}
}

/* A host that takes nothing stops the process, not the agent; nothing over the ring is taken from it. */
static void a_full_ring(void)
{
	struct fields state;
	uint32_t id = driver_open(&d, 0, "kind=exec", "shell=yes; true", NULL);
	resync_until(id, "length", RING_SIZE, &state);
	CHECK(fields_number(&state, "base") == 0 && fields_number(&state, "ended") == 0);
	fields_free(&state);
	usleep(100000);
	resync_until(id, "length", RING_SIZE, &state);
	fields_free(&state);
	ping();
	driver_send(&d, FRAME_CLOSE, id, 0, NULL, 0);
	driver_resync(&d);
	CHECK(!driver_listed(&d, id, &state));
}

/* Offset by offset, whatever was acknowledged: after a RESUME every byte comes once more from there. */
static void resumed_output(void)
{
	struct fields state;
	uint32_t id = driver_open(&d, 3000, "kind=exec", "shell=i=0; while [ $i -lt 1000 ]; do echo $i; i=$((i+1)); done", NULL);
	uint64_t got = 0;
	while (got < 3000) {
		driver_await(&d, FRAME_DATA, id);
		got += d.frame.len;
	}
	driver_send_limit(&d, FRAME_ACK, id, 1700, 3000);
	close(d.fd);
	driver_connect(&d);
	resync_until(id, "ended", 1, &state);
	CHECK(fields_are(&state, "kind", "exec") && fields_number(&state, "base") == 1700 && fields_number(&state, "length") == 3890);
	CHECK(fields_number(&state, "received") == 0);
	fields_free(&state);
	CHECK(!driver_next(&d, 200)); /* silent until resumed */
	driver_send_limit(&d, FRAME_RESUME, id, 1000, 4000); /* below base: from base */
	char text[4000];
	uint64_t at = 1700;
	for (;;) {
		CHECK(driver_next(&d, DRIVER_WAIT_MS));
		if (d.frame.type == FRAME_END)
			break;
		CHECK(d.frame.type == FRAME_DATA && d.frame.offset == at);
		memcpy(text + at, d.payload, d.frame.len);
		at += d.frame.len;
	}
	CHECK(at == 3890 && d.frame.offset == 3890 && memcmp(text + 3890 - 8, "998\n999\n", 8) == 0 && memcmp(text + 1700, "451\n452\n", 4) != 0);
	/* An END stays until CLOSE. */
	driver_resync(&d);
	CHECK(driver_listed(&d, id, &state));
	fields_free(&state);
	driver_send_limit(&d, FRAME_RESUME, id, 3880, 4000);
	driver_await(&d, FRAME_DATA, id);
	CHECK(d.frame.offset == 3880 && d.frame.len == 10 && memcmp(d.payload, "7\n998\n999\n", 10) == 0);
	driver_await(&d, FRAME_END, id);
	driver_send(&d, FRAME_CLOSE, id, 0, NULL, 0);
	driver_resync(&d);
	CHECK(!driver_listed(&d, id, &state));
}

/* With credit left and more to say, ended or not: nothing before RESUME. */
static void silent_until_resumed(void)
{
	uint32_t chatty = driver_open(&d, DRIVER_WINDOW, "kind=exec", "stdin=1", "shell=while :; do echo x; sleep 0.02; done", NULL);
	uint32_t short_one = driver_open(&d, 0, "kind=exec", "shell=sleep 0.2", NULL);
	driver_await(&d, FRAME_DATA, chatty);
	uint64_t at = d.frame.offset + d.frame.len;
	driver_resync(&d);
	driver_send(&d, FRAME_DATA, chatty, 0, "unread", 6);
	CHECK(!driver_next(&d, 500));
	driver_send_limit(&d, FRAME_RESUME, short_one, 0, 0);
	driver_await(&d, FRAME_END, short_one);
	driver_send_limit(&d, FRAME_RESUME, chatty, at, at + 1000);
	driver_await(&d, FRAME_DATA, chatty);
	CHECK(d.frame.offset == at);
	driver_send(&d, FRAME_CLOSE, chatty, 0, NULL, 0);
	driver_send(&d, FRAME_CLOSE, short_one, 0, NULL, 0);
	driver_resync(&d);
}

static void resumed_input(void)
{
	struct fields state;
	uint32_t id = driver_open(&d, DRIVER_WINDOW, "kind=exec", "stdin=1", "shell=cat", NULL);
	driver_send(&d, FRAME_DATA, id, 0, "0123456789", 10);
	driver_await(&d, FRAME_DATA, id);
	uint8_t half[64];
	struct frame frame = {.type = FRAME_DATA, .stream = id, .offset = 10, .len = 10, .payload = (const uint8_t *)"abcdefghij"};
	frame_encode(half, &frame, d.tag);
	driver_send_bytes(&d, half, 25); /* a host that dies in the middle of a frame */
	uint8_t zeros[FRAME_IN_MAX + FRAME_OVERHEAD] = {0};
	driver_send_bytes(&d, zeros, sizeof zeros);
	driver_resync(&d);
	CHECK(driver_listed(&d, id, &state));
	CHECK(fields_number(&state, "received") == 10 && fields_number(&state, "limit") == 10 + STREAM_WINDOW && fields_number(&state, "ended") == 0);
	fields_free(&state);
	driver_send_limit(&d, FRAME_RESUME, id, 10, DRIVER_WINDOW);
	driver_send(&d, FRAME_DATA, id, 10, "abcdefghij", 10);
	driver_send(&d, FRAME_EOF, id, 20, NULL, 0);
	driver_send(&d, FRAME_EOF, id, 20, NULL, 0); /* a repeated one is no harm */
	driver_await(&d, FRAME_DATA, id);
	CHECK(d.frame.offset == 10 && d.frame.len == 10 && memcmp(d.payload, "abcdefghij", 10) == 0);
	driver_await(&d, FRAME_END, id);
	driver_send(&d, FRAME_CLOSE, id, 0, NULL, 0);
}

/* The limit told at a session's start holds at once, before any ACK of that session. */
static void the_told_limit_is_granted(void)
{
	static const char bytes[FRAME_IN_MAX];
	static uint8_t out[8 * (FRAME_IN_MAX + FRAME_OVERHEAD)];
	struct fields state;
	uint32_t id = driver_open(&d, DRIVER_WINDOW, "kind=exec", "stdin=1", "shell=wc -c", NULL);
	for (uint64_t at = 0; at < 3 * FRAME_IN_MAX; at += FRAME_IN_MAX)
		driver_send(&d, FRAME_DATA, id, at, bytes, FRAME_IN_MAX);
	driver_resync(&d);
	CHECK(driver_listed(&d, id, &state));
	uint64_t at = fields_number(&state, "received"), limit = fields_number(&state, "limit");
	CHECK(at == 3 * FRAME_IN_MAX && limit >= STREAM_WINDOW);
	fields_free(&state);
	size_t len = 0;
	uint8_t credit[8] = {0, 0, 1};
	struct frame resume = {.type = FRAME_RESUME, .stream = id, .len = sizeof credit, .payload = credit};
	len += frame_encode(out, &resume, d.tag);
	while (at < limit) {
		struct frame data = {.type = FRAME_DATA, .stream = id, .offset = at, .payload = (const uint8_t *)bytes,
			.len = limit - at < FRAME_IN_MAX ? (uint32_t)(limit - at) : FRAME_IN_MAX};
		len += frame_encode(out + len, &data, d.tag);
		at += data.len;
	}
	driver_send_bytes(&d, out, len);
	driver_send(&d, FRAME_EOF, id, at, NULL, 0);
	char expected[32];
	snprintf(expected, sizeof expected, "%llu\n", (unsigned long long)at);
	driver_finish(&d, id, &o);
	CHECK(outcome_is(&o, 1, expected));
	outcome_free(&o);
}

/* What breaks the protocol makes the agent silent until a RESYNC, and costs no stream. */
static void broken_protocol(void)
{
	struct fields state;
	uint32_t id = driver_open(&d, DRIVER_WINDOW, "kind=exec", "stdin=1", "shell=cat", NULL);
	const struct {
		uint8_t type;
		uint64_t offset;
		size_t len;
	} wrongs[] = {{FRAME_DATA, 1, 1}, {FRAME_EOF, 5, 0}, {FRAME_ACK, 1, 8}, {FRAME_RESUME, 1, 8}, {FRAME_OPEN, 0, 0}, {0x77, 0, 0}};
	for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++) {
		driver_send(&d, wrongs[i].type, id, wrongs[i].offset, "\0\0\0\0\0\0\0\0", wrongs[i].len);
		driver_send(&d, FRAME_PING, 0, 0, NULL, 0);
		CHECK(!driver_next(&d, 150));
		driver_resync(&d);
		CHECK(driver_listed(&d, id, &state));
		fields_free(&state);
		ping();
	}
	/* Beyond the window. */
	static const char bytes[FRAME_IN_MAX];
	uint32_t sleeper = driver_open(&d, DRIVER_WINDOW, "kind=exec", "stdin=1", "shell=sleep 30", NULL);
	uint64_t at = 0, limit = STREAM_WINDOW;
	while (at < limit) {
		driver_send(&d, FRAME_DATA, sleeper, at, bytes, FRAME_IN_MAX);
		at += FRAME_IN_MAX;
		while (at == limit && driver_next(&d, 300))
			if (d.frame.type == FRAME_ACK && d.frame.stream == sleeper)
				limit = get_u64(d.payload) / FRAME_IN_MAX * FRAME_IN_MAX;
	}
	driver_send(&d, FRAME_DATA, sleeper, at, bytes, FRAME_IN_MAX);
	driver_send(&d, FRAME_PING, 0, 0, NULL, 0);
	CHECK(!driver_next(&d, 150));
	driver_resync(&d);
	driver_send(&d, FRAME_CLOSE, sleeper, 0, NULL, 0);
	driver_send(&d, FRAME_CLOSE, id, 0, NULL, 0);
}

static void unfinished_opens_are_forgotten(void)
{
	struct fields state;
	uint8_t out[64];
	uint32_t id = d.next_id++;
	struct frame frame = {.type = FRAME_OPEN, .stream = id, .offset = 100, .len = 0, .flags = FRAME_FLAG_MORE};
	driver_send_bytes(&d, out, frame_encode(out, &frame, d.tag));
	driver_resync(&d);
	CHECK(!driver_listed(&d, id, &state));
	d.next_id = id;
	driver_run(&d, &o, "kind=exec", "arg=true", NULL);
	CHECK(fields_are(&o.end, "exit-code", "0"));
	outcome_free(&o);
}

static void closing_kills(void)
{
	char command[64];
	uint32_t id = driver_open(&d, DRIVER_WINDOW, "kind=exec", "shell=sleep 50 & echo $!; wait", NULL);
	driver_await(&d, FRAME_DATA, id);
	d.payload[d.frame.len] = 0;
	snprintf(command, sizeof command, "shell=kill -0 %d 2>/dev/null && echo lives", atoi((char *)d.payload));
	driver_send(&d, FRAME_CLOSE, id, 0, NULL, 0);
	for (int tries = 0;; tries++) {
		driver_run(&d, &o, "kind=exec", command, NULL);
		bool gone = o.total == 0;
		outcome_free(&o);
		if (gone)
			break;
		CHECK(tries < 100);
		usleep(20000);
	}
}

static void too_many(void)
{
	uint32_t first = d.next_id;
	for (int i = 0; i < STREAMS_MAX; i++)
		driver_open(&d, 0, "kind=nothing", NULL);
	uint32_t over[3];
	for (int i = 0; i < 3; i++)
		over[i] = driver_open(&d, 0, "kind=exec", "arg=true", NULL);
	int refused = 0;
	while (refused < 3) {
		CHECK(driver_next(&d, DRIVER_WAIT_MS));
		struct fields end;
		CHECK(d.frame.type == FRAME_END && fields_parse(&end, d.payload, d.frame.len, 8) == 0);
		bool is_over = d.frame.stream >= over[0];
		CHECK(fields_are(&end, "error", is_over ? "too-many-streams" : "unknown-kind"));
		refused += is_over;
		fields_free(&end);
	}
	for (int i = 0; i < STREAMS_MAX; i++)
		driver_send(&d, FRAME_CLOSE, first + (uint32_t)i, 0, NULL, 0);
	driver_resync(&d);
	driver_run(&d, &o, "kind=exec", "arg=true", NULL);
	CHECK(fields_are(&o.end, "exit-code", "0"));
	outcome_free(&o);
}

/* One busy stream does not hold up another. */
static void fairness(void)
{
	uint32_t busy = driver_open(&d, 1u << 30, "kind=exec", "shell=yes", NULL);
	driver_await(&d, FRAME_DATA, busy);
	uint64_t before = d.frame.offset, seen = 0;
	uint32_t small = driver_open(&d, DRIVER_WINDOW, "kind=exec", "shell=echo small", NULL);
	do {
		CHECK(driver_next(&d, DRIVER_WAIT_MS));
		if (d.frame.stream == busy) {
			seen = d.frame.offset + d.frame.len;
			driver_send_limit(&d, FRAME_ACK, busy, seen, 1u << 30);
		}
	} while (d.frame.stream != small || d.frame.type != FRAME_END);
	CHECK(seen >= before);
	driver_send(&d, FRAME_CLOSE, small, 0, NULL, 0);
	driver_send(&d, FRAME_CLOSE, busy, 0, NULL, 0);
	driver_resync(&d);
}

static void a_new_client_replaces_the_old(void)
{
	int old = d.fd;
	char byte;
	driver_connect(&d);
	driver_resync(&d);
	CHECK(read(old, &byte, 1) >= 0);
	while (read(old, &byte, 1) > 0)
		;
	close(old);
	ping();
}

static void garbage(void)
{
	static uint8_t bytes[70000];
	uint64_t seed = 20261129;
	for (int round = 0; round < 60; round++) {
		size_t len = random_below(&seed, sizeof bytes);
		for (size_t i = 0; i < len; i++)
			bytes[i] = random_below(&seed, 6) ? (uint8_t)random_next(&seed) : 0;
		driver_send_bytes(&d, bytes, len);
		/* Well framed nonsense too. */
		for (int i = 0; i < 40; i++) {
			static const uint8_t types[] = {FRAME_OPEN, FRAME_DATA, FRAME_ACK, FRAME_EOF, FRAME_CONTROL, FRAME_RESUME, FRAME_CLOSE, FRAME_PING};
			size_t size = random_below(&seed, 3) ? 8 : random_below(&seed, 300);
			driver_send(&d, types[random_below(&seed, sizeof types)], (uint32_t)random_below(&seed, 20), random_below(&seed, 30), bytes, size);
			if (random_below(&seed, 4) == 0)
				driver_resync(&d);
		}
		driver_send_bytes(&d, memset(bytes, 0, FRAME_IN_MAX + FRAME_OVERHEAD), FRAME_IN_MAX + FRAME_OVERHEAD);
		driver_resync(&d);
	}
	for (uint32_t id = 0; id < 20; id++)
		driver_send(&d, FRAME_CLOSE, id ? id : 1, 0, NULL, 0);
	driver_resync(&d);
	d.next_id = 100000;
	driver_run(&d, &o, "kind=exec", "arg=echo", "arg=well", NULL);
	CHECK(outcome_is(&o, 1, "well\n"));
	outcome_free(&o);
}

int main(void)
{
	driver_start(&d);
	hello();
	ping();
	unknown_kinds();
	credit();
	a_limit_never_shrinks();
	a_full_ring();
	resumed_output();
	silent_until_resumed();
	resumed_input();
	the_told_limit_is_granted();
	broken_protocol();
	unfinished_opens_are_forgotten();
	closing_kills();
	too_many();
	fairness();
	a_new_client_replaces_the_old();
	garbage();
	driver_stop(&d);
	return 0;
}
