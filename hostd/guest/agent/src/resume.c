#include "resume.h"

#include "agent.h"
#include "hooks.h"
#include "identity.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_HOOKS_MS 8000
#define HOOKS_MAX_MS 600000

static void refuse(struct stream *stream, const char *error, const char *step, const char *why)
{
	struct fields_out result = {0};
	char message[1024];
	snprintf(message, sizeof message, "%s: %s", step, why);
	fields_put_string(&result, "error", error);
	fields_put_string(&result, "step", step);
	fields_put_string(&result, "message", message);
	stream_end(stream, &result);
}

static void succeed(struct agent *agent, struct stream *stream)
{
	struct fields_out result = {0};
	struct timespec now;
	freezer_thaw(agent);
	clock_gettime(CLOCK_REALTIME, &now);
	fields_put_string(&result, "ok", "1");
	fields_put_u64(&result, "clock-ns", (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec);
	stream_end(stream, &result);
}

static void hooks_done(void *owner, const char *step, const char *message)
{
	struct agent *agent = owner;
	struct stream *stream = agent->resuming;
	agent->resuming = NULL;
	stream->ops = NULL;
	if (step)
		refuse(stream, "io", step, message);
	else
		succeed(agent, stream);
}

static void on_abort(struct stream *stream)
{
	struct agent *agent = stream->work;
	agent->resuming = NULL;
	hooks_abort(agent);
}

static const struct work_ops resuming_ops = {
	.input = stream_discard_input, .room = stream_ignore_room, .control = stream_ignore_control, .abort = on_abort};

static void run_hooks(struct agent *agent, struct stream *stream, const struct fields *fields, uint64_t timeout_ms)
{
	char hostname[72] = "";
	gethostname(hostname, sizeof hostname - 1);
	stream->ops = &resuming_ops;
	stream->work = agent;
	agent->resuming = stream;
	hooks_run(agent, &(struct hooks_request){.root = agent->dry_identity ? agent->dry_identity : "", .generation = agent->generation,
		.hostname = fields_string(fields, "hostname", hostname), .timeout_ms = timeout_ms, .done = hooks_done, .owner = agent});
}

/* For the next hello. The texts were checked. */
static void keep(char *place, size_t size, const struct fields *fields, const char *key)
{
	const char *text = fields_string(fields, key, "");
	size_t len = strlen(text);
	if (len > 0 && len < size)
		memcpy(place, text, len + 1);
}

void resume_start(struct agent *agent, struct stream *stream, const struct fields *fields)
{
	uint64_t hooks_ms = DEFAULT_HOOKS_MS;
	const char *step = identity_malformed(fields);
	if (!step && fields_u64(fields, "hooks-timeout-ms", HOOKS_MAX_MS, &hooks_ms) < 0)
		step = "hooks-timeout-ms";
	if (step) {
		refuse(stream, "invalid", step, "missing or malformed");
		return;
	}
	if (!agent->is_init && !agent->dry_identity) {
		refuse(stream, "permission", "entropy", "not the machine's own agent and without --dry-identity");
		return;
	}
	if (agent->resuming) {
		stream_fail(stream, "busy", "the machine is taking up an identity already");
		return;
	}
	if (fields_flag(fields, "drop-streams"))
		session_drop_streams(&agent->session, stream);
	step = identity_apply(agent->dry_identity, fields);
	if (step) {
		refuse(stream, "io", step, strerror(errno));
		return;
	}
	keep(agent->generation, sizeof agent->generation, fields, "generation");
	keep(agent->boot_id, sizeof agent->boot_id, fields, "boot-id");
	if (fields_flag(fields, "copied"))
		run_hooks(agent, stream, fields, hooks_ms);
	else
		succeed(agent, stream);
}
