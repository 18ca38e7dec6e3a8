#include "include.h"

#include "glob.h"

#include <stdlib.h>
#include <string.h>

#define COMPONENTS_MAX 62
#define TAKEN (1ull << 63) /* a folder above matched */

struct include_pattern {
	bool takes_away;
	size_t count;
	struct glob_text components[COMPONENTS_MAX + 1];
};

static bool any_depth(struct glob_text component)
{
	return component.len == 2 && memcmp(component.data, "**", 2) == 0;
}

/* What stands at `i` may also be skipped when it is `**`. */
static uint64_t state_at(const struct include_pattern *pattern, size_t i)
{
	uint64_t state = 0;
	for (;; i++) {
		state |= 1ull << i;
		if (i == pattern->count || !any_depth(pattern->components[i]))
			return state;
	}
}

static int parse(struct include_pattern *pattern, const struct field *field, struct failure *failure)
{
	const char *text = (const char *)field->value, *end = text + field->value_len;
	if (memchr(text, 0, field->value_len))
		return fail(failure, "invalid", "an include pattern holds a NUL");
	if (text < end && *text == '!') {
		pattern->takes_away = true;
		text++;
	}
	while (text < end) {
		const char *slash = memchr(text, '/', (size_t)(end - text));
		size_t len = (size_t)((slash ? slash : end) - text);
		if (len > 0 && !(len == 1 && *text == '.')) {
			if (pattern->count == COMPONENTS_MAX)
				return fail(failure, "invalid", "an include pattern has more than %d components", COMPONENTS_MAX);
			pattern->components[pattern->count++] = (struct glob_text){text, len};
		}
		text += len + (slash ? 1 : 0);
	}
	/* `**` at the end is what lies in a folder, not the folder itself. */
	if (pattern->count > 0 && any_depth(pattern->components[pattern->count - 1]))
		pattern->components[pattern->count++] = (struct glob_text){"*", 1};
	return 0;
}

int include_open(struct include *include, const struct fields *params, struct failure *failure)
{
	size_t count = 0;
	for (size_t i = 0; i < params->count; i++)
		count += strcmp(params->items[i].key, "include") == 0;
	if (count == 0)
		return 0;
	include->given = true;
	include->patterns = calloc(count, sizeof *include->patterns);
	if (!include->patterns)
		return fail(failure, "io", "out of memory");
	for (size_t i = 0; i < params->count; i++) {
		if (strcmp(params->items[i].key, "include") == 0 && parse(&include->patterns[include->count++], &params->items[i], failure) < 0)
			return -1;
	}
	return 0;
}

static bool reserve(struct include *include, size_t depth)
{
	if (depth < include->depth_cap)
		return true;
	size_t cap = include->depth_cap ? include->depth_cap * 2 : 16;
	uint64_t *grown = realloc(include->states, cap * include->count * sizeof *grown);
	if (!grown)
		return false;
	include->states = grown;
	include->depth_cap = cap;
	return true;
}

static uint64_t next_state(const struct include_pattern *pattern, uint64_t from, struct glob_text name)
{
	uint64_t to = 0;
	if (from & TAKEN || pattern->count == 0) /* `.` is everything */
		return TAKEN;
	for (size_t i = 0; i < pattern->count; i++) {
		if (!(from & 1ull << i))
			continue;
		if (any_depth(pattern->components[i]))
			to |= state_at(pattern, i);
		else if (glob_matches(pattern->components[i], name))
			to |= state_at(pattern, i + 1);
	}
	return to & 1ull << pattern->count ? TAKEN : to;
}

int include_ask(struct include *include, size_t depth, const char *base, enum include_verdict *verdict, struct failure *failure)
{
	struct glob_text name = {base, strlen(base)};
	bool taken_away = false, wanted = false, on_the_way = false;
	*verdict = INCLUDE_WANTED;
	if (!include->given)
		return 0;
	if (!reserve(include, depth))
		return fail(failure, "io", "out of memory");
	uint64_t *states = include->states + depth * include->count;
	for (size_t i = 0; i < include->count; i++) {
		const struct include_pattern *pattern = &include->patterns[i];
		uint64_t from = depth == 0 ? state_at(pattern, 0) : (states - include->count)[i];
		states[i] = next_state(pattern, from, name);
		if (pattern->takes_away)
			taken_away = taken_away || states[i] == TAKEN;
		else if (states[i] == TAKEN)
			wanted = true;
		else if (states[i])
			on_the_way = true;
	}
	*verdict = taken_away ? INCLUDE_NOT : wanted ? INCLUDE_WANTED : on_the_way ? INCLUDE_ON_THE_WAY : INCLUDE_NOT;
	return 0;
}

void include_close(struct include *include)
{
	free(include->patterns);
	free(include->states);
}
