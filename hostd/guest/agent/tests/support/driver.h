/* A host for tests: starts the agent program and speaks the protocol with it. Every failure ends the test. */
#ifndef OFFSHOOT_TESTS_DRIVER_H
#define OFFSHOOT_TESTS_DRIVER_H

#include "../../src/fields.h"
#include "../../src/frame.h"

#include <sys/types.h>

#define DRIVER_WINDOW (1u << 20)
#define DRIVER_WAIT_MS 20000

struct driver {
	pid_t pid;
	int fd;
	char socket_path[128], workspace[64];
	uint32_t tag, next_id;
	struct fields hello;
	size_t len;
	uint8_t buf[1 << 20];
	struct frame frame; /* the last one; its payload is in `payload` */
	uint8_t payload[FRAME_OUT_MAX];
};

/* What an exec or any other kind came to. */
struct outcome {
	struct fields end;
	uint64_t end_offset;
	size_t len[3], cap[3]; /* bytes by channel */
	uint8_t *bytes[3]; /* each followed by a NUL */
	uint64_t total;
};

/* The program named by OFFSHOOT_AGENT, listening on a socket in a fresh folder which is also the workspace; a session is begun. */
void driver_start(struct driver *driver);
/* The same with one option more. */
void driver_start_with(struct driver *driver, const char *option, const char *value);
/* Kills it and removes the folder; the agent must still be running and well. */
void driver_stop(struct driver *driver);
void driver_connect(struct driver *driver);
/* Sends RESYNC, discards what comes before its answer, keeps the answer's fields in `hello`. */
void driver_resync(struct driver *driver);
void driver_send_bytes(struct driver *driver, const void *bytes, size_t len);
void driver_send(struct driver *driver, uint8_t type, uint32_t stream, uint64_t offset, const void *payload, size_t len);
void driver_send_limit(struct driver *driver, uint8_t type, uint32_t stream, uint64_t offset, uint64_t limit);
/* The next frame into driver->frame; false when none came in time. */
bool driver_next(struct driver *driver, int wait_ms);
/* The next frame of this type and stream; others are dropped. */
void driver_await(struct driver *driver, uint8_t type, uint32_t stream);

/* Opens with fields given as "key=value" strings, NULL-ended; returns the id. */
uint32_t driver_open(struct driver *driver, uint64_t limit, const char *first, ...);
uint32_t driver_open_fields(struct driver *driver, uint64_t limit, const struct fields_out *fields);
/* Takes all output until END, acknowledging as it comes, then closes. Checks that offsets are contiguous. */
void driver_finish(struct driver *driver, uint32_t id, struct outcome *outcome);
/* Open and finish. */
void driver_run(struct driver *driver, struct outcome *outcome, const char *first, ...);
void outcome_free(struct outcome *outcome);
bool outcome_is(const struct outcome *outcome, int channel, const char *text);
bool fields_are(const struct fields *fields, const char *key, const char *value);
uint64_t fields_number(const struct fields *fields, const char *key);
/* Finds a stream in a hello; false when not listed. Free `state` then. */
bool driver_listed(const struct driver *driver, uint32_t id, struct fields *state);
uint64_t now_ms(void);

#endif
