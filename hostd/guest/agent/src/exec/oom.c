#include "oom.h"

#include "../text.h"

#include <stdlib.h>
#include <string.h>

uint64_t oom_kills(void)
{
	char text[16384];
	if (text_read("/proc/vmstat", text, sizeof text) < 0)
		return 0;
	const char *line = strstr(text, "\noom_kill ");
	return line ? strtoull(line + strlen("\noom_kill "), NULL, 10) : 0;
}
