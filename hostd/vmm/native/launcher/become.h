// The last steps of the child: from root's copy of the launcher to the unprivileged VMM.
#ifndef BECOME_H
#define BECOME_H
#include "spec.h"

// Never returns. What goes wrong is written to `trouble` as text; its closing without a byte means the VMM runs.
_Noreturn void become_vmm(const struct spec *spec, pid_t launcher, int errors, int trouble);

#endif
