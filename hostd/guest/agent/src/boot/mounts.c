#include "mounts.h"

#include "console.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* linux: include/uapi/linux/magic.h */
#define RAMFS_MAGIC 0x858458f6
#define TMPFS_MAGIC 0x01021994

struct mount_entry {
	const char *type, *target, *options;
	unsigned long flags;
	mode_t mode;
};

static void make_folder(const char *path, mode_t mode)
{
	if (mkdir(path, mode) < 0 && errno != EEXIST)
		console_failed(path);
}

static void mount_entry(const struct mount_entry *entry)
{
	make_folder(entry->target, entry->mode);
	if (mount(entry->type, entry->target, entry->type, entry->flags, entry->options) < 0 && errno != EBUSY)
		console_failed(entry->target);
}

void mounts_early(void)
{
	static const struct mount_entry entries[] = {
		{"proc", "/proc", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC, 0555},
		{"sysfs", "/sys", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC, 0555},
		{"devtmpfs", "/dev", "mode=755", MS_NOSUID, 0755},
	};
	for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++)
		mount_entry(&entries[i]);
}

/* Everything below an open folder, on its own file system only: its memory is the machine's. */
static void delete_below(int folder_fd, dev_t device)
{
	DIR *folder = fdopendir(folder_fd);
	if (!folder) {
		close(folder_fd);
		return;
	}
	for (struct dirent *entry; (entry = readdir(folder));) {
		struct stat info;
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (fstatat(dirfd(folder), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) < 0 || info.st_dev != device)
			continue;
		if (S_ISDIR(info.st_mode)) {
			int below = openat(dirfd(folder), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
			if (below >= 0)
				delete_below(below, device);
		}
		unlinkat(dirfd(folder), entry->d_name, S_ISDIR(info.st_mode) ? AT_REMOVEDIR : 0);
	}
	closedir(folder);
}

static void empty_initramfs(int old_root)
{
	struct statfs kind;
	struct stat info;
	if (fstatfs(old_root, &kind) < 0 || (kind.f_type != RAMFS_MAGIC && kind.f_type != TMPFS_MAGIC) || fstat(old_root, &info) < 0) {
		console_say("the initramfs is not in memory: left as it is");
		close(old_root);
		return;
	}
	delete_below(old_root, info.st_dev);
}

void mounts_switch_root(const char *root)
{
	static const char *const taken[] = {"/dev", "/proc", "/sys"};
	for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
		char target[64];
		snprintf(target, sizeof target, "%s%s", root, taken[i]);
		make_folder(target, 0755);
		if (mount(taken[i], target, NULL, MS_MOVE, NULL) < 0)
			console_die(target);
	}
	int old_root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (old_root < 0 || chdir(root) < 0)
		console_die(root);
	empty_initramfs(old_root);
	if (mount(".", "/", NULL, MS_MOVE, NULL) < 0 || chroot(".") < 0 || chdir("/") < 0)
		console_die("switching to the root disk");
}

static void make_links(void)
{
	static const char *const links[][2] = {{"/proc/self/fd", "/dev/fd"}, {"/proc/self/fd/0", "/dev/stdin"}, {"/proc/self/fd/1", "/dev/stdout"},
		{"/proc/self/fd/2", "/dev/stderr"}};
	for (size_t i = 0; i < sizeof links / sizeof links[0]; i++)
		if (symlink(links[i][0], links[i][1]) < 0 && errno != EEXIST)
			console_failed(links[i][1]);
}

void mounts_late(void)
{
	static const struct mount_entry entries[] = {
		{"devpts", "/dev/pts", "gid=5,mode=620,ptmxmode=666", MS_NOSUID | MS_NOEXEC, 0755},
		{"tmpfs", "/dev/shm", "mode=1777", MS_NOSUID | MS_NODEV, 01777},
		{"tmpfs", "/run", "mode=755", MS_NOSUID | MS_NODEV, 0755},
		{"cgroup2", "/sys/fs/cgroup", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC, 0755},
	};
	for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++)
		mount_entry(&entries[i]);
	make_links();
	make_folder("/run/lock", 01777);
	chmod("/run/lock", 01777);
	make_folder("/tmp", 01777);
	chmod("/tmp", 01777);
	make_folder("/workspace", 0755);
}
