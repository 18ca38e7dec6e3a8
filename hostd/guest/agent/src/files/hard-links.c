#include "hard-links.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct hard_link {
	dev_t dev;
	ino_t ino;
	size_t path_at; /* plus 1; 0: the slot is free */
};

static struct hard_link *slot_of(struct hard_link *slots, size_t cap, dev_t dev, ino_t ino)
{
	uint64_t hash = ((uint64_t)ino + ((uint64_t)dev << 40)) * 0x9e3779b97f4a7c15u;
	size_t at = (size_t)(hash >> 32) & (cap - 1);
	while (slots[at].path_at && (slots[at].dev != dev || slots[at].ino != ino))
		at = (at + 1) & (cap - 1);
	return &slots[at];
}

static bool grow(struct hard_links *links)
{
	size_t cap = links->cap ? links->cap * 2 : 256;
	struct hard_link *slots = calloc(cap, sizeof *slots);
	if (!slots)
		return false;
	for (size_t i = 0; i < links->cap; i++)
		if (links->slots[i].path_at)
			*slot_of(slots, cap, links->slots[i].dev, links->slots[i].ino) = links->slots[i];
	free(links->slots);
	links->slots = slots;
	links->cap = cap;
	return true;
}

const char *hard_links_meet(struct hard_links *links, const struct stat *st, const char *path, bool *failed)
{
	*failed = false;
	if (links->count * 2 >= links->cap && !grow(links)) {
		*failed = true;
		return NULL;
	}
	struct hard_link *slot = slot_of(links->slots, links->cap, st->st_dev, st->st_ino);
	if (slot->path_at)
		return links->paths.data + slot->path_at - 1;
	*slot = (struct hard_link){.dev = st->st_dev, .ino = st->st_ino, .path_at = links->paths.len + 1};
	*failed = !bytes_append(&links->paths, path, strlen(path) + 1);
	if (*failed)
		slot->path_at = 0;
	else
		links->count++;
	return NULL;
}

void hard_links_free(struct hard_links *links)
{
	free(links->slots);
	bytes_free(&links->paths);
	memset(links, 0, sizeof *links);
}
