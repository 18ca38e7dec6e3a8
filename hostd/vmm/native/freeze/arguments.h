#ifndef ARGUMENTS_H
#define ARGUMENTS_H
#include "failure.h"
#include <stdint.h>
#include <sys/types.h>

struct arguments {
    bool probe;
    pid_t pid;
    unsigned long long start_ticks;
    // Inherited; the source maps the base image privately, and the new image is empty.
    int base, image;
    bool clone;
    uint64_t min_available_bytes;
};

// freeze --probe | freeze --pid N --start-ticks N --base-fd N --image-fd N --method clone|copy --min-available-mib N
bool read_arguments(int count, char **words, struct arguments *arguments, struct failure *failure);

#endif
