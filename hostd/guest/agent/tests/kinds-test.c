/* The kinds besides exec and files, driven through the program: identity, metrics, sync, dropped streams, a worker that dies, shutdown. */
#include "support/check.h"
#include "support/driver.h"

#include <dirent.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ENTROPY "entropy=0123456789abcdef0123456789abcdef"
#define UUID "00112233-4455-6677-8899-aabbccddeeff"

static struct driver d;
static struct outcome o;

#define RUN(...) (outcome_free(&o), driver_run(&d, &o, __VA_ARGS__, NULL))

static bool noted(const char *name, const char *expected)
{
	char path[128], text[256];
	snprintf(path, sizeof path, "%s/%s", d.workspace, name);
	FILE *file = fopen(path, "r");
	if (!file)
		return false;
	size_t len = fread(text, 1, sizeof text - 1, file);
	fclose(file);
	text[len] = 0;
	return strcmp(text, expected) == 0;
}

static void identity(void)
{
	RUN("kind=prepare-resume", ENTROPY, "clock-ns=1795981527454038111", "hostname=sbx-1", "machine-id=0123456789abcdef0123456789abcdef", "boot-id=" UUID,
		"nameserver=10.1.2.3", "generation=41");
	CHECK(fields_flag(&o.end, "ok") && fields_number(&o.end, "clock-ns") > 0);
	CHECK(noted("entropy", "0123456789abcdef0123456789abcdef") && noted("clock-ns", "1795981527454038111") && noted("hostname", "sbx-1\n"));
	CHECK(noted("machine-id", "0123456789abcdef0123456789abcdef\n") && noted("boot-id", UUID "\n") && noted("nameserver", "nameserver 10.1.2.3\n"));
	CHECK(noted("generation", "41\n"));
	driver_resync(&d);
	CHECK(fields_are(&d.hello, "generation", "41"));
}

static void identity_refused(const char *step, const char *pair)
{
	if (pair)
		RUN("kind=prepare-resume", ENTROPY, "hostname=never", pair);
	else
		RUN("kind=prepare-resume", "hostname=never");
	CHECK(fields_are(&o.end, "error", "invalid") && fields_are(&o.end, "step", step) && !fields_flag(&o.end, "ok"));
	CHECK(strncmp(fields_string(&o.end, "message", ""), step, strlen(step)) == 0);
	/* Nothing is applied unless all can be. */
	CHECK(noted("hostname", "sbx-1\n"));
}

static void identities_refused(void)
{
	identity_refused("entropy", NULL);
	identity_refused("clock-ns", "clock-ns=now");
	identity_refused("clock-ns", "clock-ns=99999999999999999999");
	identity_refused("machine-id", "machine-id=xyz");
	identity_refused("machine-id", "machine-id=0123456789ABCDEF0123456789ABCDEF");
	identity_refused("boot-id", "boot-id=00112233445566778899aabbccddeeff");
	identity_refused("boot-id", "boot-id=00112233-4455-6677-8899-aabbccddeefg");
	identity_refused("nameserver", "nameserver=10.1.2.3 evil");
	identity_refused("nameserver", "nameserver=");
	identity_refused("generation", "generation=-1");
	RUN("kind=prepare-resume", ENTROPY, "hostname=../x");
	CHECK(fields_are(&o.end, "step", "hostname"));
	RUN("kind=prepare-resume", "entropy=0123456789abcdef0123456789abcde");
	CHECK(fields_are(&o.end, "error", "invalid") && fields_are(&o.end, "step", "entropy"));
}

