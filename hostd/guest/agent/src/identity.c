#include "identity.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <string.h>

#define ENTROPY_MIN 32
#define ENTROPY_MAX 256

static bool is_hex(const char *text, size_t from, size_t len)
{
	for (size_t i = from; i < from + len; i++)
		if (!isdigit((unsigned char)text[i]) && !(text[i] >= 'a' && text[i] <= 'f'))
			return false;
	return true;
}

static bool is_machine_id(const char *text)
{
	return strlen(text) == 32 && is_hex(text, 0, 32);
}

static bool is_uuid(const char *text)
{
	return strlen(text) == 36 && text[8] == '-' && text[13] == '-' && text[18] == '-' && text[23] == '-' && is_hex(text, 0, 8) &&
		is_hex(text, 9, 4) && is_hex(text, 14, 4) && is_hex(text, 19, 4) && is_hex(text, 24, 12);
}

static bool is_hostname(const char *text)
{
	size_t len = strlen(text);
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)text[i]) && text[i] != '-' && text[i] != '.')
			return false;
	return len > 0 && len <= 64 && text[0] != '-' && text[0] != '.';
}

static bool is_number(const char *text)
{
	size_t len = strlen(text);
	return len > 0 && len <= 20 && strspn(text, "0123456789") == len;
}

static bool is_address(const char *text)
{
	unsigned char address[16];
	return inet_pton(AF_INET, text, address) == 1 || inet_pton(AF_INET6, text, address) == 1;
}

/* The parts that are one checked text each, in the order they are applied. */
static const struct {
	const char *step;
	bool (*valid)(const char *text);
	int (*apply)(const char *dry, const char *text);
} parts[] = {
	{"hostname", is_hostname, identity_set_hostname},
	{"machine-id", is_machine_id, identity_set_machine_id},
	{"boot-id", is_uuid, identity_set_boot_id},
	{"nameserver", is_address, identity_set_nameserver},
	{"generation", is_number, identity_set_generation},
};

#define PARTS (sizeof parts / sizeof parts[0])

const char *identity_malformed(const struct fields *fields)
{
	uint64_t clock_ns;
	const struct field *entropy = fields_find(fields, "entropy");
	if (!entropy || entropy->value_len < ENTROPY_MIN || entropy->value_len > ENTROPY_MAX)
		return "entropy";
	if (fields_u64(fields, "clock-ns", INT64_MAX, &clock_ns) < 0)
		return "clock-ns";
	for (size_t i = 0; i < PARTS; i++)
		if (fields_find(fields, parts[i].step) && !parts[i].valid(fields_string(fields, parts[i].step, "")))
			return parts[i].step;
	return NULL;
}

const char *identity_apply(const char *dry, const struct fields *fields)
{
	uint64_t clock_ns;
	const struct field *entropy = fields_find(fields, "entropy");
	if (identity_reseed(dry, entropy->value, entropy->value_len) < 0)
		return "reseed";
	if (fields_u64(fields, "clock-ns", INT64_MAX, &clock_ns) == 1 && identity_set_clock(dry, clock_ns) < 0)
		return "clock";
	for (size_t i = 0; i < PARTS; i++)
		if (fields_find(fields, parts[i].step) && parts[i].apply(dry, fields_string(fields, parts[i].step, "")) < 0)
			return parts[i].step;
	return NULL;
}
