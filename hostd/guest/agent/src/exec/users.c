#include "users.h"

#include "../text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX_BYTES (4u << 20)

/* Reads one decimal id up to `end`; false when it is none. */
static bool parse_id(const char *text, char end, unsigned *id, const char **after)
{
	unsigned long long value = 0;
	const char *p = text;
	for (; *p >= '0' && *p <= '9' && value <= 0xffffffffull; p++)
		value = value * 10 + (unsigned)(*p - '0');
	/* The highest number means "no change" to the kernel. */
	if (p == text || *p != end || value >= 0xffffffffull)
		return false;
	*id = (unsigned)value;
	*after = p + 1;
	return true;
}

/* Splits a line in place at colons; returns the count of parts. */
static size_t split(char *line, char *part[], size_t max)
{
	size_t count = 0;
	while (count < max) {
		part[count++] = line;
		line = strchr(line, ':');
		if (!line)
			break;
		*line++ = 0;
	}
	return count;
}

static void copy(char *to, size_t size, const char *from)
{
	size_t len = strnlen(from, size - 1);
	memcpy(to, from, len);
	to[len] = 0;
}

static void path_in(char path[4096], const char *folder, const char *name)
{
	copy(path, 4096 - strlen(name), folder);
	strcat(path, name);
}

static bool take_passwd_line(char *line, const char *name, const unsigned *uid, struct user *user)
{
	char *part[7];
	const char *rest;
	unsigned line_uid, line_gid;
	if (split(line, part, 7) != 7 || !parse_id(part[2], 0, &line_uid, &rest) || !parse_id(part[3], 0, &line_gid, &rest))
		return false;
	if (name ? strcmp(part[0], name) != 0 : line_uid != *uid)
		return false;
	user->uid = line_uid;
	user->gid = line_gid;
	copy(user->name, sizeof user->name, part[0]);
	copy(user->home, sizeof user->home, *part[5] ? part[5] : "/");
	copy(user->shell, sizeof user->shell, *part[6] ? part[6] : "/bin/sh");
	return true;
}

/* What `large` holds is to be freed. */
static char *read_file(const char *path, char **large)
{
	char *text = text_read_scratch(path);
	return text || errno != EFBIG ? text : (*large = text_read_all(path, FILE_MAX_BYTES));
}

static bool search_passwd(const char *etc, const char *name, const unsigned *uid, struct user *user)
{
	char path[4096];
	path_in(path, etc, "/passwd");
	char *large = NULL, *text = read_file(path, &large), *position = NULL;
	bool found = false;
	for (char *line = text ? strtok_r(text, "\n", &position) : NULL; line && !found; line = strtok_r(NULL, "\n", &position))
		found = take_passwd_line(line, name, uid, user);
	free(large);
	return found;
}

static bool lists(char *members, const char *name)
{
	char *position = NULL;
	for (char *member = strtok_r(members, ",", &position); member; member = strtok_r(NULL, ",", &position))
		if (strcmp(member, name) == 0)
			return true;
	return false;
}

static void add_group(struct user *user, gid_t gid)
{
	for (size_t i = 0; i < user->group_count; i++)
		if (user->groups[i] == gid)
			return;
	if (user->group_count < USER_GROUPS_MAX)
		user->groups[user->group_count++] = gid;
}

void user_find_groups(const char *etc, struct user *user)
{
	char path[4096];
	path_in(path, etc, "/group");
	char *large = NULL, *text = read_file(path, &large), *position = NULL;
	for (char *line = text ? strtok_r(text, "\n", &position) : NULL; line; line = strtok_r(NULL, "\n", &position)) {
		char *part[4];
		const char *rest;
		unsigned gid;
		if (split(line, part, 4) == 4 && parse_id(part[2], 0, &gid, &rest) && lists(part[3], user->name))
			add_group(user, gid);
	}
	free(large);
}

bool user_find(const char *etc, const char *spec, struct user *user)
{
	unsigned uid = 0, gid = 0;
	const char *rest;
	*user = (struct user){0};
	bool pair = parse_id(spec, ':', &uid, &rest);
	if (pair && !parse_id(rest, 0, &gid, &rest))
		return false;
	bool number = pair || parse_id(spec, 0, &uid, &rest);
	if (!search_passwd(etc, number ? NULL : spec, &uid, user)) {
		if (!number)
			return false;
		user->uid = user->gid = uid;
		snprintf(user->name, sizeof user->name, "%u", uid);
		copy(user->home, sizeof user->home, "/");
		copy(user->shell, sizeof user->shell, "/bin/sh");
	}
	if (pair)
		user->gid = gid;
	add_group(user, user->gid);
	return true;
}
