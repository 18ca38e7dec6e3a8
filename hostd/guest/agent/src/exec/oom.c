#include "oom.h"

#include "../text.h"

#include <stdlib.h>
#include <string.h>

static uint64_t known;

uint64_t oom_kills(void)
{
	char text[16384];
	if (text_read("/proc/vmstat", text, sizeof text) < 0)
		return 0;
	const char *line = strstr(text, "\noom_kill ");
	known = line ? strtoull(line + strlen("\noom_kill "), NULL, 10) : 0;
	return known;
}

uint64_t oom_kills_known(void)
{
	return known;
}
