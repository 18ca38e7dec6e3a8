/* Freezing the workload, driven through the program with real control groups; and what is opened meanwhile. */
#include "support/check.h"
#include "support/driver.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ENTROPY "entropy=0123456789abcdef0123456789abcdef"

static struct driver d;
static struct outcome o;
static char mount_point[] = "/tmp/offshoot-cgroup-XXXXXX", group[128];
static const char *own_path;

#define RUN(...) (outcome_free(&o), driver_run(&d, &o, __VA_ARGS__, NULL))
#define FREEZE() (RUN("kind=freeze-workload"), fields_flag(&o.end, "ok"))
#define THAW() (RUN("kind=thaw-workload"), fields_flag(&o.end, "ok"))

static off_t size_of(const char *name)
{
	char path[256];
	struct stat info;
	snprintf(path, sizeof path, "%s/%s", d.workspace, name);
	return stat(path, &info) == 0 ? info.st_size : -1;
}

static void until_larger(const char *name, off_t than)
{
	for (int tries = 0; size_of(name) <= than; tries++) {
		if (tries == 1000)
			fprintf(stderr, "%s does not grow\n", name);
		CHECK(tries < 1000);
		usleep(5000);
	}
}

static bool stands_still(const char *name)
{
	off_t before = size_of(name);
	usleep(150000);
	return size_of(name) == before;
}

static void without_groups(void)
{
	driver_start(&d);
	RUN("kind=freeze-workload");
	CHECK(fields_are(&o.end, "error", "unknown-kind"));
	for (size_t i = 0; i < d.hello.count; i++)
		CHECK(!strstr((const char *)d.hello.items[i].value, "-workload"));
	driver_stop(&d);
}

static void listed(void)
{
	int found = 0;
	for (size_t i = 0; i < d.hello.count; i++)
		found += strcmp((const char *)d.hello.items[i].value, "freeze-workload") == 0 || strcmp((const char *)d.hello.items[i].value, "thaw-workload") == 0;
	CHECK(found == 2);
	RUN("kind=freeze-workload", "timeout-ms=soon");
	CHECK(fields_are(&o.end, "error", "invalid"));
}

/* A command, a child in a session of its own, and one that moved to a group it made. */
static void all_stop_and_go_on(void)
{
	char script[1024];
	static const char *const names[] = {"leader", "child", "mover"};
	snprintf(script, sizeof script,
		"shell=tick() { while :; do echo x >>$1; sleep 0.01; done; }; (setsid sh -c 'while :; do echo x >>child; sleep 0.01; done' &); "
		"mkdir %s/workload/bounded/sandbox/mine; sh -c 'echo $$ >%s/workload/bounded/sandbox/mine/cgroup.procs; while :; do echo x >>mover; sleep 0.01; "
		"done' & tick leader", group, group);
	uint32_t id = driver_open(&d, DRIVER_WINDOW, "kind=exec", script, NULL);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 3; i++)
			until_larger(names[i], size_of(names[i]));
		CHECK(FREEZE() && FREEZE());
		for (int i = 0; i < 3; i++)
			CHECK(stands_still(names[i]));
		CHECK(THAW() && THAW());
		for (int i = 0; i < 3; i++)
			until_larger(names[i], size_of(names[i]));
	}
	/* SIGKILL does not wait for the thaw. */
	CHECK(FREEZE());
	struct fields_out number = {0};
	fields_put_string(&number, "signal", "9");
	driver_send(&d, FRAME_CONTROL, id, 0, number.buf, number.len);
	fields_out_free(&number);
	outcome_free(&o);
	driver_finish(&d, id, &o);
	CHECK(fields_are(&o.end, "signal", "9"));
	CHECK(THAW());
	snprintf(script, sizeof script, "shell=for p in $(cat %s/workload/bounded/sandbox/*/cgroup.procs); do test $p = $$ || kill -9 $p; done", group);
	RUN("kind=exec", script);
}

