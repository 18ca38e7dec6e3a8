#include "console.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void console_say(const char *format, ...)
{
	char line[512] = "offshoot: ";
	size_t head = strlen(line);
	va_list args;
	va_start(args, format);
	vsnprintf(line + head, sizeof line - head - 1, format, args);
	va_end(args);
	strcat(line, "\n");
	int fd = open("/dev/console", O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return;
	if (write(fd, line, strlen(line)) < 0) { /* nobody to tell */
	}
	close(fd);
}

void console_failed(const char *what)
{
	console_say("%s: %s", what, strerror(errno));
}

_Noreturn void console_die(const char *what)
{
	console_failed(what);
	exit(1);
}
