#include "agent.h"
#include "boot/boot.h"
#include "boot/console.h"
#include "job.h"
#include "power.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES_SOFT 65536
#define FILES_HARD 1048576
/* 48 bytes to 3 KiB, in steps of an eighth: finer than the sizes it tells apart. */
#define HELD_BLOCKS 36
#define PORT_NAME "offshoot.agent"

static const char usage[] =
	"offshoot-agent " AGENT_BUILD "\n"
	"The program inside an Offshoot sandbox: started as PID 1 of an initramfs it brings the machine up and serves the virtio-serial port\n"
	"\"offshoot.agent\". On any other machine, for tests (no mounts, nothing of the machine is changed):\n"
	"  --socket PATH         listen on a unix socket; one client at a time, a new one replaces it; streams outlive clients\n"
	"  --fd N                serve an inherited stream socket; ends when it closes\n"
	"  --workspace DIR       default working directory of an exec (/workspace)\n"
	"  --dry-identity DIR    prepare-resume writes what it would apply into files of DIR: entropy, clock-ns, hostname, machine-id, boot-id,\n"
	"                        nameserver, generation; required for prepare-resume here\n"
	"  --cgroup DIR          commands live in control groups made in DIR, a folder of a cgroup2 mount, and can be frozen\n";

static struct agent agent;

struct options {
	const char *socket_path;
	int fd;
	const char *cgroup;
};

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "offshoot-agent: %s: %s\n", what, strerror(errno));
	exit(1);
}

static bool read_options(int argc, char **argv, struct options *options)
{
	*options = (struct options){.fd = -1};
	for (int i = 1; i + 1 < argc; i += 2) {
		const char *name = argv[i], *value = argv[i + 1];
		if (strcmp(name, "--socket") == 0)
			options->socket_path = value;
		else if (strcmp(name, "--fd") == 0)
			options->fd = atoi(value);
		else if (strcmp(name, "--workspace") == 0)
			agent.workspace = value;
		else if (strcmp(name, "--dry-identity") == 0)
			agent.dry_identity = value;
		else if (strcmp(name, "--cgroup") == 0)
			options->cgroup = value;
		else
			return false;
	}
	return argc % 2 == 1 && !options->socket_path != (options->fd < 0);
}

/* Children start with no signal blocked and none ignored; here all are blocked and SIGCHLD is read from a descriptor. */
static void set_signals(void)
{
	sigset_t all;
	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
	sigfillset(&all);
	if (!agent.is_init)
		sigdelset(&all, SIGTERM), sigdelset(&all, SIGINT);
	sigprocmask(SIG_SETMASK, &all, NULL);
}

static void raise_limits(void)
{
	struct rlimit files = {.rlim_cur = FILES_SOFT, .rlim_max = FILES_HARD};
	if (setrlimit(RLIMIT_NOFILE, &files) == 0 || getrlimit(RLIMIT_NOFILE, &files) < 0)
		return;
	files.rlim_cur = files.rlim_max < FILES_SOFT ? files.rlim_max : FILES_SOFT;
	setrlimit(RLIMIT_NOFILE, &files);
}

/* Descriptors 0 to 3 are the children's: nothing of ours may lie there. */
static void reserve_descriptors(void)
{
	int fd;
	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd <= 3);
	agent.null_fd = fd;
}

/* musl gives a group of blocks back to the kernel as soon as all are free, and a machine that was just restored would have each request go the long
 * way: one block of every small size stays. */
static void hold_memory(void)
{
	static void *held[HELD_BLOCKS];
	size_t size = 48;
	for (size_t i = 0; i < HELD_BLOCKS; i++, size += size / 8)
		held[i] = malloc(size);
	__asm__ volatile("" : : "r"(held) : "memory");
}

static void read_boot_id(void)
{
	if (text_read("/proc/sys/kernel/random/boot_id", agent.boot_id, sizeof agent.boot_id) < 0)
		agent.boot_id[0] = 0;
	agent.boot_id[strcspn(agent.boot_id, "\n")] = 0;
}

static void settle(void *owner)
{
	link_flush(owner);
	power_settle(owner);
}

static void prepare(void)
{
	set_signals();
	raise_limits();
	reserve_descriptors();
	read_boot_id();
	hold_memory();
	if (agent.null_fd < 0 || loop_init(&agent.loop) < 0 || jobs_init(&agent) < 0)
		die("starting");
}

static _Noreturn void run_as_init(void)
{
	agent.is_init = true;
	boot_up();
	prepare();
	boot_open_workload(&agent.workload);
	if (link_open(&agent, LINK_PORT, boot_open_port(PORT_NAME)) < 0)
		console_die(PORT_NAME);
	loop_run(&agent.loop, settle, &agent);
	console_die("the agent's loop ended");
}

/* The kernel may pass an init words of its command line; a container's PID 1 may be a test. */
static bool wants_socket(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--socket") == 0 || strcmp(argv[i], "--fd") == 0)
			return true;
	return false;
}

int main(int argc, char **argv)
{
	struct options options;
	umask(022);
	agent.link.carrier.fd = -1;
	agent.workload = WORKLOAD_NONE;
	agent.workspace = "/workspace";
	strcpy(agent.generation, "0");
	if (getpid() == 1 && !wants_socket(argc, argv))
		run_as_init();
	if (!read_options(argc, argv, &options)) {
		bool asked = argc == 2 && strcmp(argv[1], "--help") == 0;
		fputs(usage, asked ? stdout : stderr);
		return asked ? 0 : 2;
	}
	/* Before descriptors 0 to 3 are taken: an inherited one may be among them. */
	int carrier = options.fd >= 0 ? fcntl(options.fd, F_DUPFD_CLOEXEC, 4) : -1;
	prepare();
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (options.cgroup && workload_open(&agent.workload, options.cgroup) < 0)
		die(options.cgroup);
	if (options.socket_path ? link_listen(&agent, options.socket_path) < 0 : link_open(&agent, LINK_FD, carrier) < 0)
		die(options.socket_path ? options.socket_path : "--fd");
	loop_run(&agent.loop, settle, &agent);
	return 0;
}