static void what_was_written_comes(void)
{
	uint32_t id = driver_open(&d, DRIVER_WINDOW, "kind=exec", "shell=head -c 300000 /dev/zero; echo >written; sleep 60", NULL);
	until_larger("written", 0);
	CHECK(FREEZE());
	driver_resync(&d);
	driver_send_limit(&d, FRAME_RESUME, id, 0, DRIVER_WINDOW);
	uint64_t got = 0;
	while (got < 300000) {
		driver_await(&d, FRAME_DATA, id);
		got = d.frame.offset + d.frame.len;
	}
	/* Files need no process of the workload. */
	char path[128];
	snprintf(path, sizeof path, "path=%s/written", d.workspace);
	RUN("kind=read-file", path);
	CHECK(fields_flag(&o.end, "ok"));
	CHECK(THAW());
	driver_send(&d, FRAME_CLOSE, id, 0, NULL, 0);
}

static void send_control(uint32_t id, const char *key, const char *value, const char *second, const char *value2)
{
	struct fields_out fields = {0};
	fields_put_string(&fields, key, value);
	if (second)
		fields_put_string(&fields, second, value2);
	driver_send(&d, FRAME_CONTROL, id, 0, fields.buf, fields.len);
	fields_out_free(&fields);
}

/* One of several at a time: frames of the others are let go, and come again. */
static void finish_one(uint32_t id)
{
	driver_resync(&d);
	driver_send_limit(&d, FRAME_RESUME, id, 0, DRIVER_WINDOW);
	outcome_free(&o);
	driver_finish(&d, id, &o);
}

static void opened_meanwhile(void)
{
	CHECK(FREEZE());
	uint32_t first = driver_open(&d, DRIVER_WINDOW, "kind=exec", "stdin=1", "shell=echo a >>order; cat", NULL);
	uint32_t signalled = driver_open(&d, DRIVER_WINDOW, "kind=exec", "arg=sleep", "arg=60", NULL);
	uint32_t closed = driver_open(&d, DRIVER_WINDOW, "kind=exec", "shell=echo >never", NULL);
	uint32_t timed = driver_open(&d, DRIVER_WINDOW, "kind=exec", "shell=echo b >>order", "timeout-ms=100", NULL);
	uint32_t terminal = driver_open(&d, DRIVER_WINDOW, "kind=exec", "pty=1", "rows=5", "cols=6", "shell=sleep 0.2; stty size", NULL);
	uint32_t wrong = driver_open(&d, DRIVER_WINDOW, "kind=exec", "arg=no-such-command-here", NULL);
	driver_send(&d, FRAME_DATA, first, 0, "input", 5);
	driver_send(&d, FRAME_EOF, first, 5, NULL, 0);
	send_control(signalled, "signal", "15", NULL, NULL);
	send_control(terminal, "rows", "40", "cols", "41");
	driver_send(&d, FRAME_CLOSE, closed, 0, NULL, 0);
	usleep(300000);
	RUN("kind=metrics");
	CHECK(fields_flag(&o.end, "ok") && size_of("order") == -1);
	driver_resync(&d);
	struct fields state;
	CHECK(driver_listed(&d, first, &state) && fields_are(&state, "kind", "exec") && fields_are(&state, "ended", "0"));
	fields_free(&state);
	CHECK(THAW());
	finish_one(first);
	CHECK(fields_are(&o.end, "exit-code", "0") && outcome_is(&o, 1, "input"));
	finish_one(signalled);
	CHECK(fields_are(&o.end, "signal", "15"));
	finish_one(timed);
	CHECK(fields_are(&o.end, "exit-code", "0") && !fields_find(&o.end, "timed-out"));
	finish_one(terminal);
	CHECK(outcome_is(&o, 1, "40 41\r\n"));
	finish_one(wrong);
	CHECK(fields_are(&o.end, "error", "command-not-found"));
	CHECK(size_of("order") == 4 && size_of("never") == -1);
}

