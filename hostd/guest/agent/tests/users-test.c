/* Unit tests of src/exec/users.c and src/exec/environment.c. */
#include "../src/exec/environment.h"
#include "../src/exec/users.h"
#include "support/check.h"

#include <string.h>
#include <unistd.h>

static char etc[64] = "/tmp/offshoot-users-test-XXXXXX";

static void put(const char *name, const char *text)
{
	char path[128];
	snprintf(path, sizeof path, "%s/%s", etc, name);
	FILE *file = fopen(path, "w");
	CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static bool in_group(const struct user *user, gid_t gid)
{
	for (size_t i = 0; i < user->group_count; i++)
		if (user->groups[i] == gid)
			return true;
	return false;
}

static void users(void)
{
	struct user user;
	put("passwd", "root:x:0:0:root:/root:/bin/bash\nbroken\nbad:x:12x:1:::\nci:x:1000:1001:CI,,,:/home/ci:\n\nlast:x:1002:1003::/srv:/bin/zsh");
	put("group", "root:x:0:\nci:x:1001:\ndocker:x:999:other,ci\nnot:x:998:cix,ic\naudio:x:29:ci\nlast:x:5:last");

	CHECK(user_find(etc, "root", &user) && user.uid == 0 && user.gid == 0 && strcmp(user.home, "/root") == 0 && strcmp(user.shell, "/bin/bash") == 0);
	CHECK(user_find(etc, "ci", &user) && user.uid == 1000 && user.gid == 1001 && strcmp(user.home, "/home/ci") == 0);
	CHECK(strcmp(user.shell, "/bin/sh") == 0 && user.group_count == 1);
	user_find_groups(etc, &user);
	CHECK(user.group_count == 3 && in_group(&user, 1001) && in_group(&user, 999) && in_group(&user, 29) && !in_group(&user, 998));

	CHECK(user_find(etc, "1000", &user) && strcmp(user.name, "ci") == 0 && user.gid == 1001);
	CHECK(user_find(etc, "1000:29", &user) && user.uid == 1000 && user.gid == 29);
	CHECK(user_find(etc, "4242", &user) && user.uid == 4242 && user.gid == 4242 && strcmp(user.home, "/") == 0 && strcmp(user.name, "4242") == 0);
	CHECK(user_find(etc, "4242:7", &user) && user.uid == 4242 && user.gid == 7);
	CHECK(user_find(etc, "last", &user) && user.uid == 1002 && strcmp(user.shell, "/bin/zsh") == 0);
	user_find_groups(etc, &user);
	CHECK(in_group(&user, 5));

	static const char *const unknown[] = {"nobody-here", "", "bad", "1000:", "1000:x", ":5", "-1", "4294967295", "4294967296", "99999999999999999999", "1000:4294967295", "ci:29"};
	for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
		CHECK(!user_find(etc, unknown[i], &user));
	CHECK(user_find("/nonexistent", "0", &user) && user.uid == 0);
	CHECK(!user_find("/nonexistent", "root", &user));
}

static void environment(void)
{
	struct strings env = {0};
	struct user user = {.name = "ci", .home = "/home/ci", .shell = "/bin/sh"};
	char path[128];
	environment_defaults(&env, &user, false);
	CHECK(strcmp(environment_get(&env, "HOME"), "/home/ci") == 0 && strcmp(environment_get(&env, "USER"), "ci") == 0);
	CHECK(strcmp(environment_get(&env, "LOGNAME"), "ci") == 0 && strcmp(environment_get(&env, "LANG"), "C.UTF-8") == 0);
	CHECK(environment_get(&env, "PATH") && !environment_get(&env, "TERM"));
	put("env", "# a comment\n\nA=1=2\nHOME=/elsewhere\nnonsense\nB=");
	snprintf(path, sizeof path, "%s/env", etc);
	environment_read(&env, path);
	environment_read(&env, "/nonexistent");
	CHECK(strcmp(environment_get(&env, "A"), "1=2") == 0 && strcmp(environment_get(&env, "HOME"), "/elsewhere") == 0);
	CHECK(strcmp(environment_get(&env, "B"), "") == 0 && !environment_get(&env, "nonsense"));
	size_t count = env.count;
	CHECK(environment_set(&env, "A=3") && env.count == count && strcmp(environment_get(&env, "A"), "3") == 0);
	CHECK(environment_set(&env, "AA=4") && env.count == count + 1 && env.items[env.count] == NULL);
	CHECK(!environment_set(&env, "=x") && !environment_set(&env, "x") && !environment_set(&env, ""));
	strings_free(&env);
	environment_defaults(&env, &user, true);
	CHECK(environment_get(&env, "TERM"));
	strings_free(&env);
}

static void search(void)
{
	struct strings paths = {0};
	environment_search(&paths, "tool", "/a:/b::c");
	CHECK(paths.count == 4 && strcmp(paths.items[0], "/a/tool") == 0 && strcmp(paths.items[1], "/b/tool") == 0);
	CHECK(strcmp(paths.items[2], "./tool") == 0 && strcmp(paths.items[3], "c/tool") == 0);
	strings_free(&paths);
	environment_search(&paths, "./tool", "/a");
	CHECK(paths.count == 1 && strcmp(paths.items[0], "./tool") == 0);
	strings_free(&paths);
	environment_search(&paths, "", "/a");
	CHECK(paths.count == 0);
	environment_search(&paths, "tool", NULL);
	CHECK(paths.count == 6);
	strings_free(&paths);
}

int main(void)
{
	char command[128];
	CHECK(mkdtemp(etc));
	users();
	environment();
	search();
	snprintf(command, sizeof command, "rm -rf %s", etc);
	CHECK(system(command) == 0);
	return 0;
}
