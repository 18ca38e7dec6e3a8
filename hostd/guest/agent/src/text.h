/* Small text files. */
#ifndef OFFSHOOT_TEXT_H
#define OFFSHOOT_TEXT_H

#include <stddef.h>

/* Reads at most size - 1 bytes and ends them with a NUL. Returns their count or -1 with errno. */
long text_read(const char *path, char *buf, size_t size);
/* Reads a whole file of at most max bytes into a fresh NUL-ended buffer, or NULL with errno. */
char *text_read_all(const char *path, size_t max);
/* The same in memory that the next call takes again, for what is read again and again; larger files are refused with EFBIG. */
#define TEXT_SCRATCH_MAX (64u << 10)
char *text_read_scratch(const char *path);
/* Writes into an existing file in one go (for /proc and /sys). Returns 0 or -1 with errno. */
int text_poke(const char *path, const char *text);
/* Puts a file in place whole: written beside and renamed; a symbolic link there is replaced. Returns 0 or -1 with errno. */
int text_replace(const char *path, const char *text, unsigned mode);
/* Like text_replace, but a plain file that is there already is overwritten in one write: a new file costs the journal, and ext4 flushes a replaced
 * one at once. Returns 0 or -1 with errno. */
int text_put(const char *path, const char *text, unsigned mode);

#endif
