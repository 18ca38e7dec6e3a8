/* Users and groups of the sandbox, from /etc/passwd and /etc/group as they are now. */
#ifndef OFFSHOOT_USERS_H
#define OFFSHOOT_USERS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define USER_GROUPS_MAX 128

struct user {
	uid_t uid;
	gid_t gid;
	gid_t groups[USER_GROUPS_MAX];
	size_t group_count;
	char name[256], home[1024], shell[1024];
};

/* `spec` is a name, a uid or uid:gid. A number that no line of the passwd file has is a user all the same, at home in "/".
 * False when a name is unknown or the spec malformed. `etc` is the folder of both files ("/etc"). */
bool user_find(const char *etc, const char *spec, struct user *user);
/* Adds the groups whose lines name the user; user_find gives only the primary one. */
void user_find_groups(const char *etc, struct user *user);

#endif
