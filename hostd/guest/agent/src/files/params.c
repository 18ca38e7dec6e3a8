#include "params.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
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

static bool read_id_pair(const char *text, struct owner *owner)
{
	const char *rest = read_id(text, &owner->uid);
	if (!rest || *rest != ':')
		return false;
	rest = read_id(rest + 1, &owner->gid);
	owner->given = rest && *rest == 0;
	return owner->given;
}

int param_owner(const struct fields *params, struct owner *owner, struct failure *failure)
{
	memset(owner, 0, sizeof *owner);
	if (!fields_find(params, "owner"))
		return 0;
	const char *text = fields_string(params, "owner", "");
	return read_id_pair(text, owner) ? 0 : fail(failure, "invalid", "owner is not uid:gid");
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

static int switch_ids(const struct owner *ids, const char *name, struct failure *failure)
{
	int groups = name ? initgroups(name, ids->gid) : setgroups(0, NULL);
	if (groups < 0 || setresgid(ids->gid, ids->gid, ids->gid) < 0 || setresuid(ids->uid, ids->uid, ids->uid) < 0)
		return fail(failure, "permission", "becoming the user: %s", strerror(errno));
	return 0;
}

int param_become_user(const struct fields *params, struct failure *failure)
{
	if (!fields_find(params, "user"))
		return 0;
	const char *text = fields_string(params, "user", "");
	struct owner ids = {0};
	if (read_id_pair(text, &ids))
		return switch_ids(&ids, NULL, failure);
	const char *rest = read_id(text, &ids.uid);
	bool numeric = rest && *rest == 0;
	const struct passwd *account = numeric ? getpwuid(ids.uid) : getpwnam(text);
	if (!account && numeric) {
		ids.gid = ids.uid;
		return switch_ids(&ids, NULL, failure);
	}
	if (!account)
		return fail(failure, "not-found", "no such user: %.64s", text);
	ids.uid = account->pw_uid;
	ids.gid = account->pw_gid;
	return switch_ids(&ids, account->pw_name, failure);
}
