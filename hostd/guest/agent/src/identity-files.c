#include "identity-files.h"

#include "boot/console.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ETC "/etc/"
#define RUN "/run/offshoot/"
#define PATH_SIZE 64
#define HOSTS_MAX (1u << 20)
#define OWN_ADDRESS "127.0.1.1"

static const struct {
	const char *name;
	unsigned mode;
} files[] = {{"hostname", 0644}, {"machine-id", 0444}, {"hosts", 0644}, {"resolv.conf", 0644}};

static char *join(char *out, const char *folder, const char *name)
{
	stpcpy(stpcpy(out, folder), name);
	return out;
}

static bool is_linked(const char *path, const char *target)
{
	char there[PATH_SIZE];
	ssize_t len = readlink(path, there, sizeof there);
	return len == (ssize_t)strlen(target) && memcmp(there, target, (size_t)len) == 0;
}

/* Where the file is now. */
static char *place(char *out, const char *name)
{
	char path[PATH_SIZE], target[PATH_SIZE];
	bool linked = is_linked(join(path, ETC, name), join(target, RUN, name));
	return strcpy(out, linked ? target : path);
}

static int link_one(const char *name, unsigned mode)
{
	char path[PATH_SIZE], target[PATH_SIZE], fresh[PATH_SIZE + 16];
	join(path, ETC, name);
	join(target, RUN, name);
	if (is_linked(path, target))
		return 0; /* the disk of a machine that ran before: its files were in memory */
	char *text = text_read_all(path, HOSTS_MAX);
	int result = text_replace(target, text ? text : "", mode);
	free(text);
	strcpy(stpcpy(fresh, path), ".offshoot");
	unlink(fresh);
	if (result < 0 || symlink(target, fresh) < 0)
		return -1;
	return rename(fresh, path);
}

void identity_files_link(void)
{
	if (mkdir("/run/offshoot", 0755) < 0 && errno != EEXIST)
		console_failed("/run/offshoot");
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
		if (link_one(files[i].name, files[i].mode) < 0)
			console_failed(files[i].name);
}

int identity_file_put(const char *name, const char *text, unsigned mode)
{
	char path[PATH_SIZE];
	return text_put(place(path, name), text, mode);
}

static const char *own_line(const char *text)
{
	size_t len = strlen(OWN_ADDRESS);
	for (const char *line = text; *line;) {
		if (strncmp(line, OWN_ADDRESS, len) == 0)
			return line;
		const char *end = strchr(line, '\n');
		line = end ? end + 1 : "";
	}
	return NULL;
}

/* All but the lines of the own name, then that line. `size` is that of `fresh`; false when it does not fit. */
static bool make_hosts(char *fresh, size_t size, const char *old, const char *hostname)
{
	static const char first[] = "127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n";
	char *at = fresh;
	if (!*old)
		old = first;
	if (strlen(old) + strlen(hostname) + sizeof OWN_ADDRESS + 4 > size)
		return false;
	for (const char *own; (own = own_line(old));) {
		at = mempcpy(at, old, (size_t)(own - old));
		const char *end = strchr(own, '\n');
		old = end ? end + 1 : "";
	}
	at = stpcpy(at, old);
	if (at > fresh && at[-1] != '\n')
		*at++ = '\n';
	stpcpy(stpcpy(stpcpy(at, OWN_ADDRESS "\t"), hostname), "\n");
	return true;
}

int identity_hosts_put(const char *hostname)
{
	static char fresh[TEXT_SCRATCH_MAX + 256];
	char path[PATH_SIZE];
	char *old = text_read_scratch(place(path, "hosts"));
	if (!old && errno == EFBIG)
		return -1;
	if (make_hosts(fresh, sizeof fresh, old ? old : "", hostname))
		return text_put(path, fresh, 0644);
	errno = EFBIG;
	return -1;
}
