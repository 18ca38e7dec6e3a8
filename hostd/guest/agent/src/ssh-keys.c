#include "ssh-keys.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int kind_of(const char *name)
{
	if (strcmp(name, "ssh_host_ed25519_key") == 0)
		return SSH_KEY_ED25519;
	return strcmp(name, "ssh_host_ecdsa_key") == 0 ? SSH_KEY_ECDSA : SSH_KEY_OTHER;
}

int ssh_keys_remove(const char *root)
{
	char path[PATH_MAX];
	int found = 0;
	snprintf(path, sizeof path, "%s/etc/ssh", root);
	DIR *folder = opendir(path);
	if (!folder)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -1;
	for (struct dirent *entry; found >= 0 && (entry = readdir(folder));) {
		bool key = fnmatch("ssh_host_*_key", entry->d_name, 0) == 0;
		if (!key && fnmatch("ssh_host_*_key.pub", entry->d_name, 0) != 0)
			continue;
		found = unlinkat(dirfd(folder), entry->d_name, 0) < 0 ? -1 : found | (key ? kind_of(entry->d_name) : 0);
	}
	int error = errno;
	closedir(folder);
	errno = error;
	return found;
}
