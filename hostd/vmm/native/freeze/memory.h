// Memory that the source rewrites while its duplicate lives is there twice: watched, so that the duplicate is given up before anything else.
#ifndef MEMORY_H
#define MEMORY_H
#include "failure.h"
#include <stdint.h>

struct memory {
    int meminfo;
    uint64_t min_available_bytes;
};

bool open_memory(struct memory *memory, uint64_t min_available_bytes, struct failure *failure);
bool memory_suffices(struct memory *memory, struct failure *failure);

#endif
