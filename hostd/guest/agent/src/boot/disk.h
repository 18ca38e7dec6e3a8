/* The root disk. */
#ifndef OFFSHOOT_DISK_H
#define OFFSHOOT_DISK_H

#include <stdint.h>

/* Waits for the device and mounts its ext4 file system at `target`; grows it when the device is larger. Returns 0 or -1 with errno. */
int disk_mount(const char *device, const char *target);
/* Grows the mounted file system to the device's present size; 1 when it grew, 0 when there was nothing to do, -1 with errno. */
int disk_grow(const char *device, const char *target);

#endif
