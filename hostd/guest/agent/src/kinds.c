#include "kinds.h"

#include "agent.h"
#include "exec/exec.h"
#include "freezer.h"
#include "metrics.h"
#include "power.h"
#include "resume.h"
#include "transfer.h"
#include "worker.h"

#include <string.h>

static const struct {
	const char *name;
	void (*start)(struct agent *agent, struct stream *stream, const struct fields *fields);
} own_kinds[] = {
	{"exec", exec_start},
	{"freeze-workload", freezer_start},
	{"metrics", metrics_start},
	{"prepare-resume", resume_start},
	{"sync", power_sync},
	{"shutdown", power_shutdown},
	{"thaw-workload", freezer_end},
};

static const char *const file_kinds[] = {"read-file", "write-file", "list", "stat", "tar-in", "tar-out"};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

void kinds_start(struct agent *agent, struct stream *stream, const struct fields *fields)
{
	const char *kind = fields_string(fields, "kind", "");
	strncpy(stream->kind, kind, sizeof stream->kind - 1);
	for (size_t i = 0; i < COUNT(own_kinds); i++)
		if (strcmp(kind, own_kinds[i].name) == 0) {
			own_kinds[i].start(agent, stream, fields);
			return;
		}
	if (worker_knows(kind))
		transfer_start(agent, stream, fields);
	else
		stream_fail(stream, "unknown-kind", "this agent has no kind \"%.64s\"", kind);
}

static bool is_there(const struct agent *agent, size_t kind)
{
	bool freezing = own_kinds[kind].start == freezer_start || own_kinds[kind].start == freezer_end;
	return !freezing || freezer_is_there(agent);
}

void kinds_put_capabilities(const struct agent *agent, struct fields_out *out)
{
	for (size_t i = 0; i < COUNT(own_kinds); i++)
		if (is_there(agent, i))
			fields_put_string(out, "capability", own_kinds[i].name);
	for (size_t i = 0; i < COUNT(file_kinds); i++)
		if (worker_knows(file_kinds[i]))
			fields_put_string(out, "capability", file_kinds[i]);
	fields_put_string(out, "capability", "drop-streams");
	fields_put_string(out, "capability", "include");
}

void kinds_put_identity(const struct agent *agent, struct fields_out *out)
{
	fields_put_string(out, "boot-id", agent->boot_id);
	fields_put_string(out, "generation", agent->generation);
}
