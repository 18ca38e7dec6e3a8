/* The control groups (cgroup v2) that commands live in, so that all of them can be stopped at once and a fork bomb leaves the agent able to work:
 *
 *   workload                     what is frozen: everything commands have started, wherever below they move it
 *     bounded                    bounds how many processes they are
 *       sandbox                  all that a command sees of the tree
 *         commands               where a command begins: not in `sandbox` itself, so that programs in there can hand controllers on
 *     beside                     where one begins when `bounded` has no room for it
 *   hooks                        what runs while the workload is frozen
 */
#ifndef OFFSHOOT_WORKLOAD_H
#define OFFSHOOT_WORKLOAD_H

struct workload {
	/* Folders, to start processes in; -1 where there are no control groups. */
	int commands_fd, beside_fd, hooks_fd;
	/* cgroup.freeze and cgroup.events of `workload`, or -1. */
	int freeze_fd, events_fd;
};

#define WORKLOAD_NONE ((struct workload){-1, -1, -1, -1, -1})

/* Makes the groups in `root`, a folder of a cgroup2 mount. What the kernel lacks is -1, and said by errno and -1; the count of processes stays
 * unbounded where there is no pids controller. */
int workload_open(struct workload *workload, const char *root);
/* Moves what hooks have left running to the workload. */
void workload_take_hooks(const struct workload *workload);
/* Kills all that is in `hooks`. */
void workload_kill_hooks(const struct workload *workload);

#endif
