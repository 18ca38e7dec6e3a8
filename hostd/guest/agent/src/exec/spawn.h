/* Starting a program in a process, session and group of its own. */
#ifndef OFFSHOOT_SPAWN_H
#define OFFSHOOT_SPAWN_H

#include "users.h"

#include <stdbool.h>
#include <sys/types.h>

/* For what runs in a child that shares the agent's memory (as with vfork, which spares copying page tables): it only makes system calls. */
#ifdef __SANITIZE_ADDRESS__
#define SPAWN_SHARED_MEMORY __attribute__((no_sanitize("address", "undefined")))
#else
#define SPAWN_SHARED_MEMORY
#endif

enum spawn_step { SPAWN_CLONE, SPAWN_SESSION, SPAWN_DESCRIPTORS, SPAWN_USER, SPAWN_CWD, SPAWN_EXEC };

struct spawn {
	char **paths; /* tried in turn, as a shell does with PATH */
	char **argv, **envp;
	const char *cwd;
	const struct user *user; /* NULL: as the agent */
	int fd[3]; /* stdin, stdout, stderr */
	int script_fd; /* -1, or what becomes descriptor 3 */
	bool terminal; /* fd[0] becomes the controlling terminal */
	int cgroup_fd; /* -1, or the control group to start in */
	int spare_cgroup_fd; /* -1, or where instead when that has no room or is gone */

	enum spawn_step failed_step; /* after a failure */
	int error;
};

/* The process id once the program runs, or -1 with failed_step and error. */
pid_t spawn(struct spawn *spawn);
/* What every child of the agent sheds: its priority and its signal mask. Async-signal-safe. */
void spawn_shed_privilege(void);

#endif
