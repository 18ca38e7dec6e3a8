/* The hooks of a sandbox. */
#ifndef OFFSHOOT_HOOK_FOLDER_H
#define OFFSHOOT_HOOK_FOLDER_H

#include "exec/environment.h"

/* Adds the paths of the executables in etc/offshoot/on-fork.d below `root`, in name order; none when it is missing. */
void hook_folder_read(struct strings *programs, const char *root);
/* Has the kernel read what a copy looks at first, while the machine boots: a copy then needs no disk for it. */
void hook_folder_warm(void);

#endif
