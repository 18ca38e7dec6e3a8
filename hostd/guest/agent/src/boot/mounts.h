/* The mounts of a sandbox, and the move from the initramfs to the root disk. */
#ifndef OFFSHOOT_MOUNTS_H
#define OFFSHOOT_MOUNTS_H

/* proc, sysfs and devtmpfs in the initramfs. */
void mounts_early(void);
/* Takes those along to `root`, deletes what the initramfs holds and makes `root` the root. Ends the machine when it can't. */
void mounts_switch_root(const char *root);
/* What programs expect besides: pts, shm, run, cgroups, the links of /dev, /tmp, the workspace. */
void mounts_late(void);

#endif
