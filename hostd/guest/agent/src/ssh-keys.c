#include "ssh-keys.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

int ssh_keys_remove(const char *root)
{
	char path[PATH_MAX];
	int keys = 0;
	snprintf(path, sizeof path, "%s/etc/ssh", root);
	DIR *folder = opendir(path);
	if (!folder)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -1;
	for (struct dirent *entry; keys >= 0 && (entry = readdir(folder));) {
		bool key = fnmatch("ssh_host_*_key", entry->d_name, 0) == 0;
		if (!key && fnmatch("ssh_host_*_key.pub", entry->d_name, 0) != 0)
			continue;
		keys = unlinkat(dirfd(folder), entry->d_name, 0) < 0 ? -1 : keys + key;
	}
	int error = errno;
	closedir(folder);
	errno = error;
	return keys;
}
