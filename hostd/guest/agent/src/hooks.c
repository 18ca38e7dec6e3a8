#include "hooks.h"

#include "agent.h"
#include "exec/environment.h"
#include "exec/spawn.h"
#include "hook-output.h"
#include "ssh-keys.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define HOOKS_FOLDER "/etc/offshoot/on-fork.d"
#define SSH_KEYGEN "/usr/bin/ssh-keygen"
#define ENV_FILE "/etc/offshoot/env"

struct hooks {
	struct hooks_request request;
	struct strings programs, env;
	size_t at;
	bool keys; /* the first program is ssh-keygen */
	bool late;
	pid_t pid;
	int writer_fd;
	struct hook_output *output;
	struct timer deadline;
};

static void free_hooks(struct agent *agent)
{
	struct hooks *hooks = agent->hooks;
	agent->hooks = NULL;
	loop_clear_timer(&agent->loop, &hooks->deadline);
	if (hooks->writer_fd >= 0)
		close(hooks->writer_fd);
	hook_output_leave(hooks->output);
	strings_free(&hooks->programs);
	strings_free(&hooks->env);
	free(hooks);
}

static void finish(struct agent *agent, const char *step, const char *message)
{
	struct hooks_request request = agent->hooks->request;
	if (step)
		workload_kill_hooks(&agent->workload);
	else
		workload_take_hooks(&agent->workload);
	free_hooks(agent);
	request.done(request.owner, step, message);
}

static const char *step_of(const struct hooks *hooks)
{
	return hooks->keys && hooks->at == 0 ? "ssh-keys" : "hook";
}

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static void fail(struct agent *agent, const char *why)
{
	struct hooks *hooks = agent->hooks;
	char message[HOOK_TAIL_MAX + 512];
	const char *tail = hooks->output ? hook_output_tail(hooks->output) : "";
	snprintf(message, sizeof message, "%.100s: %s%s%s", name_of(hooks->programs.items[hooks->at]), why, *tail ? ": " : "", tail);
	finish(agent, step_of(hooks), message);
}

static pid_t start(struct agent *agent, char *path, int *error)
{
	struct hooks *hooks = agent->hooks;
	char *with_root[] = {path, "-A", "-f", (char *)hooks->request.root, NULL}, *plain[] = {path, "-A", NULL}, *alone[] = {path, NULL};
	char *paths[] = {path, NULL};
	bool keygen = hooks->keys && hooks->at == 0;
	struct spawn s = {.paths = paths, .argv = !keygen ? alone : *hooks->request.root ? with_root : plain, .envp = hooks->env.items, .cwd = "/",
		.fd = {agent->null_fd, hooks->writer_fd, hooks->writer_fd}, .script_fd = -1, .cgroup_fd = agent->workload.hooks_fd, .spare_cgroup_fd = -1};
	pid_t pid = spawn(&s);
	*error = s.error;
	return pid;
}

static void next(struct agent *agent)
{
	struct hooks *hooks = agent->hooks;
	char why[256];
	int error;
	if (hooks->at == hooks->programs.count) {
		finish(agent, NULL, NULL);
		return;
	}
	hook_output_clear(hooks->output);
	hooks->pid = start(agent, hooks->programs.items[hooks->at], &error);
	if (hooks->pid > 0)
		return;
	snprintf(why, sizeof why, "it could not be started: %s", strerror(error));
	fail(agent, why);
}

void hooks_reaped(struct agent *agent, pid_t pid, int status)
{
	struct hooks *hooks = agent->hooks;
	char why[128];
	if (!hooks || hooks->pid != pid)
		return;
	hooks->pid = 0;
	if (hooks->late) {
		snprintf(why, sizeof why, "not done within %llu ms", (unsigned long long)hooks->request.timeout_ms);
		fail(agent, why);
	} else if (WIFSIGNALED(status)) {
		snprintf(why, sizeof why, "signal %d", WTERMSIG(status));
		fail(agent, why);
	} else if (WEXITSTATUS(status) != 0) {
		snprintf(why, sizeof why, "exit code %d", WEXITSTATUS(status));
		fail(agent, why);
	} else {
		hooks->at++;
		next(agent);
	}
}

