// Opens, as root, everything the VMM is given, so that it needs no right of its own to any path.
#ifndef RESOURCES_H
#define RESOURCES_H
#include "spec.h"

// Enters the network namespace, or a new empty one.
void enter_network(const struct spec *spec);
// Opens each file of the spec; `console` is what stands for a console file.
void open_files(struct spec *spec, int console);
// Removes the sockets' names.
void remove_sockets(const struct spec *spec);

#endif