/* Where `commands` is full or gone. */
static void beside(void)
{
	char path[256];
	snprintf(path, sizeof path, "%s/workload/bounded/sandbox/commands", group);
	for (int tries = 0; rmdir(path) < 0; tries++) {
		CHECK(tries < 1000);
		usleep(5000);
	}
	uint32_t id = driver_open(&d, DRIVER_WINDOW, "kind=exec", "shell=while :; do echo x >>beside; sleep 0.01; done", NULL);
	until_larger("beside", 0);
	CHECK(FREEZE() && stands_still("beside") && THAW());
	until_larger("beside", size_of("beside"));
	driver_send(&d, FRAME_CLOSE, id, 0, NULL, 0);
}

/* Waits in the kernel, killable only, for a page that nobody brings. */
static int never_stops(void)
{
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	struct uffdio_api api = {.api = UFFD_API};
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(fd >= 0 && page != MAP_FAILED && ioctl(fd, UFFDIO_API, &api) == 0);
	struct uffdio_register missing = {.range = {(uint64_t)(uintptr_t)page, 4096}, .mode = UFFDIO_REGISTER_MODE_MISSING};
	CHECK(ioctl(fd, UFFDIO_REGISTER, &missing) == 0);
	CHECK(write(1, "waits", 5) == 5);
	/* Not into the agent's pipe: its lock would be held meanwhile. */
	int ends[2];
	CHECK(pipe(ends) == 0);
	return write(ends[1], page, 1) == 1 ? 0 : 1;
}

static void one_does_not_stop(void)
{
	char program[300];
	snprintf(program, sizeof program, "arg=%s", own_path);
	uint32_t ticker = driver_open(&d, DRIVER_WINDOW, "kind=exec", "shell=while :; do echo x >>late; sleep 0.01; done", NULL);
	uint32_t stuck = driver_open(&d, DRIVER_WINDOW, "kind=exec", program, "arg=--never-stops", NULL);
	driver_await(&d, FRAME_DATA, stuck);
	usleep(50000);
	RUN("kind=freeze-workload", "timeout-ms=200");
	CHECK(fields_are(&o.end, "error", "timeout"));
	until_larger("late", size_of("late"));
	/* A host that gives up meanwhile has given the freeze up, too. */
	uint32_t pending = driver_open(&d, 0, "kind=freeze-workload", "timeout-ms=60000", NULL);
	usleep(100000);
	CHECK(stands_still("late"));
	RUN("kind=freeze-workload");
	CHECK(fields_are(&o.end, "error", "busy"));
	uint32_t parked = driver_open(&d, DRIVER_WINDOW, "kind=exec", "shell=echo parked", NULL);
	driver_send(&d, FRAME_CLOSE, pending, 0, NULL, 0);
	outcome_free(&o);
	driver_finish(&d, parked, &o);
	CHECK(outcome_is(&o, 1, "parked\n"));
	until_larger("late", size_of("late"));
	driver_send(&d, FRAME_CLOSE, stuck, 0, NULL, 0);
	CHECK(FREEZE() && THAW());
	driver_send(&d, FRAME_CLOSE, ticker, 0, NULL, 0);
}

