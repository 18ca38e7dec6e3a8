// Whether the clone method works on this host: tried on a child of this process that is like a VMM.
#ifndef PROBE_H
#define PROBE_H
#include "failure.h"

bool probe(struct failure *failure);

#endif