/* A step that fails is named, and those after it are not done. */
static void identity_fails_closed(void)
{
	char path[128];
	snprintf(path, sizeof path, "%s/machine-id", d.workspace);
	CHECK(unlink(path) == 0 && mkdir(path, 0700) == 0);
	RUN("kind=prepare-resume", ENTROPY, "hostname=sbx-2", "machine-id=0123456789abcdef0123456789abcdef", "generation=42");
	CHECK(fields_are(&o.end, "error", "io") && fields_are(&o.end, "step", "machine-id") && !fields_flag(&o.end, "ok"));
	CHECK(noted("hostname", "sbx-2\n") && noted("generation", "41\n"));
	driver_resync(&d);
	CHECK(fields_are(&d.hello, "generation", "41"));
	CHECK(rmdir(path) == 0);

	snprintf(path, sizeof path, "%s/entropy", d.workspace);
	CHECK(unlink(path) == 0 && mkdir(path, 0700) == 0);
	RUN("kind=prepare-resume", ENTROPY, "hostname=sbx-3", "generation=43");
	CHECK(fields_are(&o.end, "error", "io") && fields_are(&o.end, "step", "reseed") && noted("hostname", "sbx-2\n"));
	CHECK(rmdir(path) == 0);
}

static bool alive(pid_t pid)
{
	return kill(pid, 0) == 0;
}

/* A command goes on unheard and without blocking on its output; its stream is gone. */
static void dropped_streams(void)
{
	struct fields state;
	uint32_t talker = driver_open(&d, 100, "kind=exec", "shell=echo $$; exec yes", NULL);
	driver_await(&d, FRAME_DATA, talker);
	d.payload[d.frame.len] = 0;
	pid_t pid = atoi((char *)d.payload);
	uint32_t finite = driver_open(&d, 0, "kind=exec", "shell=head -c 5000000 /dev/zero; echo >done", NULL);
	RUN("kind=prepare-resume", ENTROPY, "drop-streams=1");
	CHECK(fields_flag(&o.end, "ok"));
	driver_resync(&d);
	CHECK(!driver_listed(&d, talker, &state) && !driver_listed(&d, finite, &state));
	CHECK(pid > 0 && alive(pid));
	for (int tries = 0; !noted("done", "\n"); tries++) {
		CHECK(tries < 500);
		usleep(10000);
	}
	kill(pid, SIGKILL);
	for (int tries = 0; alive(pid); tries++) {
		CHECK(tries < 500);
		usleep(10000);
	}
	/* Without the flag streams stay. */
	uint32_t kept = driver_open(&d, 100, "kind=exec", "stdin=1", "shell=cat", NULL);
	RUN("kind=prepare-resume", ENTROPY);
	driver_resync(&d);
	CHECK(driver_listed(&d, kept, &state));
	fields_free(&state);
	driver_send(&d, FRAME_CLOSE, kept, 0, NULL, 0);
}

/* In a copy they are nobody's: their time does not run out, a terminal is drained as pipes are, and the dead are reaped. */
static void unheard(void)
{
	uint32_t timed = driver_open(&d, DRIVER_WINDOW, "kind=exec", "timeout-ms=400", "shell=echo $$ >timed; exec sleep 600", NULL);
	uint32_t terminal = driver_open(&d, 100, "kind=exec", "pty=1", "shell=i=0; while [ $i -lt 20000 ]; do i=$((i+1)); echo 0123456789012345678901234567890123456789; done; echo >drained", NULL);
	uint32_t over = driver_open(&d, 100, "kind=exec", "timeout-ms=200", "shell=trap '' TERM; echo $$ >over; while :; do sleep 0.05; done", NULL);
	(void)timed;
	(void)terminal;
	(void)over;
	char text[64] = "", path[128];
	pid_t pids[2] = {0};
	static const char *const names[] = {"timed", "over"};
	usleep(350000);
	RUN("kind=prepare-resume", ENTROPY, "drop-streams=1");
	for (int i = 0; i < 2; i++)
		for (int tries = 0; pids[i] == 0; tries++) {
			CHECK(tries < 500);
			snprintf(path, sizeof path, "%s/%s", d.workspace, names[i]);
			FILE *file = fopen(path, "r");
			if (file && fgets(text, sizeof text, file))
				pids[i] = atoi(text);
			if (file)
				fclose(file);
			usleep(10000);
		}
	for (int tries = 0; !noted("drained", "\n"); tries++) {
		CHECK(tries < 1000);
		usleep(10000);
	}
	/* Its time was up before: it has its grace, and is then killed as it would have been. */
	for (int tries = 0; alive(pids[1]); tries++) {
		CHECK(tries < 500);
		usleep(10000);
	}
	CHECK(alive(pids[0]));
	kill(pids[0], SIGKILL);
	for (int tries = 0; alive(pids[0]); tries++) {
		CHECK(tries < 500);
		usleep(10000);
	}
}

