#include "refusal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MAX_ARG_STRLEN (128u << 10) /* linux: include/uapi/linux/binfmts.h, 32 pages */

static void refuse(struct stream *stream, const char *error, int exit_code, const char *message)
{
	struct fields_out result = {0};
	fields_put_string(&result, "error", error);
	fields_put_string(&result, "message", message);
	if (exit_code >= 0)
		fields_put_u64(&result, "exit-code", (uint64_t)exit_code);
	stream_end(stream, &result);
}

static const char *too_big(const struct exec_request *request)
{
	const struct strings *lists[] = {&request->argv, &request->env};
	for (size_t l = 0; l < 2; l++)
		for (size_t i = 0; i < lists[l]->count; i++)
			if (strlen(lists[l]->items[i]) >= MAX_ARG_STRLEN)
				return "one argument or environment entry is over the kernel's limit of 128 KiB (MAX_ARG_STRLEN)";
	return "arguments and environment together are over the kernel's limit (ARG_MAX, a quarter of the stack limit)";
}

/* The kernel says ENOENT both for a missing program and for a missing interpreter. */
static bool program_exists(const struct exec_request *request)
{
	int cwd = open(request->cwd, O_PATH | O_CLOEXEC);
	bool exists = cwd >= 0 && request->paths.count == 1 && faccessat(cwd, request->paths.items[0], F_OK, 0) == 0;
	if (cwd >= 0)
		close(cwd);
	return exists;
}

void refusal_explain(struct stream *stream, const struct spawn *s, const struct exec_request *request)
{
	char message[4600];
	const char *program = request->argv.items[0], *why = strerror(s->error);
	snprintf(message, sizeof message, "%.4000s: %s", program, why);
	if (s->failed_step == SPAWN_CWD) {
		snprintf(message, sizeof message, "working directory \"%.4000s\": %s", s->cwd, why);
		refuse(stream, "cwd-missing", -1, message);
	} else if (s->failed_step != SPAWN_EXEC) {
		snprintf(message, sizeof message, "no process could be started (step %d): %s", (int)s->failed_step, why);
		refuse(stream, "spawn-failed", -1, message);
	} else if (s->error == ENOENT && program_exists(request)) {
		snprintf(message, sizeof message, "%.4000s: its interpreter or loader is missing", program);
		refuse(stream, "not-executable", 126, message);
	} else if (s->error == ENOENT || s->error == ENOTDIR) {
		refuse(stream, "command-not-found", 127, message);
	} else if (s->error == E2BIG) {
		refuse(stream, "spawn-failed", -1, too_big(request));
	} else if (s->error == EACCES || s->error == ENOEXEC || s->error == EPERM || s->error == EISDIR || s->error == ELOOP || s->error == ETXTBSY) {
		refuse(stream, "not-executable", 126, message);
	} else {
		refuse(stream, "spawn-failed", -1, message);
	}
}
