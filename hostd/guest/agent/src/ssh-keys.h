/* The machine's ssh host keys, which two machines must not share. */
#ifndef OFFSHOOT_SSH_KEYS_H
#define OFFSHOOT_SSH_KEYS_H

/* Removes etc/ssh/ssh_host_*_key and their public halves below `root`. Returns how many keys there were, or -1 with errno. */
int ssh_keys_remove(const char *root);

#endif