/* A machine takes up its identity while nothing of the workload runs, and then goes on; not when it could not. */
static void resumed(void)
{
	char path[128], command[128];
	uint32_t ticker = driver_open(&d, DRIVER_WINDOW, "kind=exec", "shell=while :; do echo x >>resumed; sleep 0.01; done", NULL);
	until_larger("resumed", 0);
	CHECK(FREEZE());
	uint32_t dropped = driver_open(&d, DRIVER_WINDOW, "kind=exec", "shell=echo >never", NULL);
	(void)dropped;
	RUN("kind=prepare-resume", "entropy=short", "drop-streams=1");
	CHECK(fields_are(&o.end, "error", "invalid") && stands_still("resumed"));
	snprintf(path, sizeof path, "%s/hostname", d.workspace);
	CHECK(mkdir(path, 0700) == 0);
	RUN("kind=prepare-resume", ENTROPY, "hostname=x");
	CHECK(fields_are(&o.end, "step", "hostname") && stands_still("resumed"));
	CHECK(rmdir(path) == 0);
	RUN("kind=prepare-resume", ENTROPY, "drop-streams=1");
	CHECK(fields_flag(&o.end, "ok"));
	until_larger("resumed", size_of("resumed"));
	RUN("kind=exec", "shell=echo again");
	CHECK(outcome_is(&o, 1, "again\n") && size_of("never") == -1);
	(void)ticker;
	/* Hooks run while it is frozen; what they leave belongs to it from then on. */
	snprintf(command, sizeof command, "mkdir -p %s/etc/offshoot/on-fork.d", d.workspace);
	CHECK(system(command) == 0);
	snprintf(path, sizeof path, "%s/etc/offshoot/on-fork.d/hook", d.workspace);
	FILE *hook = fopen(path, "w");
	CHECK(hook && fprintf(hook, "#!/bin/sh\ncd %s\nwc -c <resumed >before\n(while :; do echo x >>left; sleep 0.01; done) >/dev/null 2>&1 &\nsleep 0.2\n"
		"wc -c <resumed >after\ncmp before after\n", d.workspace) > 0);
	CHECK(fclose(hook) == 0 && chmod(path, 0755) == 0);
	CHECK(FREEZE());
	RUN("kind=prepare-resume", ENTROPY, "copied=1");
	CHECK(fields_flag(&o.end, "ok"));
	until_larger("left", 0);
	until_larger("resumed", size_of("resumed"));
	CHECK(FREEZE() && stands_still("left") && THAW());
}

static void kill_all(const char *name)
{
	char path[256];
	snprintf(path, sizeof path, "%s/%s/cgroup.kill", group, name);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	CHECK(write(fd, "1", 1) == 1);
	close(fd);
}

static void remove_groups(void)
{
	static const char *const names[] = {"workload/bounded/sandbox/mine", "workload/bounded/sandbox/commands", "workload/bounded/sandbox", "workload/bounded",
		"workload/beside", "workload", "hooks", ""};
	kill_all("workload");
	kill_all("hooks");
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		char path[256];
		snprintf(path, sizeof path, "%s/%s", group, names[i]);
		for (int tries = 0; rmdir(path) < 0 && errno != ENOENT; tries++) {
			CHECK(tries < 1000);
			usleep(5000);
		}
	}
	CHECK(umount2(mount_point, MNT_DETACH) == 0 && rmdir(mount_point) == 0);
}

static void all(void)
{
	without_groups();
	driver_start_with(&d, "--cgroup", group);
	listed();
	all_stop_and_go_on();
	what_was_written_comes();
	opened_meanwhile();
	beside();
	one_does_not_stop();
	resumed();
	outcome_free(&o);
	driver_stop(&d);
}

int main(int argc, char **argv)
{
	own_path = argv[0];
	if (argc == 2 && strcmp(argv[1], "--never-stops") == 0)
		return never_stops();
	CHECK(unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
	CHECK(mkdtemp(mount_point) && mount("cgroup2", mount_point, "cgroup2", 0, NULL) == 0);
	snprintf(group, sizeof group, "%s/offshoot-agent-test-%d", mount_point, (int)getpid());
	CHECK(mkdir(group, 0755) == 0);
	/* In a child, so that nothing stays when it fails. */
	pid_t tests = fork();
	CHECK(tests >= 0);
	if (tests == 0) {
		all();
		exit(0);
	}
	int status;
	CHECK(waitpid(tests, &status, 0) == tests);
	remove_groups();
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	return 0;
}
