/* The parameters that several file kinds share, checked. */
#ifndef OFFSHOOT_FILES_PARAMS_H
#define OFFSHOOT_FILES_PARAMS_H

#include "../fields.h"
#include "failure.h"

#include <sys/types.h>

struct owner {
	bool given;
	uid_t uid;
	gid_t gid;
};

/* `path`: absolute, without NUL; NULL (and a failure) otherwise. */
const char *param_path(const struct fields *params, struct failure *failure);
/* `owner` as uid:gid. */
int param_owner(const struct fields *params, struct owner *owner, struct failure *failure);
/* `mode` as octal, at most 7777. Returns 1 when given, 0 when absent, -1 when malformed. */
int param_mode(const struct fields *params, mode_t *mode, struct failure *failure);
/* Becomes `user` (a name, uid or uid:gid) for good, when given. */
int param_become_user(const struct fields *params, struct failure *failure);

#endif
