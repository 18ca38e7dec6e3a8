/* One component against one pattern. */
#include "../src/files/glob.h"
#include "support/check.h"

#include <stdlib.h>
#include <string.h>

static bool matches(const char *pattern, const char *name)
{
	/* Exact copies, so that a byte read behind either is seen. */
	size_t pattern_len = strlen(pattern), name_len = strlen(name);
	char *a = malloc(pattern_len + 1), *b = malloc(name_len + 1);
	CHECK(a && b);
	a = realloc(a, pattern_len ? pattern_len : 1);
	b = realloc(b, name_len ? name_len : 1);
	CHECK(a && b);
	memcpy(a, pattern, pattern_len);
	memcpy(b, name, name_len);
	bool matched = glob_matches((struct glob_text){a, pattern_len}, (struct glob_text){b, name_len});
	free(a);
	free(b);
	return matched;
}

static void plain(void)
{
	CHECK(matches("a", "a") && !matches("a", "b") && !matches("a", "ab") && !matches("ab", "a") && matches("", "") && !matches("", "a"));
	CHECK(matches("\\*", "*") && !matches("\\*", "a") && matches("a\\", "a\\") && matches("\\!x", "!x"));
	CHECK(matches("?", "\xc3\xbc") && !matches("??", "\xc3\xbc") && matches("??", "\xc3z") && matches("?", "\xff") && matches("a?", "a\n"));
}

static void stars(void)
{
	CHECK(matches("*", "") && matches("*", ".hidden") && matches("*.log", "a.log") && !matches("*.log", "a.logs") && matches("a*b*c", "aXbbYcc"));
	CHECK(!matches("a*b*c", "acb") && matches("***", "x") && matches("*\xc3\xbc", "\xc3\xbc\xc3\xbc") && matches("*a", "aaaa"));
}

static void sets(void)
{
	CHECK(matches("[ab]", "a") && !matches("[ab]", "c") && matches("[a-c]x", "bx") && !matches("[a-c]", "d") && matches("[!a]", "b") && !matches("[^a]", "a"));
	CHECK(matches("[]]", "]") && matches("[!]]", "a") && matches("[a-]", "-") && matches("[\\]]", "]") && matches("[", "[") && matches("[a", "[a"));
	CHECK(matches("[\xc3\xa4-\xc3\xbc]", "\xc3\xb6") && !matches("[\xc3\xa4-\xc3\xb6]", "\xc3\xbc") && matches("*[0-9]", "a7") && !matches("[a-", "a"));
	CHECK(matches("[\\a-c]", "b") && matches("[!]", "[!]") && !matches("[ab]", ""));
}

/* A matcher that tries every split would not come back from these. */
static void bounded(void)
{
	char pattern[601], name[256];
	for (int i = 0; i < 300; i++) {
		pattern[2 * i] = '*';
		pattern[2 * i + 1] = 'a';
	}
	pattern[600] = 0;
	memset(name, 'a', 255);
	name[255] = 0;
	CHECK(!matches(pattern, name));
	pattern[400] = 'b';
	pattern[401] = 0;
	CHECK(!matches(pattern, name));
}

int main(void)
{
	plain();
	stars();
	sets();
	bounded();
	return 0;
}
