#include "boot.h"

#include "console.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#define ROOT "/sys/fs/cgroup"
#define SANDBOX ROOT "/workload/bounded/sandbox"
#define MOUNT_FLAGS (MS_NOSUID | MS_NODEV | MS_NOEXEC)

static int join(int procs_fd)
{
	return write(procs_fd, "0", 1) == 1 ? 0 : -1;
}

/* A namespace's root is where its maker stands: the agent goes there for a moment. All its children are born into the namespace, at no cost; what it
 * holds open of the whole tree stays its own. */
static int enter_namespace(void)
{
	int home = open(ROOT "/cgroup.procs", O_WRONLY | O_CLOEXEC), sandbox = open(SANDBOX "/cgroup.procs", O_WRONLY | O_CLOEXEC);
	int result = -1;
	if (home >= 0 && sandbox >= 0 && join(sandbox) == 0) {
		result = unshare(CLONE_NEWCGROUP);
		if (join(home) < 0)
			result = -1;
	}
	int error = errno;
	if (home >= 0)
		close(home);
	if (sandbox >= 0)
		close(sandbox);
	errno = error;
	return result;
}

/* What is seen of a mount depends on the namespace it was made in. */
static int show_sandbox_only(void)
{
	if (umount2(ROOT, MNT_DETACH) < 0)
		return -1;
	return mount("cgroup2", ROOT, "cgroup2", MOUNT_FLAGS, NULL);
}

void boot_open_workload(struct workload *workload)
{
	if (workload_open(workload, ROOT) < 0 || enter_namespace() < 0 || show_sandbox_only() < 0)
		console_failed("control groups");
}
