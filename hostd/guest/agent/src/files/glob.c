#include "glob.h"

#include <stdint.h>

/* The character at `*at`, which moves behind it; a byte that begins no UTF-8 character is one by itself. */
static uint32_t take(struct glob_text text, size_t *at)
{
	unsigned char first = (unsigned char)text.data[(*at)++];
	size_t more = first >= 0xf0 && first < 0xf8 ? 3 : first >= 0xe0 && first < 0xf0 ? 2 : first >= 0xc0 && first < 0xe0 ? 1 : 0;
	uint32_t code = more == 0 ? first : first & (0x3fu >> more);
	if (more > text.len - *at)
		return first;
	for (size_t i = 0; i < more; i++) {
		unsigned char next = (unsigned char)text.data[*at + i];
		if ((next & 0xc0) != 0x80)
			return first;
		code = code << 6 | (next & 0x3f);
	}
	*at += more;
	return code;
}

/* Where the set that begins at `at` (a `[`) ends: behind its `]`; 0 when it has none and the bracket is a plain character. */
static size_t set_end(struct glob_text pattern, size_t at)
{
	size_t i = at + 1;
	if (i < pattern.len && (pattern.data[i] == '!' || pattern.data[i] == '^'))
		i++;
	if (i < pattern.len && pattern.data[i] == ']')
		i++;
	for (; i < pattern.len; i++) {
		if (pattern.data[i] == ']')
			return i + 1;
		if (pattern.data[i] == '\\')
			i++;
	}
	return 0;
}

static uint32_t take_escaped(struct glob_text pattern, size_t *at)
{
	if (pattern.data[*at] == '\\' && *at + 1 < pattern.len)
		(*at)++;
	return take(pattern, at);
}

/* `set` holds what stands between the brackets. */
static bool in_set(struct glob_text set, uint32_t code)
{
	size_t at = 0;
	bool found = false, negated = set.len > 0 && (set.data[0] == '!' || set.data[0] == '^');
	if (negated)
		at++;
	while (at < set.len) {
		uint32_t low = take_escaped(set, &at), high = low;
		if (at + 1 < set.len && set.data[at] == '-') {
			at++;
			high = take_escaped(set, &at);
		}
		found = found || (low <= code && code <= high);
	}
	return found != negated;
}

/* Matches one character of the pattern that is no `*`. */
static bool one(struct glob_text pattern, size_t *p, struct glob_text name, size_t *n)
{
	size_t end = pattern.data[*p] == '[' ? set_end(pattern, *p) : 0;
	if (end > 0) {
		struct glob_text set = {pattern.data + *p + 1, end - *p - 2};
		*p = end;
		return in_set(set, take(name, n));
	}
	if (pattern.data[*p] == '?') {
		(*p)++;
		take(name, n);
		return true;
	}
	return take_escaped(pattern, p) == take(name, n);
}

bool glob_matches(struct glob_text pattern, struct glob_text name)
{
	size_t p = 0, n = 0, star = SIZE_MAX, resume = 0;
	while (n < name.len) {
		if (p < pattern.len && pattern.data[p] == '*') {
			star = ++p;
			resume = n;
			continue;
		}
		if (p < pattern.len && one(pattern, &p, name, &n))
			continue;
		/* Only the last star can have to take more: what an earlier one could, it can too. */
		if (star == SIZE_MAX)
			return false;
		take(name, &resume);
		n = resume;
		p = star;
	}
	while (p < pattern.len && pattern.data[p] == '*')
		p++;
	return p == pattern.len;
}
