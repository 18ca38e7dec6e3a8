#include "params.h"

#include "../exec/users.h"

#include <errno.h>
#include <grp.h>
#include <string.h>
#include <unistd.h>

#define ID_MAX (UINT32_MAX - 1) /* the last one means "leave as it is" to chown */

const char *param_path(const struct fields *params, struct failure *failure)
{
	const char *path = fields_string(params, "path", NULL);
	if (path && path[0] == '/')
		return path;
	fail(failure, "invalid", path ? "path is not absolute" : "path is missing or holds a NUL");
	return NULL;
}

/* Reads decimal digits up to `end`; NULL when there are none or too many. */
static const char *read_id(const char *text, uint32_t *id)
{
	uint64_t number = 0;
	const char *p = text;
	for (; *p >= '0' && *p <= '9'; p++) {
		number = number * 10 + (uint64_t)(*p - '0');
		if (number > ID_MAX)
			return NULL;
	}
	*id = (uint32_t)number;
	return p == text ? NULL : p;
}

int param_owner(const struct fields *params, struct owner *owner, struct failure *failure)
{
	memset(owner, 0, sizeof *owner);
	if (!fields_find(params, "owner"))
		return 0;
	const char *text = fields_string(params, "owner", "");
	const char *rest = read_id(text, &owner->uid);
	if (rest && *rest == ':')
		rest = read_id(rest + 1, &owner->gid);
	else
		rest = NULL;
	owner->given = rest && *rest == 0;
	return owner->given ? 0 : fail(failure, "invalid", "owner is not uid:gid");
}

int param_mode(const struct fields *params, mode_t *mode, struct failure *failure)
{
	if (!fields_find(params, "mode"))
		return 0;
	const char *text = fields_string(params, "mode", "");
	mode_t number = 0;
	const char *p = text;
	for (; *p >= '0' && *p <= '7' && number <= 07777; p++)
		number = number * 8 + (mode_t)(*p - '0');
	if (p == text || *p || number > 07777)
		return fail(failure, "invalid", "mode is not octal up to 7777");
	*mode = number;
	return 1;
}

int param_become_user(const struct fields *params, struct failure *failure)
{
	if (!fields_find(params, "user"))
		return 0;
	const char *text = fields_string(params, "user", "");
	struct user user;
	if (!user_find("/etc", text, &user))
		return fail(failure, "not-found", "no such user: %.64s", text);
	user_find_groups("/etc", &user);
	if (setgroups(user.group_count, user.groups) < 0 || setresgid(user.gid, user.gid, user.gid) < 0 ||
	    setresuid(user.uid, user.uid, user.uid) < 0)
		return fail(failure, "permission", "becoming the user: %s", strerror(errno));
	return 0;
}
