/* Sparse maps: which parts of a file are stored, in ascending order. */
#ifndef OFFSHOOT_FILES_SPARSE_H
#define OFFSHOOT_FILES_SPARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bounds the memory that a map may take (16 MiB). */
#define SPARSE_SEGMENTS_MAX (1u << 20)

struct segment {
	uint64_t offset, len;
};
struct sparse_map {
	struct segment *items;
	size_t count, cap;
};

bool sparse_add(struct sparse_map *map, uint64_t offset, uint64_t len);
void sparse_clear(struct sparse_map *map);
void sparse_free(struct sparse_map *map);
/* Ascending, without overlap, within real_size, and `stored` bytes in all. */
bool sparse_valid(const struct sparse_map *map, uint64_t real_size, uint64_t stored);

#endif
