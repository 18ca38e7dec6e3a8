#include "cmdline.h"

#include <string.h>

bool cmdline_value(const char *cmdline, const char *key, char *out, size_t size)
{
	size_t key_len = strlen(key);
	bool found = false;
	for (const char *word = cmdline; *word;) {
		size_t len = strcspn(word, " \t\n");
		if (len > key_len && strncmp(word, key, key_len) == 0 && word[key_len] == '=') {
			size_t value_len = len - key_len - 1;
			found = value_len > 0 && value_len < size;
			if (found) {
				memcpy(out, word + key_len + 1, value_len);
				out[value_len] = 0;
			}
		}
		word += len;
		word += strspn(word, " \t\n");
	}
	return found;
}
