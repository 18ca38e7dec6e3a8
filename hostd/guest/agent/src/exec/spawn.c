#include "spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STACK_SIZE (64u << 10)

SPAWN_SHARED_MEMORY void spawn_shed_privilege(void)
{
	if (getpriority(PRIO_PROCESS, 0) < 0)
		setpriority(PRIO_PROCESS, 0, 0);
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* The C library's own set*id functions would want all threads of this memory to follow. */
SPAWN_SHARED_MEMORY static int become(const struct user *user)
{
	if (syscall(SYS_setgroups, user->group_count, user->groups) < 0)
		return -1;
	if (syscall(SYS_setresgid, user->gid, user->gid, user->gid) < 0)
		return -1;
	return (int)syscall(SYS_setresuid, user->uid, user->uid, user->uid);
}

SPAWN_SHARED_MEMORY static int place_descriptors(const struct spawn *s)
{
	/* The sources are above 3 (the agent keeps 0 to 3 taken), so no copy overwrites one. */
	for (int i = 0; i < 3; i++)
		if (dup2(s->fd[i], i) < 0)
			return -1;
	if (s->script_fd >= 0 && dup2(s->script_fd, 3) < 0)
		return -1;
	syscall(SYS_close_range, s->script_fd >= 0 ? 4u : 3u, ~0u, 0u);
	return 0;
}

SPAWN_SHARED_MEMORY static int run_first(const struct spawn *s)
{
	int error = ENOENT;
	for (char **path = s->paths; path && *path; path++) {
		execve(*path, s->argv, s->envp);
		if (errno != ENOENT && errno != ENOTDIR && errno != EACCES)
			return errno;
		if (errno == EACCES)
			error = EACCES;
	}
	return error;
}

SPAWN_SHARED_MEMORY __attribute__((noinline)) static int child(void *argument)
{
	struct spawn *s = argument;
	s->failed_step = SPAWN_SESSION;
	if (setsid() < 0 || (s->terminal && ioctl(s->fd[0], TIOCSCTTY, 0) < 0))
		goto failed;
	s->failed_step = SPAWN_DESCRIPTORS;
	if (place_descriptors(s) < 0)
		goto failed;
	spawn_shed_privilege();
	s->failed_step = SPAWN_USER;
	if (s->user && become(s->user) < 0)
		goto failed;
	s->failed_step = SPAWN_CWD;
	if (chdir(s->cwd) < 0)
		goto failed;
	s->failed_step = SPAWN_EXEC;
	errno = run_first(s);
failed:
	s->error = errno;
	_exit(127);
}

#ifdef __x86_64__
/* linux: include/uapi/linux/sched.h */
struct clone3_args {
	uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid, set_tid_size, cgroup;
};
#define CLONE_INTO_CGROUP_FLAG 0x200000000ull

/* Moving a process into a control group waits for an RCU grace period, starting it there does not. The C library has no clone3: the child goes on
 * in this frame, as after vfork, and only ever calls below it. */
SPAWN_SHARED_MEMORY __attribute__((noinline)) static pid_t clone_into_cgroup(struct spawn *s, int cgroup_fd)
{
	struct clone3_args args = {.flags = CLONE_VM | CLONE_VFORK | CLONE_INTO_CGROUP_FLAG, .exit_signal = SIGCHLD, .cgroup = (uint64_t)cgroup_fd};
	long result;
	__asm__ volatile("syscall" : "=a"(result) : "0"(SYS_clone3), "D"(&args), "S"(sizeof args) : "rcx", "r11", "memory");
	if (result == 0)
		child(s);
	return result < 0 ? -1 : (pid_t)result;
}
#else
static pid_t clone_into_cgroup(struct spawn *s, int cgroup_fd)
{
	(void)s;
	(void)cgroup_fd;
	return -1;
}
#endif

pid_t spawn(struct spawn *s)
{
	static char stack[STACK_SIZE] __attribute__((aligned(16)));
	s->error = 0;
	s->failed_step = SPAWN_CLONE;
	pid_t pid = s->cgroup_fd >= 0 ? clone_into_cgroup(s, s->cgroup_fd) : -1;
	if (pid < 0 && s->spare_cgroup_fd >= 0)
		pid = clone_into_cgroup(s, s->spare_cgroup_fd);
	/* Never beside the groups where there are some: it could not be frozen. */
	if (pid < 0 && s->cgroup_fd < 0)
		pid = clone(child, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, s);
	if (pid < 0) {
		s->error = errno;
		return -1;
	}
	/* CLONE_VFORK: the child has started its program or is gone. A gone one is reaped with all others. */
	return s->error ? -1 : pid;
}
