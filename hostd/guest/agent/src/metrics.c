#include "metrics.h"

#include "text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <time.h>

static uint64_t clock_ms(clockid_t id, uint64_t per_second)
{
	struct timespec t;
	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * per_second + (uint64_t)t.tv_nsec / (1000000000u / per_second);
}

static void put_memory(struct fields_out *result)
{
	char text[4096];
	static const char *const names[][2] = {{"MemTotal:", "memory-total-kib"}, {"MemAvailable:", "memory-available-kib"}};
	if (text_read("/proc/meminfo", text, sizeof text) < 0)
		return;
	for (size_t i = 0; i < 2; i++) {
		const char *line = strstr(text, names[i][0]);
		if (line)
			fields_put_u64(result, names[i][1], strtoull(line + strlen(names[i][0]), NULL, 10));
	}
}

static void put_disk(struct fields_out *result)
{
	struct statvfs root;
	if (statvfs("/", &root) < 0)
		return;
	fields_put_u64(result, "disk-total-kib", (uint64_t)root.f_blocks * root.f_frsize / 1024);
	fields_put_u64(result, "disk-free-kib", (uint64_t)root.f_bavail * root.f_frsize / 1024);
}

static void put_load(struct fields_out *result)
{
	char text[256];
	struct sysinfo info;
	if (sysinfo(&info) == 0)
		fields_put_u64(result, "processes", info.procs);
	if (text_read("/proc/loadavg", text, sizeof text) < 0)
		return;
	text[strcspn(text, " ")] = 0;
	fields_put_string(result, "load1", text);
}

void metrics_start(struct agent *agent, struct stream *stream, const struct fields *fields)
{
	struct fields_out result = {0};
	(void)agent;
	(void)fields;
	fields_put_string(&result, "ok", "1");
	put_memory(&result);
	put_disk(&result);
	put_load(&result);
	fields_put_u64(&result, "uptime-ms", clock_ms(CLOCK_BOOTTIME, 1000));
	fields_put_u64(&result, "clock-ns", clock_ms(CLOCK_REALTIME, 1000000000));
	stream_end(stream, &result);
}
