/* Bringing a sandbox up: from an initramfs with this program as /init to a running root file system, in one process. */
#ifndef OFFSHOOT_BOOT_H
#define OFFSHOOT_BOOT_H

/* Kernel modules, root disk, mounts, network. Does not return when there is no usable root: PID 1 then ends, and with it the machine. */
void boot_up(void);
/* The control group of all commands, which bounds how many processes they are: a fork bomb leaves the agent able to work. Returns its folder's
 * descriptor, or -1 when the kernel has none. */
int boot_open_workload(void);
/* Waits for the virtio-serial port of this name and opens it. Returns the descriptor; ends the machine when none comes. */
int boot_open_port(const char *name);

#endif
