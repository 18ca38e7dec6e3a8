#include "freezer.h"

#include "agent.h"
#include "exec/parked.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_TIMEOUT_MS 1000
#define TIMEOUT_MAX_MS 60000
/* The kernel holds an event back when there was one less than 10 ms ago (linux: kernel/cgroup/cgroup.c, CGROUP_FILE_NOTIFY_MIN_INTV). */
#define LOOK_MS 3

bool freezer_is_there(const struct agent *agent)
{
	return agent->workload.freeze_fd >= 0 && agent->workload.events_fd >= 0;
}

static bool all_stopped(const struct agent *agent)
{
	char text[256];
	ssize_t got = pread(agent->workload.events_fd, text, sizeof text - 1, 0);
	if (got <= 0)
		return false;
	text[got] = 0;
	return strstr(text, "frozen 1") != NULL;
}

static int set(const struct agent *agent, const char *state)
{
	return pwrite(agent->workload.freeze_fd, state, 1, 0) == 1 ? 0 : -1;
}

static struct stream *stop_waiting(struct agent *agent)
{
	struct freezer *freezer = &agent->freezer;
	struct stream *stream = freezer->waiting;
	freezer->waiting = NULL;
	loop_watch(&agent->loop, &freezer->events, 0);
	loop_clear_timer(&agent->loop, &freezer->deadline);
	loop_clear_timer(&agent->loop, &freezer->look);
	return stream;
}

static void answer(struct stream *stream)
{
	struct fields_out result = {0};
	fields_put_string(&result, "ok", "1");
	stream_end(stream, &result);
}

static void look(void *owner)
{
	struct agent *agent = owner;
	if (all_stopped(agent))
		answer(stop_waiting(agent));
	else
		loop_set_timer(&agent->loop, &agent->freezer.look, LOOK_MS);
}

static void event(void *owner, uint32_t events)
{
	(void)events;
	look(owner);
}

static void too_late(void *owner)
{
	struct agent *agent = owner;
	struct stream *stream = stop_waiting(agent);
	freezer_thaw(agent);
	stream_fail(stream, "timeout", "some processes did not stop in time; all go on");
}

static void on_abort(struct stream *stream)
{
	struct agent *agent = stream->work;
	stop_waiting(agent);
	freezer_thaw(agent);
}

static const struct work_ops waiting_ops = {
	.input = stream_discard_input, .room = stream_ignore_room, .control = stream_ignore_control, .abort = on_abort};

static void wait_for_all(struct agent *agent, struct stream *stream, uint64_t timeout_ms)
{
	struct freezer *freezer = &agent->freezer;
	freezer->waiting = stream;
	freezer->events = (struct watch){.fd = agent->workload.events_fd, .ready = event, .owner = agent};
	freezer->deadline.fire = too_late;
	freezer->deadline.owner = agent;
	freezer->look.fire = look;
	freezer->look.owner = agent;
	stream->ops = &waiting_ops;
	stream->work = agent;
	loop_watch(&agent->loop, &freezer->events, EPOLLPRI);
	loop_set_timer(&agent->loop, &freezer->deadline, timeout_ms);
	look(agent);
}

void freezer_start(struct agent *agent, struct stream *stream, const struct fields *fields)
{
	struct freezer *freezer = &agent->freezer;
	uint64_t timeout_ms = DEFAULT_TIMEOUT_MS;
	if (fields_u64(fields, "timeout-ms", TIMEOUT_MAX_MS, &timeout_ms) < 0) {
		stream_fail(stream, "invalid", "timeout-ms is a number up to %d", TIMEOUT_MAX_MS);
	} else if (!freezer_is_there(agent)) {
		stream_fail(stream, "unknown-kind", "this kernel has no freezer");
	} else if (freezer->waiting) {
		stream_fail(stream, "busy", "the workload is being frozen already");
	} else if (!freezer->asked && set(agent, "1") < 0) {
		stream_fail(stream, "io", "cgroup.freeze: %s", strerror(errno));
	} else {
		freezer->asked = true;
		wait_for_all(agent, stream, timeout_ms);
	}
}

void freezer_thaw(struct agent *agent)
{
	struct stream *stream = stop_waiting(agent);
	if (stream)
		stream_fail(stream, "timeout", "thawed meanwhile");
	if (!agent->freezer.asked)
		return;
	/* Nothing can be done about a failure: the kernel refuses only what it does not know. */
	(void)!set(agent, "0");
	agent->freezer.asked = false;
	parked_start_all(agent);
}

void freezer_end(struct agent *agent, struct stream *stream, const struct fields *fields)
{
	(void)fields;
	if (!freezer_is_there(agent)) {
		stream_fail(stream, "unknown-kind", "this kernel has no freezer");
		return;
	}
	freezer_thaw(agent);
	answer(stream);
}
