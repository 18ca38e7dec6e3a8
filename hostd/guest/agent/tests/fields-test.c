/* Unit tests of src/fields.c: round trips, every malformed shape, and a seeded fuzz under the sanitizers. */
#include "../src/fields.h"
#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void round_trip(void)
{
	struct fields_out out = {0};
	char big[70000];
	memset(big, 'x', sizeof big);
	fields_put_string(&out, "kind", "exec");
	fields_put(&out, "arg", "a\0b", 3);
	fields_put_string(&out, "arg", "");
	fields_put(&out, "data", big, sizeof big);
	fields_put_u64(&out, "zero", 0);
	fields_put_u64(&out, "most", UINT64_MAX);
	fields_put_string(&out, "pty", "1");
	CHECK(!out.failed);

	struct fields in;
	CHECK(fields_parse(&in, out.buf, out.len, 7) == 0);
	CHECK(in.count == 7);
	CHECK(strcmp(in.items[1].key, "arg") == 0 && strcmp(in.items[2].key, "arg") == 0);
	CHECK(in.items[1].value_len == 3 && memcmp(in.items[1].value, "a\0b\0", 4) == 0);
	CHECK(in.items[2].value_len == 0 && in.items[2].value[0] == 0);
	CHECK(in.items[3].value_len == sizeof big && memcmp(in.items[3].value, big, sizeof big) == 0);
	CHECK(fields_find(&in, "arg") == &in.items[1]);
	CHECK(fields_find(&in, "absent") == NULL && fields_find(&in, "kin") == NULL);
	CHECK(strcmp(fields_string(&in, "kind", "-"), "exec") == 0);
	CHECK(strcmp(fields_string(&in, "arg", "inner-nul"), "inner-nul") == 0);
	CHECK(fields_string(&in, "absent", NULL) == NULL);
	CHECK(fields_flag(&in, "pty") && !fields_flag(&in, "zero") && !fields_flag(&in, "absent"));
	uint64_t number = 42;
	CHECK(fields_u64(&in, "absent", UINT64_MAX, &number) == 0 && number == 42);
	CHECK(fields_u64(&in, "kind", UINT64_MAX, &number) == -1 && number == 42);
	CHECK(fields_u64(&in, "most", UINT64_MAX, &number) == 1 && number == UINT64_MAX);
	CHECK(fields_u64(&in, "most", UINT64_MAX - 1, &number) == -1);
	CHECK(fields_u64(&in, "zero", 0, &number) == 1 && number == 0);
	fields_free(&in);
	CHECK(in.count == 0 && in.storage == NULL);
	CHECK(fields_parse(&in, out.buf, out.len, 6) == -1);
	for (size_t cut = 1; cut < 64; cut++)
		if (fields_parse(&in, out.buf, cut, 99) == 0) {
			CHECK(cut == 13 || cut == 24 || cut == 32);
			fields_free(&in);
		}
	fields_out_free(&out);
}

static int parse(const char *bytes, size_t len)
{
	struct fields in;
	/* An exact copy, so that the sanitizer sees any read past the end. */
	char *copy = malloc(len ? len : 1);
	CHECK(copy);
	memcpy(copy, bytes, len);
	int rc = fields_parse(&in, copy, len, 16);
	free(copy);
	if (rc == -1)
		CHECK(in.storage == NULL);
	fields_free(&in);
	return rc;
}
#define PARSE(literal) parse(literal, sizeof literal - 1)

static void malformed(void)
{
	CHECK(PARSE("") == 0);
	CHECK(PARSE("\001k\0\0\0\0") == 0);
	CHECK(PARSE("\001k\001\0\0\0v") == 0);
	CHECK(PARSE("\000\0\0\0\0") == -1);
	CHECK(PARSE("\001K\0\0\0\0") == -1);
	CHECK(PARSE("\002k\0\0\0\0\0") == -1);
	CHECK(PARSE("\001\xc3\0\0\0\0") == -1);
	CHECK(PARSE("\001k\0\0\0") == -1);
	CHECK(PARSE("\001k\002\0\0\0v") == -1);
	CHECK(PARSE("\001k\xff\xff\xff\xff") == -1);
	CHECK(PARSE("\001k\0\0\0\0\001") == -1);
	CHECK(PARSE("\377k") == -1);
}

static int u64_of(const char *text, uint64_t *number)
{
	struct fields_out out = {0};
	struct fields in;
	fields_put_string(&out, "n", text);
	CHECK(fields_parse(&in, out.buf, out.len, 1) == 0);
	int rc = fields_u64(&in, "n", UINT64_MAX, number);
	fields_free(&in);
	fields_out_free(&out);
	return rc;
}

static void numbers(void)
{
	uint64_t number = 0;
	CHECK(u64_of("007", &number) == 1 && number == 7);
	CHECK(u64_of("18446744073709551615", &number) == 1 && number == UINT64_MAX);
	const char *bad[] = {"", " 1", "1 ", "-1", "+1", "1e3", "0x1", "18446744073709551616", "99999999999999999999999"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		CHECK(u64_of(bad[i], &number) == -1);
}

static void bad_keys_fail_for_good(void)
{
	char long_key[300];
	memset(long_key, 'k', sizeof long_key - 1);
	long_key[sizeof long_key - 1] = 0;
	const char *bad[] = {"", "Upper", "with space", long_key};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct fields_out out = {0};
		fields_put_string(&out, "ok", "1");
		size_t len = out.len;
		fields_put_string(&out, bad[i], "v");
		CHECK(out.failed && out.len == len);
		fields_put_string(&out, "ok", "1");
		CHECK(out.failed && out.len == len);
		fields_out_free(&out);
	}
	struct fields_out longest = {0};
	long_key[255] = 0;
	fields_put_string(&longest, long_key, "v");
	CHECK(!longest.failed && longest.buf[0] == 255);
	fields_out_free(&longest);
}

static uint64_t random_state = 0x0ff5400700000001u;
static uint32_t random_u32(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state >> 16);
}

/* Whatever parses must encode back to the very bytes it came from. */
static void fuzz(void)
{
	unsigned parsed = 0;
	for (unsigned round = 0; round < 200000; round++) {
		struct fields_out seed = {0}, again = {0};
		struct fields in;
		for (unsigned i = random_u32() % 5; i > 0; i--)
			fields_put(&seed, i % 2 ? "k" : "longer-key", "value value", random_u32() % 12);
		unsigned char *bytes = malloc(seed.len ? seed.len : 1);
		CHECK(bytes);
		if (seed.len)
			memcpy(bytes, seed.buf, seed.len);
		for (unsigned flips = random_u32() % 3; flips > 0 && seed.len; flips--)
			bytes[random_u32() % seed.len] = (unsigned char)(random_u32() % 4 ? random_u32() % 32 : random_u32());
		size_t len = seed.len ? seed.len - random_u32() % 2 : 0;
		if (fields_parse(&in, bytes, len, 8) == 0) {
			parsed++;
			for (size_t i = 0; i < in.count; i++)
				fields_put(&again, in.items[i].key, in.items[i].value, in.items[i].value_len);
			CHECK(again.len == len && (len == 0 || memcmp(again.buf, bytes, len) == 0));
			fields_free(&in);
		}
		free(bytes);
		fields_out_free(&seed);
		fields_out_free(&again);
	}
	CHECK(parsed > 1000 && parsed < 199000);
}

int main(void)
{
	round_trip();
	malformed();
	numbers();
	bad_keys_fail_for_good();
	fuzz();
	return 0;
}
