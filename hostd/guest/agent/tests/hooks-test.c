/* What a copy runs before its workload goes on, driven through the program: ssh host keys and hooks. */
#include "support/check.h"
#include "support/driver.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ENTROPY "entropy=0123456789abcdef0123456789abcdef"
#define HOOKS "etc/offshoot/on-fork.d/"

static struct driver d;
static struct outcome o;

#define COPY() COPY_WITH(NULL)
#define COPY_WITH(more) (outcome_free(&o), driver_run(&d, &o, "kind=prepare-resume", ENTROPY, "copied=1", "generation=7", "hostname=sbx-9", more, NULL))
#define FAILED(name) (fields_are(&o.end, "error", "io") && fields_are(&o.end, "step", name))

static void place(const char *name, const char *text, mode_t mode)
{
	char path[256];
	snprintf(path, sizeof path, "%s/%s", d.workspace, name);
	FILE *file = fopen(path, "w");
	CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0 && chmod(path, mode) == 0);
}

static void folder(const char *name)
{
	char command[256];
	snprintf(command, sizeof command, "mkdir -p %s/%s", d.workspace, name);
	CHECK(system(command) == 0);
}

static bool is_there(const char *name)
{
	char path[256];
	snprintf(path, sizeof path, "%s/%s", d.workspace, name);
	return access(path, F_OK) == 0;
}

static void take_away(const char *name)
{
	char path[256];
	snprintf(path, sizeof path, "%s/%s", d.workspace, name);
	CHECK(unlink(path) == 0);
}

static const char *content(const char *name)
{
	static char text[4096];
	char path[256];
	snprintf(path, sizeof path, "%s/%s", d.workspace, name);
	FILE *file = fopen(path, "r");
	size_t len = file ? fread(text, 1, sizeof text - 1, file) : 0;
	if (file)
		fclose(file);
	text[len] = 0;
	return text;
}

static void until_is(const char *name, const char *text)
{
	for (int tries = 0; strcmp(content(name), text) != 0; tries++) {
		CHECK(tries < 1000);
		usleep(5000);
	}
}

static void script(const char *name, const char *format)
{
	char text[1024];
	snprintf(text, sizeof text, format, d.workspace, d.workspace, d.workspace);
	place(name, text, 0755);
}

static bool mentions(const char *text)
{
	return strstr(fields_string(&o.end, "message", ""), text) != NULL;
}

static void nothing_to_run(void)
{
	COPY();
	CHECK(fields_flag(&o.end, "ok") && fields_number(&o.end, "clock-ns") > 0);
	COPY_WITH("hooks-timeout-ms=soon");
	CHECK(fields_are(&o.end, "error", "invalid") && fields_are(&o.end, "step", "hooks-timeout-ms"));
}

static void keys(void)
{
	folder("etc/ssh");
	folder("usr/bin");
	place("etc/ssh/ssh_host_rsa_key", "old", 0600);
	place("etc/ssh/ssh_host_rsa_key.pub", "old", 0644);
	place("etc/ssh/ssh_host_ed25519_key", "old", 0600);
	place("etc/ssh/ssh_config", "mine", 0644);
	/* Without ssh-keygen they are removed all the same. */
	COPY();
	CHECK(fields_flag(&o.end, "ok") && !is_there("etc/ssh/ssh_host_rsa_key") && !is_there("etc/ssh/ssh_host_rsa_key.pub"));
	CHECK(!is_there("etc/ssh/ssh_host_ed25519_key") && is_there("etc/ssh/ssh_config"));

	place("etc/ssh/ssh_host_rsa_key", "old", 0600);
	script("usr/bin/ssh-keygen", "#!/bin/sh\necho \"$@\" >>%s/keygen; echo new >%s/etc/ssh/ssh_host_rsa_key\n");
	/* A machine that is merely resumed keeps them. */
	outcome_free(&o);
	driver_run(&d, &o, "kind=prepare-resume", ENTROPY, NULL);
	CHECK(fields_flag(&o.end, "ok") && strcmp(content("etc/ssh/ssh_host_rsa_key"), "old") == 0);
	COPY();
	/* What takes long is not waited for. */
	char expected[512];
	snprintf(expected, sizeof expected, "-A -f %s\n", d.workspace);
	CHECK(fields_flag(&o.end, "ok"));
	until_is("keygen", expected);
	until_is("etc/ssh/ssh_host_rsa_key", "new\n");
	take_away("keygen");
	take_away("etc/ssh/ssh_host_rsa_key");
	place("etc/ssh/ssh_host_ed25519_key", "old", 0600);
	place("etc/ssh/ssh_host_ecdsa_key", "old", 0600);
	script("usr/bin/ssh-keygen", "#!/bin/sh\necho \"$@\" >>%s/keygen; echo new >$7\n");
	COPY();
	snprintf(expected, sizeof expected, "-q -t ed25519 -N  -f %s/etc/ssh/ssh_host_ed25519_key\n-q -t ecdsa -N  -f %s/etc/ssh/ssh_host_ecdsa_key\n", d.workspace,
		d.workspace);
	CHECK(fields_flag(&o.end, "ok") && strcmp(content("keygen"), expected) == 0 && !is_there("etc/ssh/ssh_host_rsa_key"));
	CHECK(strcmp(content("etc/ssh/ssh_host_ecdsa_key"), "new\n") == 0);
	script("usr/bin/ssh-keygen", "#!/bin/sh\necho no space; exit 1\n");
	COPY();
	CHECK(FAILED("ssh-keys") && mentions("ssh-keygen: exit code 1: no space"));
	/* Where none were there none are made. */
	COPY();
	CHECK(fields_flag(&o.end, "ok"));
}

