#include "extract.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void extractor_init(struct extractor *extractor, int root, bool root_is_new, const struct owner *owner)
{
	memset(extractor, 0, sizeof *extractor);
	extractor->root = extractor->late.root = root;
	extractor->root_is_new = root_is_new;
	extractor->owner = *owner;
	extractor->may_chown = geteuid() == 0;
	extractor->own_gid = getegid();
	parents_init(&extractor->parents, root, owner);
	parents_init(&extractor->link_parents, root, owner);
}

void extractor_free(struct extractor *extractor)
{
	parents_free(&extractor->parents);
	parents_free(&extractor->link_parents);
	late_folders_free(&extractor->late);
	bytes_free(&extractor->path);
	bytes_free(&extractor->link);
	close(extractor->root);
}

static int extract_folder(struct extractor *extractor, const struct tar_entry *entry, int dir, const char *base, struct failure *failure)
{
	const char *path = extractor->path.data;
	struct stat st;
	/* Ours to fill until the end; without rights for others who don't have them in the end. */
	mode_t mode = (entry->mode & 0777) | 0700;
	bool fresh = mkdirat(dir, base, mode) == 0;
	if (!fresh && errno == EEXIST && (fstatat(dir, base, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISDIR(st.st_mode))) {
		if (extract_clear_way(extractor, dir, base, failure) < 0)
			return -1;
		fresh = mkdirat(dir, base, mode) == 0;
	}
	if (!fresh && errno != EEXIST)
		return fail_errno(failure, errno, path);
	struct owner owner;
	if (extract_owner(extractor, entry, fresh, &owner, failure) < 0)
		return -1;
	if (owner.given && fchownat(dir, base, owner.uid, owner.gid, AT_SYMLINK_NOFOLLOW) < 0)
		return fail_errno(failure, errno, path);
	return late_folders_add(&extractor->late, path, entry->mode, entry->mtime, failure);
}

/* The archive's entry for the target folder itself: says something only about a folder that was made for it. */
static int extract_root(struct extractor *extractor, const struct tar_entry *entry, struct failure *failure)
{
	struct owner owner;
	if (entry->kind != TAR_FOLDER)
		return fail(failure, "unsafe-path", "the name is that of the target folder itself");
	if (!extractor->root_is_new)
		return 0;
	if (extract_owner(extractor, entry, false, &owner, failure) < 0)
		return -1;
	if (owner.given && fchown(extractor->root, owner.uid, owner.gid) < 0)
		return fail_errno(failure, errno, ".");
	return late_folders_add(&extractor->late, "", entry->mode, entry->mtime, failure);
}

int extract_entry(struct extractor *extractor, struct tar_reader *reader, struct failure *failure)
{
	const struct tar_entry *entry = &reader->entry;
	const char *base;
	if (entry->kind == TAR_SPECIAL) {
		extractor->skipped++;
		return 0;
	}
	if (beneath_normalise(entry->path, strlen(entry->path), &extractor->path, failure) < 0)
		return -1;
	if (extractor->path.len == 0)
		return extract_root(extractor, entry, failure);
	int dir = parents_of(&extractor->parents, extractor->path.data, true, &base, failure);
	if (dir < 0)
		return -1;
	switch (entry->kind) {
	case TAR_FILE:
		return extract_file(extractor, reader, dir, base, failure);
	case TAR_SYMLINK:
		return extract_symlink(extractor, entry, dir, base, failure);
	case TAR_HARD_LINK:
		return extract_hard_link(extractor, entry, dir, base, failure);
	default:
		return extract_folder(extractor, entry, dir, base, failure);
	}
}

int extract_finish(struct extractor *extractor, struct failure *failure)
{
	return late_folders_apply(&extractor->late, failure);
}
