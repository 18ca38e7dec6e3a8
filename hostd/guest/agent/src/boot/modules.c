#include "modules.h"

#include "../text.h"
#include "console.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LIST_MAX (64u << 10)

static void load(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || (syscall(SYS_finit_module, fd, "", 0) < 0 && errno != EEXIST))
		console_failed(path);
	if (fd >= 0)
		close(fd);
}

void modules_load(const char *list_path)
{
	char *list = text_read_all(list_path, LIST_MAX), *position = NULL;
	if (!list && errno != ENOENT)
		console_failed(list_path);
	if (chdir("/") < 0)
		console_failed("/");
	for (char *line = list ? strtok_r(list, "\n", &position) : NULL; line; line = strtok_r(NULL, "\n", &position))
		load(line);
	free(list);
}
