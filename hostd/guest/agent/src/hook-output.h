/* What hooks say: the last of it is kept for a message. Drained for as long as anything they left behind holds it open. */
#ifndef OFFSHOOT_HOOK_OUTPUT_H
#define OFFSHOOT_HOOK_OUTPUT_H

#include "loop.h"

#include <stdbool.h>
#include <stddef.h>

#define HOOK_TAIL_MAX 200

struct hook_output {
	struct loop *loop;
	struct watch watch;
	bool alone; /* nobody wants the tail any more */
	size_t len;
	char tail[HOOK_TAIL_MAX];
};

/* Returns the output and its writing end, or NULL with errno. */
struct hook_output *hook_output_open(struct loop *loop, int *writer_fd);
/* Begins a new tail. */
void hook_output_clear(struct hook_output *output);
/* Takes in what is there, and returns the end of what was said, from a line's start where it has one. Valid until the next call. */
const char *hook_output_tail(struct hook_output *output);
/* It frees itself when the last writer is gone. */
void hook_output_leave(struct hook_output *output);

#endif