static void metrics(void)
{
	RUN("kind=metrics");
	CHECK(fields_flag(&o.end, "ok") && fields_number(&o.end, "memory-total-kib") > fields_number(&o.end, "memory-available-kib"));
	CHECK(fields_number(&o.end, "memory-available-kib") > 0 && fields_number(&o.end, "disk-total-kib") >= fields_number(&o.end, "disk-free-kib"));
	CHECK(fields_number(&o.end, "processes") > 0 && fields_number(&o.end, "uptime-ms") > 0 && strchr(fields_string(&o.end, "load1", ""), '.'));
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	CHECK(fields_number(&o.end, "clock-ns") / 1000000000u - (uint64_t)now.tv_sec + 60 < 120);
	RUN("kind=sync");
	CHECK(fields_flag(&o.end, "ok"));
}

/* The agent's only child, which a transfer's worker is here. */
static pid_t worker(void)
{
	char path[128];
	int pid = 0;
	snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)d.pid, (int)d.pid);
	for (int tries = 0; pid == 0 && tries < 500; tries++) {
		FILE *file = fopen(path, "r");
		CHECK(file);
		if (fscanf(file, "%d", &pid) != 1)
			pid = 0;
		fclose(file);
		usleep(10000);
	}
	return pid;
}

static void a_dead_worker(void)
{
	char path[128];
	snprintf(path, sizeof path, "path=%s/upload", d.workspace);
	uint32_t id = driver_open(&d, 0, "kind=write-file", path, NULL);
	pid_t pid = worker();
	CHECK(pid > 0);
	kill(pid, SIGKILL);
	outcome_free(&o);
	driver_finish(&d, id, &o);
	CHECK(fields_are(&o.end, "error", "io") && strstr(fields_string(&o.end, "message", ""), "signal 9"));
	CHECK(access(path + 5, F_OK) < 0);
}

/* A broken off upload is not taken for a short one. */
static void an_aborted_upload(void)
{
	char path[128];
	snprintf(path, sizeof path, "path=%s/upload", d.workspace);
	uint32_t id = driver_open(&d, 0, "kind=write-file", path, NULL);
	driver_send(&d, FRAME_DATA, id, 0, "half", 4);
	pid_t pid = worker();
	driver_send(&d, FRAME_CLOSE, id, 0, NULL, 0);
	for (int tries = 0; alive(pid); tries++) {
		CHECK(tries < 500);
		usleep(10000);
	}
	CHECK(access(path + 5, F_OK) < 0);
}

static void has_ended(void)
{
	int status;
	for (int tries = 0; waitpid(d.pid, &status, WNOHANG) == 0; tries++) {
		CHECK(tries < 1000);
		usleep(10000);
	}
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	char command[128];
	snprintf(command, sizeof command, "rm -rf %s", d.workspace);
	CHECK(system(command) == 0);
	fields_free(&d.hello);
}

static void shutdown_ends_it(void)
{
	RUN("kind=shutdown");
	CHECK(fields_flag(&o.end, "ok"));
	has_ended();
	/* Also when the host that asked is gone before the answer. */
	driver_start(&d);
	driver_open(&d, 0, "kind=shutdown", NULL);
	close(d.fd);
	has_ended();
}

int main(void)
{
	driver_start(&d);
	identity();
	identities_refused();
	identity_fails_closed();
	dropped_streams();
	unheard();
	metrics();
	a_dead_worker();
	an_aborted_upload();
	shutdown_ends_it();
	outcome_free(&o);
	return 0;
}
