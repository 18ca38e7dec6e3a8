#include "boot.h"

#include "../text.h"
#include "console.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>

#define ROOT "/sys/fs/cgroup"
#define WORKLOAD ROOT "/workload"
/* A process costs the kernel alone about half of this (stack, page tables, descriptors). */
#define MEMORY_PER_PROCESS (256u << 10)

int boot_open_workload(void)
{
	struct sysinfo info;
	char limit[32];
	if (sysinfo(&info) < 0)
		return -1;
	snprintf(limit, sizeof limit, "%llu", (unsigned long long)info.totalram * info.mem_unit / MEMORY_PER_PROCESS);
	if (text_poke(ROOT "/cgroup.subtree_control", "+pids") < 0 || (mkdir(WORKLOAD, 0755) < 0 && errno != EEXIST) ||
		text_poke(WORKLOAD "/pids.max", limit) < 0) {
		console_failed(WORKLOAD);
		return -1;
	}
	return open(WORKLOAD, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}