static void in_order(void)
{
	folder(HOOKS);
	script(HOOKS "20-b", "#!/bin/sh\necho b:$OFFSHOOT_GENERATION:$OFFSHOOT_SANDBOX_HOSTNAME:$(id -u):$PWD:$HOME >>%s/ran\n");
	script(HOOKS "10-a", "#!/bin/sh\necho a:$(readlink /proc/self/fd/0):$(cat | wc -c) >>%s/ran; sleep 0.1\n");
	place(HOOKS "30-not-executable", "#!/bin/sh\nexit 1\n", 0644);
	place(HOOKS ".hidden", "#!/bin/sh\nexit 1\n", 0755);
	place(HOOKS "40-old~", "#!/bin/sh\nexit 1\n", 0755);
	folder(HOOKS "50-folder");
	outcome_free(&o);
	driver_run(&d, &o, "kind=prepare-resume", ENTROPY, NULL);
	CHECK(fields_flag(&o.end, "ok") && !is_there("ran"));
	COPY();
	CHECK(fields_flag(&o.end, "ok") && strcmp(content("ran"), "a:/dev/null:0\nb:7:sbx-9:0:/:/root\n") == 0);
}

static void a_failing_one(void)
{
	script(HOOKS "15-fails", "#!/bin/sh\ni=0; while [ $i -lt 2000 ]; do i=$((i+1)); echo line $i; done; echo the reason >&2; exit 3\n");
	take_away("ran");
	COPY();
	CHECK(FAILED("hook") && mentions("15-fails: exit code 3: ") && mentions("line 2000\nthe reason") && !mentions("line 1000"));
	CHECK(strlen(fields_string(&o.end, "message", "")) < 300);
	CHECK(strncmp(content("ran"), "a:", 2) == 0 && !strstr(content("ran"), "b:"));
	place(HOOKS "15-fails", "#!/no/such/shell\n", 0755);
	COPY();
	CHECK(FAILED("hook") && mentions("15-fails: it could not be started"));
	script(HOOKS "15-fails", "#!/bin/sh\nkill -9 $$\n");
	COPY();
	CHECK(FAILED("hook") && mentions("15-fails: signal 9"));
}

static bool dies(pid_t pid)
{
	for (int tries = 0; kill(pid, 0) == 0; tries++) {
		if (tries == 1000)
			return false;
		usleep(5000);
	}
	return true;
}

/* The loop goes on meanwhile: a host that lost its connection finds the answer later. */
static void a_late_one(void)
{
	script(HOOKS "15-fails", "#!/bin/sh\nsleep 600 & echo $! >%s/child; echo waiting; echo $$ >%s/pid; wait\n");
	uint32_t id = driver_open(&d, DRIVER_WINDOW, "kind=prepare-resume", ENTROPY, "copied=1", "hooks-timeout-ms=600", NULL);
	outcome_free(&o);
	driver_run(&d, &o, "kind=prepare-resume", ENTROPY, "hostname=other", NULL);
	CHECK(fields_are(&o.end, "error", "busy"));
	driver_resync(&d);
	struct fields state;
	CHECK(driver_listed(&d, id, &state) && fields_are(&state, "ended", "0"));
	fields_free(&state);
	driver_send_limit(&d, FRAME_RESUME, id, 0, DRIVER_WINDOW);
	outcome_free(&o);
	driver_finish(&d, id, &o);
	CHECK(FAILED("hook") && mentions("15-fails: not done within 600 ms: waiting"));
	CHECK(dies(atoi(content("pid"))) && dies(atoi(content("child"))));
}

static void given_up(void)
{
	take_away("pid");
	uint32_t id = driver_open(&d, DRIVER_WINDOW, "kind=prepare-resume", ENTROPY, "copied=1", NULL);
	for (int tries = 0; !*content("pid"); tries++) {
		CHECK(tries < 1000);
		usleep(5000);
	}
	driver_send(&d, FRAME_CLOSE, id, 0, NULL, 0);
	CHECK(dies(atoi(content("pid"))) && dies(atoi(content("child"))));
	take_away(HOOKS "15-fails");
	COPY();
	CHECK(fields_flag(&o.end, "ok"));
}

/* What a hook leaves behind neither holds the answer up nor gets stuck on its output. */
static void one_that_leaves_something(void)
{
	script(HOOKS "15-leaves", "#!/bin/sh\n(sleep 0.3; head -c 1000000 /dev/zero; echo >%s/left) &\n");
	COPY();
	CHECK(fields_flag(&o.end, "ok") && !is_there("left"));
	for (int tries = 0; !is_there("left"); tries++) {
		CHECK(tries < 1000);
		usleep(5000);
	}
}

int main(void)
{
	driver_start(&d);
	nothing_to_run();
	keys();
	in_order();
	a_failing_one();
	a_late_one();
	given_up();
	one_that_leaves_something();
	outcome_free(&o);
	driver_stop(&d);
	return 0;
}
