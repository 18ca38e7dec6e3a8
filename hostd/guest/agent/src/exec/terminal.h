/* Pseudo terminals. */
#ifndef OFFSHOOT_TERMINAL_H
#define OFFSHOOT_TERMINAL_H

#include "request.h"

#include <stdbool.h>

/* A terminal of the asked size, owned by the request's user: its slave as the child's three descriptors, its master as our input and output
 * (our error output stays -1). False with errno; what was opened is in the arrays. */
bool terminal_open(const struct exec_request *request, int child[3], int ours[3]);

#endif
