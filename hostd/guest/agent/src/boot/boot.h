/* Bringing a sandbox up: from an initramfs with this program as /init to a running root file system, in one process. */
#ifndef OFFSHOOT_BOOT_H
#define OFFSHOOT_BOOT_H

#include "../workload.h"

/* Kernel modules, root disk, mounts, network. Does not return when there is no usable root: PID 1 then ends, and with it the machine. */
void boot_up(void);
/* Makes the commands' control groups, and lets the agent's children see only theirs. What the kernel has not got is said on the console. */
void boot_open_workload(struct workload *workload);
/* Waits for the virtio-serial port of this name and opens it. Returns the descriptor; ends the machine when none comes. */
int boot_open_port(const char *name);

#endif
