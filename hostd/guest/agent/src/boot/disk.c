#include "disk.h"

#include "../bytes.h"
#include "console.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define WAIT_STEP_MS 2
#define WAIT_MAX_MS 10000
/* linux: fs/ext4/ext4.h (no part of the installed headers before 6.2). */
#define EXT4_IOC_RESIZE_FS _IOW('f', 16, uint64_t)
/* linux: Documentation/filesystems/ext4/super.rst */
#define SUPERBLOCK_AT 1024
#define BLOCKS_LOW 0x4
#define LOG_BLOCK_SIZE 0x18
#define BLOCKS_HIGH 0x150

static int open_when_there(const char *device)
{
	struct timespec step = {.tv_nsec = WAIT_STEP_MS * 1000000};
	for (int waited = 0; waited < WAIT_MAX_MS; waited += WAIT_STEP_MS) {
		int fd = open(device, O_RDONLY | O_CLOEXEC);
		if (fd >= 0 || (errno != ENOENT && errno != ENXIO))
			return fd;
		nanosleep(&step, NULL);
	}
	return -1;
}

int disk_grow(const char *device, const char *target)
{
	unsigned char super[1024];
	uint64_t size;
	int fd = open(device, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	int failed = pread(fd, super, sizeof super, SUPERBLOCK_AT) != (ssize_t)sizeof super || ioctl(fd, BLKGETSIZE64, &size) < 0;
	close(fd);
	if (failed)
		return -1;
	unsigned shift = 10 + get_u32(super + LOG_BLOCK_SIZE) % 32;
	uint64_t have = get_u32(super + BLOCKS_LOW) | (uint64_t)get_u32(super + BLOCKS_HIGH) << 32;
	uint64_t could = size >> shift;
	if (could <= have)
		return 0;
	fd = open(target, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	int result = ioctl(fd, EXT4_IOC_RESIZE_FS, &could) < 0 ? -1 : 1;
	int error = errno;
	close(fd);
	errno = error;
	return result;
}

int disk_mount(const char *device, const char *target)
{
	int fd = open_when_there(device);
	if (fd < 0)
		return -1;
	close(fd);
	if (mkdir(target, 0755) < 0 && errno != EEXIST)
		return -1;
	/* No background writing of inode tables: each sandbox would pay for it in its own overlay. No flush of replaced files: a sandbox does not
	 * outlive a crash of its machine. */
	if (mount(device, target, "ext4", MS_NOATIME, "noinit_itable,noauto_da_alloc") < 0)
		return -1;
	if (disk_grow(device, target) < 0)
		console_failed("growing the root file system");
	return 0;
}
