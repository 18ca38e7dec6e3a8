#include "workload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

/* A process costs the kernel alone about half of this (stack, page tables, descriptors). */
#define MEMORY_PER_PROCESS (256u << 10)
#define PASSES 16

static const char *const groups[] = {"workload", "workload/bounded", "workload/bounded/sandbox", "workload/bounded/sandbox/commands", "workload/beside",
	"hooks"};
/* Each hands its controller on to its children. */
static const char *const handing[] = {".", "workload", "workload/bounded"};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static int poke_at(int folder, const char *file, const char *text)
{
	int fd = openat(folder, file, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	ssize_t put = write(fd, text, strlen(text));
	int error = errno;
	close(fd);
	errno = error;
	return put < 0 ? -1 : 0;
}

static void bound_processes(int root)
{
	struct sysinfo info;
	char file[128], limit[32];
	for (size_t i = 0; i < COUNT(handing); i++) {
		snprintf(file, sizeof file, "%s/cgroup.subtree_control", handing[i]);
		if (poke_at(root, file, "+pids") < 0)
			return;
	}
	if (sysinfo(&info) < 0)
		return;
	snprintf(limit, sizeof limit, "%llu", (unsigned long long)info.totalram * info.mem_unit / MEMORY_PER_PROCESS);
	poke_at(root, "workload/bounded/pids.max", limit);
}

static int open_group(int root, const char *name)
{
	return openat(root, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int workload_open(struct workload *workload, const char *root)
{
	*workload = WORKLOAD_NONE;
	int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	for (size_t i = 0; i < COUNT(groups); i++)
		if (mkdirat(fd, groups[i], 0755) < 0 && errno != EEXIST) {
			close(fd);
			return -1;
		}
	bound_processes(fd);
	workload->commands_fd = open_group(fd, "workload/bounded/sandbox/commands");
	workload->beside_fd = open_group(fd, "workload/beside");
	workload->hooks_fd = open_group(fd, "hooks");
	workload->events_fd = openat(fd, "workload/cgroup.events", O_RDONLY | O_CLOEXEC);
	workload->freeze_fd = openat(fd, "workload/cgroup.freeze", O_WRONLY | O_CLOEXEC);
	int error = errno;
	close(fd);
	errno = error;
	return workload->commands_fd < 0 || workload->beside_fd < 0 || workload->hooks_fd < 0 || workload->freeze_fd < 0 || workload->events_fd < 0 ? -1 : 0;
}

/* False when none was there. */
static bool take_some(const struct workload *workload)
{
	char text[4096];
	int fd = openat(workload->hooks_fd, "cgroup.procs", O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	if (got <= 0)
		return false;
	text[got] = 0;
	/* The last number may be cut off: the next pass has it. */
	char *end = strrchr(text, '\n'), *position = NULL;
	if (end)
		*end = 0;
	for (char *pid = strtok_r(text, "\n", &position); pid; pid = strtok_r(NULL, "\n", &position))
		if (poke_at(workload->commands_fd, "cgroup.procs", pid) < 0)
			poke_at(workload->beside_fd, "cgroup.procs", pid);
	return true;
}

void workload_take_hooks(const struct workload *workload)
{
	if (workload->hooks_fd < 0)
		return;
	for (int pass = 0; pass < PASSES && take_some(workload); pass++)
		;
}

void workload_kill_hooks(const struct workload *workload)
{
	if (workload->hooks_fd >= 0)
		poke_at(workload->hooks_fd, "cgroup.kill", "1");
}
