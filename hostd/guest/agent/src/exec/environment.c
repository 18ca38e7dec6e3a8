#include "environment.h"

#include "../text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
#define ENV_FILE_MAX (1u << 20)

static bool make_room(struct strings *list)
{
	if (list->count + 1 < list->cap)
		return true;
	size_t cap = list->cap ? list->cap * 2 : 32;
	char **grown = realloc(list->items, cap * sizeof *grown);
	if (!grown)
		return false;
	list->items = grown;
	list->cap = cap;
	return true;
}

void strings_add(struct strings *list, const char *text, size_t len)
{
	char *copy = malloc(len + 1);
	if (!copy || !make_room(list)) {
		free(copy);
		list->failed = true;
		return;
	}
	memcpy(copy, text, len);
	copy[len] = 0;
	list->items[list->count++] = copy;
	list->items[list->count] = NULL;
}

void strings_free(struct strings *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i]);
	free(list->items);
	*list = (struct strings){0};
}

static char **find(const struct strings *env, const char *key, size_t key_len)
{
	for (size_t i = 0; i < env->count; i++)
		if (strncmp(env->items[i], key, key_len) == 0 && env->items[i][key_len] == '=')
			return &env->items[i];
	return NULL;
}

bool environment_set(struct strings *env, const char *pair)
{
	const char *equals = strchr(pair, '=');
	if (!equals || equals == pair)
		return false;
	char **place = find(env, pair, (size_t)(equals - pair));
	if (!place) {
		strings_add(env, pair, strlen(pair));
		return true;
	}
	char *copy = strdup(pair);
	if (!copy) {
		env->failed = true;
		return true;
	}
	free(*place);
	*place = copy;
	return true;
}

const char *environment_get(const struct strings *env, const char *key)
{
	size_t len = strlen(key);
	char **place = find(env, key, len);
	return place ? *place + len + 1 : NULL;
}

static void set(struct strings *env, const char *key, const char *value)
{
	char pair[2048];
	if (strlen(key) + strlen(value) + 2 > sizeof pair)
		return;
	stpcpy(stpcpy(stpcpy(pair, key), "="), value);
	environment_set(env, pair);
}

void environment_defaults(struct strings *env, const struct user *user, bool terminal)
{
	set(env, "PATH", DEFAULT_PATH);
	set(env, "HOME", user->home);
	set(env, "USER", user->name);
	set(env, "LOGNAME", user->name);
	set(env, "SHELL", user->shell);
	set(env, "LANG", "C.UTF-8");
	if (terminal)
		set(env, "TERM", "xterm-256color");
}

void environment_read(struct strings *env, const char *path)
{
	char *large = NULL, *text = text_read_scratch(path), *position = NULL;
	if (!text && errno == EFBIG)
		text = large = text_read_all(path, ENV_FILE_MAX);
	for (char *line = text ? strtok_r(text, "\n", &position) : NULL; line; line = strtok_r(NULL, "\n", &position))
		if (*line != '#')
			environment_set(env, line);
	free(large);
}

void environment_search(struct strings *paths, const char *program, const char *path)
{
	if (strchr(program, '/')) {
		strings_add(paths, program, strlen(program));
		return;
	}
	if (*program == 0)
		return;
	for (const char *at = path ? path : DEFAULT_PATH; at;) {
		const char *colon = strchr(at, ':');
		int len = colon ? (int)(colon - at) : (int)strlen(at);
		char candidate[4096];
		int size = snprintf(candidate, sizeof candidate, "%.*s/%s", len ? len : 1, len ? at : ".", program);
		if (size < (int)sizeof candidate)
			strings_add(paths, candidate, (size_t)size);
		at = colon ? colon + 1 : NULL;
	}
}
