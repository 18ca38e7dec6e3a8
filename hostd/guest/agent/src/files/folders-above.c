#include "folders-above.h"

#include <string.h>

struct folder {
	struct stat st;
	size_t path_len;
};

static int out_of_memory(struct failure *failure)
{
	return fail(failure, "io", "out of memory");
}

int folders_above_enter(struct folders_above *above, const char *path, const struct stat *st, struct failure *failure)
{
	struct folder folder = {.st = *st, .path_len = strlen(path)};
	return bytes_append(&above->stack, &folder, sizeof folder) ? 0 : out_of_memory(failure);
}

void folders_above_leave(struct folders_above *above, size_t depth)
{
	if (above->stack.len > depth * sizeof(struct folder))
		bytes_truncate(&above->stack, depth * sizeof(struct folder));
	if (above->written > depth)
		above->written = depth;
}

int folders_above_write(struct folders_above *above, struct tar_writer *writer, const char *path, struct failure *failure)
{
	for (; above->written < above->stack.len / sizeof(struct folder); above->written++) {
		struct folder folder;
		memcpy(&folder, above->stack.data + above->written * sizeof folder, sizeof folder);
		if (!bytes_set(&above->name, path, folder.path_len) || !bytes_append(&above->name, "/", 1))
			return out_of_memory(failure);
		if (tar_write_entry(writer, above->name.data, '5', &folder.st, "", failure) < 0)
			return -1;
	}
	return 0;
}

void folders_above_free(struct folders_above *above)
{
	bytes_free(&above->stack);
	bytes_free(&above->name);
}
