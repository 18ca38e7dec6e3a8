#include "boot.h"

#include "../text.h"
#include "console.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define PORTS "/sys/class/virtio-ports"
#define WAIT_STEP_MS 2
#define WAIT_MAX_MS 10000

/* The device of the port of this name; false when there is none (yet). */
static bool find_port(const char *name, char *device, size_t size)
{
	DIR *ports = opendir(PORTS);
	bool found = false;
	for (struct dirent *entry; ports && !found && (entry = readdir(ports));) {
		char path[512], text[256];
		snprintf(path, sizeof path, PORTS "/%s/name", entry->d_name);
		if (entry->d_name[0] == '.' || text_read(path, text, sizeof text) < 0)
			continue;
		text[strcspn(text, "\n")] = 0;
		found = strcmp(text, name) == 0;
		snprintf(device, size, "/dev/%s", entry->d_name);
	}
	if (ports)
		closedir(ports);
	return found;
}

int boot_open_port(const char *name)
{
	struct timespec step = {.tv_nsec = WAIT_STEP_MS * 1000000};
	char device[300];
	errno = ENOENT;
	for (int waited = 0; waited < WAIT_MAX_MS; waited += WAIT_STEP_MS) {
		if (find_port(name, device, sizeof device)) {
			int fd = open(device, O_RDWR | O_NONBLOCK | O_CLOEXEC);
			if (fd >= 0 || errno != ENOENT)
				return fd >= 0 ? fd : (console_die(device), -1);
		}
		nanosleep(&step, NULL);
	}
	errno = ENOENT;
	console_die(name);
}
