/* Puts archive entries into a folder, never outside it. */
#ifndef OFFSHOOT_FILES_EXTRACT_H
#define OFFSHOOT_FILES_EXTRACT_H

#include "beneath.h"
#include "late-folders.h"
#include "tar-reader.h"

struct extractor {
	int root;
	bool root_is_new, may_chown; /* `may_chown`: as root */
	gid_t own_gid;
	struct owner owner;
	struct parents parents, link_parents;
	struct late_folders late;
	struct bytes path, link; /* normalised, of the current entry */
	uint64_t bytes, skipped;
};

/* Takes over `root`, an open folder. */
void extractor_init(struct extractor *extractor, int root, bool root_is_new, const struct owner *owner);
void extractor_free(struct extractor *extractor);

int extract_entry(struct extractor *extractor, struct tar_reader *reader, struct failure *failure);
/* Modes and times of folders, which later entries would have changed. */
int extract_finish(struct extractor *extractor, struct failure *failure);

/* The parts of extract_entry; `dir` and `base` say where the entry goes. */
int extract_file(struct extractor *extractor, struct tar_reader *reader, int dir, const char *base, struct failure *failure);
int extract_symlink(struct extractor *extractor, const struct tar_entry *entry, int dir, const char *base, struct failure *failure);
int extract_hard_link(struct extractor *extractor, const struct tar_entry *entry, int dir, const char *base, struct failure *failure);
int extract_clear_way(const struct extractor *extractor, int dir, const char *base, struct failure *failure);
int extract_owner(const struct extractor *extractor, const struct tar_entry *entry, bool fresh, struct owner *owner, struct failure *failure);
/* Writes the entry's content to an empty file. */
int extract_content(int fd, struct tar_reader *reader, const char *path, struct failure *failure);

#endif
