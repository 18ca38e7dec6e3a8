#include "hooks.h"

#include "agent.h"
#include "exec/environment.h"
#include "exec/spawn.h"
#include "hook-folder.h"
#include "hook-output.h"
#include "ssh-keys.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SSH_KEYGEN "/usr/bin/ssh-keygen"
#define KEY_TYPES 2
#define ENV_FILE "/etc/offshoot/env"

struct hooks {
	struct hooks_request request;
	struct strings programs, env;
	size_t at;
	const char *key_types[KEY_TYPES]; /* the first programs are ssh-keygen, for these */
	size_t keys;
	bool slow_keys;
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
	bool ran = agent->hooks->output != NULL;
	if (ran && step)
		workload_kill_hooks(&agent->workload);
	else if (ran)
		workload_take_hooks(&agent->workload);
	free_hooks(agent);
	request.done(request.owner, step, message);
}

static const char *step_of(const struct hooks *hooks)
{
	return hooks->at < hooks->keys ? "ssh-keys" : "hook";
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

static pid_t start(struct agent *agent, char *path, char **argv, int output_fd, int *error)
{
	char *paths[] = {path, NULL};
	struct spawn s = {.paths = paths, .argv = argv, .envp = agent->hooks->env.items, .cwd = "/", .fd = {agent->null_fd, output_fd, output_fd},
		.script_fd = -1, .cgroup_fd = agent->workload.hooks_fd, .spare_cgroup_fd = -1};
	pid_t pid = spawn(&s);
	*error = s.error;
	return pid;
}

static pid_t start_current(struct agent *agent, int *error)
{
	struct hooks *hooks = agent->hooks;
	char *path = hooks->programs.items[hooks->at], key[PATH_MAX];
	if (hooks->at >= hooks->keys)
		return start(agent, path, (char *[]){path, NULL}, hooks->writer_fd, error);
	char *type = (char *)hooks->key_types[hooks->at];
	snprintf(key, sizeof key, "%s/etc/ssh/ssh_host_%s_key", hooks->request.root, type);
	return start(agent, path, (char *[]){path, "-q", "-t", type, "-N", "", "-f", key, NULL}, hooks->writer_fd, error);
}

/* An RSA key takes seconds where a processor is emulated: nothing waits for it, and it goes on with the workload. */
static void make_slow_keys(struct agent *agent)
{
	struct hooks *hooks = agent->hooks;
	char path[PATH_MAX];
	int error;
	snprintf(path, sizeof path, "%s" SSH_KEYGEN, hooks->request.root);
	/* Without a root of its own the option is not given: older versions do not know it. */
	char *with_root[] = {path, "-A", "-f", (char *)hooks->request.root, NULL}, *plain[] = {path, "-A", NULL};
	start(agent, path, *hooks->request.root ? with_root : plain, agent->null_fd, &error);
}

static void next(struct agent *agent)
{
	struct hooks *hooks = agent->hooks;
	char why[256];
	int error;
	if (hooks->at == hooks->keys && hooks->slow_keys) {
		hooks->slow_keys = false;
		make_slow_keys(agent);
	}
	if (hooks->at == hooks->programs.count) {
		finish(agent, NULL, NULL);
		return;
	}
	hook_output_clear(hooks->output);
	hooks->pid = start_current(agent, &error);
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

static void find_keygen(struct hooks *hooks, int kinds)
{
	char path[PATH_MAX];
	int len = snprintf(path, sizeof path, "%s" SSH_KEYGEN, hooks->request.root);
	if (kinds == 0 || len >= (int)sizeof path || access(path, X_OK) < 0)
		return;
	if (kinds & SSH_KEY_ED25519)
		hooks->key_types[hooks->keys++] = "ed25519";
	if (kinds & SSH_KEY_ECDSA)
		hooks->key_types[hooks->keys++] = "ecdsa";
	for (size_t i = 0; i < hooks->keys; i++)
		strings_add(&hooks->programs, path, (size_t)len);
	hooks->slow_keys = kinds & SSH_KEY_OTHER;
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
	int kinds = ssh_keys_remove(request->root);
	if (kinds < 0) {
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
	find_keygen(hooks, kinds);
	hook_folder_read(&hooks->programs, request->root);
	if (hooks->programs.count == 0 && !hooks->programs.failed && !hooks->slow_keys)
		finish(agent, NULL, NULL);
	else if (prepare(agent))
		next(agent);
	else
		finish(agent, "hook", "the agent is out of memory or descriptors");
}
