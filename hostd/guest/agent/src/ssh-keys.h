/* The machine's ssh host keys, which two machines must not share. */
#ifndef OFFSHOOT_SSH_KEYS_H
#define OFFSHOOT_SSH_KEYS_H

#define SSH_KEY_ED25519 1
#define SSH_KEY_ECDSA 2
#define SSH_KEY_OTHER 4

/* Removes etc/ssh/ssh_host_*_key and their public halves below `root`. Returns which there were, 0 for none, or -1 with errno. */
int ssh_keys_remove(const char *root);

#endif
