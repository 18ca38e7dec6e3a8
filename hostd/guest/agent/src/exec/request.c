#include "request.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SHELL_ARG_MAX (100u << 10)
#define TIME_MAX_MS (366ull * 24 * 3600 * 1000)
#define DEFAULT_DRAIN_MS 200
#define ENV_FILE "/etc/offshoot/env"

static bool invalid(struct stream *stream, const char *what)
{
	stream_fail(stream, "invalid", "%s", what);
	return false;
}

static bool has_nul(const struct field *field)
{
	return memchr(field->value, 0, field->value_len) != NULL;
}

/* A sealed file in memory, as descriptor above 3. */
static int script_file(const unsigned char *text, size_t len)
{
	int low = memfd_create("script", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (low < 0)
		return -1;
	int fd = fcntl(low, F_DUPFD_CLOEXEC, 4);
	close(low);
	while (fd >= 0 && len > 0) {
		ssize_t put = write(fd, text, len);
		if (put <= 0) {
			close(fd);
			return -1;
		}
		text += put;
		len -= (size_t)put;
	}
	if (fd >= 0)
		fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL);
	return fd;
}

static bool read_shell(struct exec_request *request, struct stream *stream, const struct field *shell)
{
	strings_add(&request->argv, "/bin/sh", 7);
	if (shell->value_len <= SHELL_ARG_MAX) {
		strings_add(&request->argv, "-c", 2);
		strings_add(&request->argv, (const char *)shell->value, shell->value_len);
		return true;
	}
	request->script_fd = script_file(shell->value, shell->value_len);
	if (request->script_fd < 0) {
		stream_fail(stream, "spawn-failed", "no memory file for a script of %zu bytes: %s", shell->value_len, strerror(errno));
		return false;
	}
	strings_add(&request->argv, "/proc/self/fd/3", 15);
	return true;
}

static bool read_command(struct exec_request *request, struct stream *stream, const struct fields *fields)
{
	const struct field *shell = fields_find(fields, "shell");
	if (shell && has_nul(shell))
		return invalid(stream, "the shell text holds a NUL");
	for (size_t i = 0; i < fields->count; i++) {
		const struct field *field = &fields->items[i];
		if (strcmp(field->key, "arg") != 0)
			continue;
		if (has_nul(field))
			return invalid(stream, "an argument holds a NUL");
		strings_add(&request->argv, (const char *)field->value, field->value_len);
	}
	if (!shell == (request->argv.count == 0))
		return invalid(stream, "either arg or shell is needed");
	return shell ? read_shell(request, stream, shell) : true;
}

static bool read_user(struct exec_request *request, struct stream *stream, const struct fields *fields)
{
	const struct field *field = fields_find(fields, "user");
	const char *spec = fields_string(fields, "user", "");
	char self[16];
	snprintf(self, sizeof self, "%u", geteuid());
	request->switch_user = field && *spec;
	bool unreadable = field && !*spec && field->value_len > 0;
	if (unreadable || !user_find("/etc", request->switch_user ? spec : self, &request->user)) {
		stream_fail(stream, "user-missing", "there is no user \"%.200s\"", spec);
		return false;
	}
	if (request->switch_user)
		user_find_groups("/etc", &request->user);
	return true;
}

static bool read_env(struct exec_request *request, struct stream *stream, const struct fields *fields)
{
	environment_defaults(&request->env, &request->user, request->terminal);
	environment_read(&request->env, ENV_FILE);
	for (size_t i = 0; i < fields->count; i++) {
		const struct field *field = &fields->items[i];
		if (strcmp(field->key, "env") == 0 && (has_nul(field) || !environment_set(&request->env, (const char *)field->value)))
			return invalid(stream, "an env entry is not K=V or holds a NUL");
	}
	return true;
}

static bool read_numbers(struct exec_request *request, struct stream *stream, const struct fields *fields)
{
	if (fields_u64(fields, "rows", 65535, &request->rows) < 0 || fields_u64(fields, "cols", 65535, &request->cols) < 0)
		return invalid(stream, "rows and cols are numbers up to 65535");
	if (fields_u64(fields, "timeout-ms", TIME_MAX_MS, &request->timeout_ms) < 0)
		return invalid(stream, "timeout-ms is a number of at most a year");
	if (fields_u64(fields, "drain-ms", TIME_MAX_MS, &request->drain_ms) < 0)
		return invalid(stream, "drain-ms is a number of at most a year");
	return true;
}

bool exec_request_read(struct exec_request *request, struct stream *stream, const struct fields *fields, const char *workspace)
{
	*request = (struct exec_request){.script_fd = -1, .rows = 24, .cols = 80, .drain_ms = DEFAULT_DRAIN_MS};
	request->terminal = fields_flag(fields, "pty");
	request->input = fields_flag(fields, "stdin") || request->terminal;
	request->cwd = fields_string(fields, "cwd", fields_find(fields, "cwd") ? "" : workspace);
	if (read_numbers(request, stream, fields) && read_command(request, stream, fields) && read_user(request, stream, fields) &&
	    read_env(request, stream, fields)) {
		environment_search(&request->paths, request->argv.items[0], environment_get(&request->env, "PATH"));
		if (!request->argv.failed && !request->env.failed && !request->paths.failed)
			return true;
		stream_fail(stream, "spawn-failed", "the agent is out of memory");
	}
	exec_request_free(request);
	return false;
}

void exec_request_free(struct exec_request *request)
{
	strings_free(&request->argv);
	strings_free(&request->env);
	strings_free(&request->paths);
	if (request->script_fd >= 0)
		close(request->script_fd);
	request->script_fd = -1;
}