static void kill_all(struct agent *agent)
{
	if (agent->hooks->pid > 0)
		kill(-agent->hooks->pid, SIGKILL);
	workload_kill_hooks(&agent->workload);
}

static void too_late(void *owner)
{
	struct agent *agent = owner;
	agent->hooks->late = true;
	kill_all(agent);
}

void hooks_abort(struct agent *agent)
{
	if (!agent->hooks)
		return;
	kill_all(agent);
	free_hooks(agent);
}

static bool is_executable(int folder, const char *name)
{
	struct stat info;
	size_t len = strlen(name);
	return name[0] != '.' && name[len - 1] != '~' && fstatat(folder, name, &info, 0) == 0 && S_ISREG(info.st_mode) && (info.st_mode & 0111);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void find_hooks(struct strings *programs, const char *root)
{
	char path[PATH_MAX];
	size_t first = programs->count;
	snprintf(path, sizeof path, "%s" HOOKS_FOLDER, root);
	DIR *folder = opendir(path);
	if (!folder)
		return;
	for (struct dirent *entry; (entry = readdir(folder));) {
		int len = snprintf(path, sizeof path, "%s" HOOKS_FOLDER "/%s", root, entry->d_name);
		if (len < (int)sizeof path && is_executable(dirfd(folder), entry->d_name))
			strings_add(programs, path, (size_t)len);
	}
	closedir(folder);
	if (programs->count > first)
		qsort(programs->items + first, programs->count - first, sizeof *programs->items, by_name);
}

static void find_keygen(struct hooks *hooks)
{
	char path[PATH_MAX];
	int len = snprintf(path, sizeof path, "%s" SSH_KEYGEN, hooks->request.root);
	if (len >= (int)sizeof path || access(path, X_OK) < 0)
		return;
	strings_add(&hooks->programs, path, (size_t)len);
	hooks->keys = true;
}

static void set_environment(struct hooks *hooks)
{
	char pair[512];
	struct user user;
	if (user_find("/etc", "0", &user))
		environment_defaults(&hooks->env, &user, false);
	environment_read(&hooks->env, ENV_FILE);
	snprintf(pair, sizeof pair, "OFFSHOOT_GENERATION=%s", hooks->request.generation);
	environment_set(&hooks->env, pair);
	snprintf(pair, sizeof pair, "OFFSHOOT_SANDBOX_HOSTNAME=%s", hooks->request.hostname);
	environment_set(&hooks->env, pair);
}

/* What every program needs; most copies have none to run. */
static bool prepare(struct agent *agent)
{
	struct hooks *hooks = agent->hooks;
	set_environment(hooks);
	hooks->output = hook_output_open(&agent->loop, &hooks->writer_fd);
	hooks->deadline = (struct timer){.fire = too_late, .owner = agent};
	loop_set_timer(&agent->loop, &hooks->deadline, hooks->request.timeout_ms);
	return hooks->output && !hooks->programs.failed && !hooks->env.failed;
}

void hooks_run(struct agent *agent, const struct hooks_request *request)
{
	int keys = ssh_keys_remove(request->root);
	if (keys < 0) {
		request->done(request->owner, "ssh-keys", strerror(errno));
		return;
	}
	struct hooks *hooks = calloc(1, sizeof *hooks);
	if (!hooks) {
		request->done(request->owner, "hook", "the agent is out of memory");
		return;
	}
	*hooks = (struct hooks){.request = *request, .writer_fd = -1};
	agent->hooks = hooks;
	if (keys > 0)
		find_keygen(hooks);
	find_hooks(&hooks->programs, request->root);
	if (hooks->programs.count == 0 && !hooks->programs.failed)
		finish(agent, NULL, NULL);
	else if (prepare(agent))
		next(agent);
	else
		finish(agent, "hook", "the agent is out of memory or descriptors");
}
