/* Kernel modules of the initramfs. */
#ifndef OFFSHOOT_MODULES_H
#define OFFSHOOT_MODULES_H

/* Loads the modules named in a list, one path a line (relative ones from "/"), in order. What can't be loaded is said on the console. */
void modules_load(const char *list_path);

#endif
