#include "identity.h"

#include "agent.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define ENTROPY_MIN 32
#define ENTROPY_MAX 256

static bool is_hex(const char *text, size_t from, size_t len)
{
	for (size_t i = from; i < from + len; i++)
		if (!isdigit((unsigned char)text[i]) && !(text[i] >= 'a' && text[i] <= 'f'))
			return false;
	return true;
}

static bool is_machine_id(const char *text)
{
	return strlen(text) == 32 && is_hex(text, 0, 32);
}

static bool is_uuid(const char *text)
{
	return strlen(text) == 36 && text[8] == '-' && text[13] == '-' && text[18] == '-' && text[23] == '-' && is_hex(text, 0, 8) &&
		is_hex(text, 9, 4) && is_hex(text, 14, 4) && is_hex(text, 19, 4) && is_hex(text, 24, 12);
}

static bool is_hostname(const char *text)
{
	size_t len = strlen(text);
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)text[i]) && text[i] != '-' && text[i] != '.')
			return false;
	return len > 0 && len <= 64 && text[0] != '-' && text[0] != '.';
}

static bool is_number(const char *text)
{
	size_t len = strlen(text);
	return len > 0 && len <= 20 && strspn(text, "0123456789") == len;
}

static bool is_address(const char *text)
{
	unsigned char address[16];
	return inet_pton(AF_INET, text, address) == 1 || inet_pton(AF_INET6, text, address) == 1;
}

/* The parts that are one checked text each, in the order they are applied. */
static const struct {
	const char *step;
	bool (*valid)(const char *text);
	int (*apply)(const char *dry, const char *text);
} parts[] = {
	{"hostname", is_hostname, identity_set_hostname},
	{"machine-id", is_machine_id, identity_set_machine_id},
	{"boot-id", is_uuid, identity_set_boot_id},
	{"nameserver", is_address, identity_set_nameserver},
	{"generation", is_number, identity_set_generation},
};

#define PARTS (sizeof parts / sizeof parts[0])

static void refuse(struct stream *stream, const char *error, const char *step, const char *why)
{
	struct fields_out result = {0};
	char message[256];
	snprintf(message, sizeof message, "%s: %s", step, why);
	fields_put_string(&result, "error", error);
	fields_put_string(&result, "step", step);
	fields_put_string(&result, "message", message);
	stream_end(stream, &result);
}

/* The first part that is malformed, or NULL: nothing is applied unless all can be. */
static const char *malformed(const struct fields *fields)
{
	uint64_t clock_ns;
	const struct field *entropy = fields_find(fields, "entropy");
	if (!entropy || entropy->value_len < ENTROPY_MIN || entropy->value_len > ENTROPY_MAX)
		return "entropy";
	if (fields_u64(fields, "clock-ns", INT64_MAX, &clock_ns) < 0)
		return "clock-ns";
	for (size_t i = 0; i < PARTS; i++)
		if (fields_find(fields, parts[i].step) && !parts[i].valid(fields_string(fields, parts[i].step, "")))
			return parts[i].step;
	return NULL;
}

/* The step that failed, or NULL. */
static const char *apply(const char *dry, const struct fields *fields)
{
	uint64_t clock_ns;
	const struct field *entropy = fields_find(fields, "entropy");
	if (identity_reseed(dry, entropy->value, entropy->value_len) < 0)
		return "reseed";
	if (fields_u64(fields, "clock-ns", INT64_MAX, &clock_ns) == 1 && identity_set_clock(dry, clock_ns) < 0)
		return "clock";
	for (size_t i = 0; i < PARTS; i++)
		if (fields_find(fields, parts[i].step) && parts[i].apply(dry, fields_string(fields, parts[i].step, "")) < 0)
			return parts[i].step;
	return NULL;
}

void identity_start(struct agent *agent, struct stream *stream, const struct fields *fields)
{
	const char *step = malformed(fields);
	if (step) {
		refuse(stream, "invalid", step, "missing or malformed");
		return;
	}
	if (!agent->is_init && !agent->dry_identity) {
		refuse(stream, "permission", "entropy", "not the machine's own agent and without --dry-identity");
		return;
	}
	if (fields_flag(fields, "drop-streams"))
		session_drop_streams(&agent->session, stream);
	step = apply(agent->dry_identity, fields);
	if (step) {
		refuse(stream, "io", step, strerror(errno));
		return;
	}
	snprintf(agent->generation, sizeof agent->generation, "%s", fields_string(fields, "generation", agent->generation));
	struct fields_out result = {0};
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	fields_put_string(&result, "ok", "1");
	fields_put_u64(&result, "clock-ns", (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec);
	stream_end(stream, &result);
}
