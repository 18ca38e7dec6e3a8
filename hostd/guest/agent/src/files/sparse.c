#include "sparse.h"

#include <stdlib.h>
#include <string.h>

bool sparse_add(struct sparse_map *map, uint64_t offset, uint64_t len)
{
	if (map->count == SPARSE_SEGMENTS_MAX)
		return false;
	if (map->count == map->cap) {
		size_t cap = map->cap ? map->cap * 2 : 16;
		struct segment *grown = realloc(map->items, cap * sizeof *grown);
		if (!grown)
			return false;
		map->items = grown;
		map->cap = cap;
	}
	map->items[map->count++] = (struct segment){offset, len};
	return true;
}

void sparse_clear(struct sparse_map *map)
{
	map->count = 0;
}

void sparse_free(struct sparse_map *map)
{
	free(map->items);
	memset(map, 0, sizeof *map);
}

bool sparse_valid(const struct sparse_map *map, uint64_t real_size, uint64_t stored)
{
	uint64_t end = 0, sum = 0;
	for (size_t i = 0; i < map->count; i++) {
		const struct segment *segment = &map->items[i];
		if (segment->offset < end || segment->offset > real_size || segment->len > real_size - segment->offset)
			return false;
		end = segment->offset + segment->len;
		sum += segment->len;
	}
	return sum == stored;
}
