#include "hook-folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define HOOKS_FOLDER "/etc/offshoot/on-fork.d"

static bool is_executable(int folder, const char *name)
{
	struct stat info;
	size_t len = strlen(name);
	return name[0] != '.' && name[len - 1] != '~' && fstatat(folder, name, &info, 0) == 0 && S_ISREG(info.st_mode) && (info.st_mode & 0111);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void hook_folder_read(struct strings *programs, const char *root)
{
	char path[PATH_MAX];
	size_t first = programs->count;
	snprintf(path, sizeof path, "%s" HOOKS_FOLDER, root);
	DIR *folder = opendir(path);
	if (!folder)
		return;
	for (struct dirent *entry; (entry = readdir(folder));) {
		int len = snprintf(path, sizeof path, "%s" HOOKS_FOLDER "/%s", root, entry->d_name);
		if (len < (int)sizeof path && is_executable(dirfd(folder), entry->d_name))
			strings_add(programs, path, (size_t)len);
	}
	closedir(folder);
	if (programs->count > first)
		qsort(programs->items + first, programs->count - first, sizeof *programs->items, by_name);
}

static void list(const char *path)
{
	DIR *folder = opendir(path);
	struct stat info;
	for (struct dirent *entry; folder && (entry = readdir(folder));)
		fstatat(dirfd(folder), entry->d_name, &info, AT_SYMLINK_NOFOLLOW);
	if (folder)
		closedir(folder);
}

void hook_folder_warm(void)
{
	list("/etc/ssh");
	list(HOOKS_FOLDER);
}
