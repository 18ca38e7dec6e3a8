#include "pax.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static size_t digits_of(size_t number)
{
	size_t digits = 1;
	for (; number >= 10; number /= 10)
		digits++;
	return digits;
}

bool pax_put(struct bytes *records, const char *key, const char *value, size_t len)
{
	size_t body = strlen(key) + len + 3; /* ' ', '=', '\n' */
	size_t total = body + digits_of(body);
	total = body + digits_of(total);
	char head[128];
	int head_len = snprintf(head, sizeof head, "%zu %s=", total, key);
	return bytes_append(records, head, (size_t)head_len) && bytes_append(records, value, len) && bytes_append(records, "\n", 1);
}

bool pax_put_number(struct bytes *records, const char *key, uint64_t number)
{
	char text[24];
	int len = snprintf(text, sizeof text, "%" PRIu64, number);
	return pax_put(records, key, text, (size_t)len);
}

bool pax_put_time(struct bytes *records, const char *key, struct timespec time)
{
	/* -1.5 s is stored by the kernel as -2 s and 500000000 ns. */
	bool negative = time.tv_sec < 0;
	uint64_t seconds = negative ? (uint64_t)-(time.tv_sec + (time.tv_nsec > 0)) : (uint64_t)time.tv_sec;
	long ns = negative && time.tv_nsec > 0 ? 1000000000 - time.tv_nsec : time.tv_nsec;
	char text[48];
	int len = snprintf(text, sizeof text, "%s%" PRIu64, negative ? "-" : "", seconds);
	if (ns > 0) {
		len += snprintf(text + len, sizeof text - (size_t)len, ".%09ld", ns);
		while (text[len - 1] == '0')
			len--;
	}
	return pax_put(records, key, text, (size_t)len);
}
