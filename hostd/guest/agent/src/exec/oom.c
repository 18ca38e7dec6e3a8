#include "oom.h"

#include "../loop.h"
#include "../text.h"

#include <stdlib.h>
#include <string.h>

#define FRESH_MS 1000

static uint64_t known, known_at_ms;
static bool is_known;

uint64_t oom_kills(void)
{
	char text[16384];
	if (text_read("/proc/vmstat", text, sizeof text) < 0)
		return 0;
	const char *line = strstr(text, "\noom_kill ");
	known = line ? strtoull(line + strlen("\noom_kill "), NULL, 10) : 0;
	known_at_ms = loop_now_ms();
	is_known = true;
	return known;
}

uint64_t oom_kills_lately(void)
{
	return is_known && loop_now_ms() - known_at_ms < FRESH_MS ? known : oom_kills();
}
