/* What `include` takes out of a tree. */
#include "support/file-jail.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The names in an archive of ustar headers, each followed by a space. */
static const char *names_of(const struct outcome *outcome)
{
	static char names[4096];
	size_t at = 0, len = 0;
	int64_t size;
	CHECK(outcome->ok);
	names[0] = 0;
	while (!tar_is_zero(outcome->output.data + at, TAR_BLOCK)) {
		const struct tar_header *header = (const struct tar_header *)(outcome->output.data + at);
		CHECK(tar_number(header->size, 12, &size));
		if (header->type != 'x')
			len += (size_t)snprintf(names + len, sizeof names - len, "%.100s ", header->name);
		at += TAR_BLOCK + (size_t)size + (size_t)tar_padding((uint64_t)size);
		CHECK(at + TAR_BLOCK <= outcome->output.len);
	}
	return names;
}

static void takes(const char *names, const struct outcome *outcome)
{
	if (strcmp(names_of(outcome), names) != 0)
		fprintf(stderr, "wanted '%s'\ngot    '%s'\n", names, names_of(outcome));
	CHECK(strcmp(names_of(outcome), names) == 0);
}

#define TAKES(names, ...) takes(names, WORKER("tar-out", NULL, "path", jail_path("src"), __VA_ARGS__))

static void make_tree(void)
{
	static const char *const folders[] = {"src", "src/a", "src/a/b", "src/a/b/c", "src/dist", "src/dist/maps", "src/empty"};
	static const char *const files[] = {"src/top.log", "src/a/one.log", "src/a/b/two.log", "src/a/b/c/three.txt", "src/dist/x.js", "src/dist/x.js.map", "src/dist/maps/y.map"};
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		CHECK(mkdir(folders[i], 0755) == 0);
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		jail_write(files[i], "1", 1);
	CHECK(symlink("a", "src/link") == 0 && symlink("one.log", "src/a/to.log") == 0);
}

static void components(void)
{
	TAKES("top.log ", "include", "*.log");
	TAKES("a/ a/one.log a/to.log ", "include", "*/*.log");
	TAKES("a/ a/b/ a/b/two.log a/one.log a/to.log top.log ", "include", "**/*.log");
	TAKES("a/ a/b/ a/b/c/ a/b/c/three.txt ", "include", "a/**/c");
	TAKES("a/ a/b/ a/b/c/ a/b/c/three.txt a/b/two.log ", "include", "a/**/b/**");
	TAKES("a/ a/b/ a/b/c/ a/b/c/three.txt ", "include", "**/**/three.*");
	TAKES("dist/ dist/maps/ dist/maps/y.map dist/x.js dist/x.js.map ", "include", "dist");
	TAKES("dist/ dist/maps/ dist/maps/y.map dist/x.js dist/x.js.map ", "include", "./dist//");
	TAKES("dist/ dist/maps/ dist/maps/y.map dist/x.js dist/x.js.map ", "include", "dist/**");
	TAKES("dist/ dist/x.js ", "include", "dist/?.js");
	TAKES("", "include", "nothing", "include", "top.log/x", "include", "top.log/**");
	TAKES("empty/ ", "include", "empty");
	TAKES("a/ a/one.log dist/ dist/x.js ", "include", "**/one.log", "include", "**/x.js");
	TAKES("top.log ", "include", "[s-u]op.log", "include", "top.*");
}

/* A link is an entry of its own: nothing is found through it. */
static void links(void)
{
	TAKES("link ", "include", "link");
	TAKES("", "include", "link/*");
}

static void takes_away(void)
{
	TAKES("dist/ dist/maps/ dist/x.js ", "include", "dist", "include", "!**/*.map");
	TAKES("dist/ dist/x.js dist/x.js.map ", "include", "!dist/maps", "include", "dist");
	TAKES("", "include", "!dist");
	TAKES("dist/ dist/x.js ", "include", "dist/*", "exclude", "*map*");
}

static void refusals(void)
{
	char deep[200] = "a";
	for (int i = 0; i < 62; i++)
		strcat(deep, "/a");
	const struct outcome *outcome = WORKER("tar-out", NULL, "path", jail_path("src"), "include", deep);
	CHECK(!outcome->ok && strcmp(outcome->error, "invalid") == 0 && strstr(outcome->message, "62"));
	deep[strlen(deep) - 2] = 0;
	TAKES("", "include", deep);
	outcome = WORKER("tar-out", NULL, "path", jail_path("src"), "include", "*.none");
	CHECK(outcome->ok && strcmp(result_of(outcome, "entries"), "0") == 0);
}

int main(void)
{
	jail_enter();
	make_tree();
	components();
	links();
	takes_away();
	refusals();
	return 0;
}
