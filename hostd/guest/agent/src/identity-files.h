/* The files in /etc that say who a machine is. They change with every copy, so they live in memory, where that costs no disk journal; in /etc are
 * links to them. Whoever replaces a link by a file of his own has that file written instead. */
#ifndef OFFSHOOT_IDENTITY_FILES_H
#define OFFSHOOT_IDENTITY_FILES_H

/* Makes the links; what the files hold goes along. For a booting machine. What fails is said on the console. */
void identity_files_link(void);
/* Puts the text in place of "hostname", "machine-id" or "resolv.conf". Returns 0 or -1 with errno. */
int identity_file_put(const char *name, const char *text, unsigned mode);
/* Puts the line of the machine's own name into "hosts"; all others stay. Returns 0 or -1 with errno. */
int identity_hosts_put(const char *hostname);

#endif
