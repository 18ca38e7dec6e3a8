/* Entries that are not folders. */
#include "extract.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int extract_file(struct extractor *extractor, struct tar_reader *reader, int dir, const char *base, struct failure *failure)
{
	const struct tar_entry *entry = &reader->entry;
	const char *path = extractor->path.data;
	struct owner owner;
	if (extract_owner(extractor, entry, true, &owner, failure) < 0)
		return -1;
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	/* Not readable by others before it has its owner. */
	mode_t mode = owner.given ? 0600 : entry->mode & 0777;
	int fd = openat(dir, base, flags, mode);
	if (fd < 0 && errno == EEXIST) {
		if (extract_clear_way(extractor, dir, base, failure) < 0)
			return -1;
		fd = openat(dir, base, flags, mode);
	}
	if (fd < 0)
		return fail_errno(failure, errno, path);
	struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, entry->mtime};
	int rc = extract_content(fd, reader, path, failure);
	if (rc == 0 && ((owner.given && fchown(fd, owner.uid, owner.gid) < 0) || (mode != entry->mode && fchmod(fd, entry->mode) < 0) ||
			futimens(fd, times) < 0))
		rc = fail_errno(failure, errno, path);
	close(fd);
	if (rc < 0)
		unlinkat(dir, base, 0);
	else
		extractor->bytes += entry->size;
	return rc;
}

int extract_symlink(struct extractor *extractor, const struct tar_entry *entry, int dir, const char *base, struct failure *failure)
{
	const char *path = extractor->path.data;
	struct owner owner;
	if (!entry->link[0])
		return fail(failure, "invalid", "a symbolic link to nothing");
	if (extract_owner(extractor, entry, true, &owner, failure) < 0)
		return -1;
	int rc = symlinkat(entry->link, dir, base);
	if (rc < 0 && errno == EEXIST) {
		if (extract_clear_way(extractor, dir, base, failure) < 0)
			return -1;
		rc = symlinkat(entry->link, dir, base);
	}
	struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, entry->mtime};
	if (rc < 0 || (owner.given && fchownat(dir, base, owner.uid, owner.gid, AT_SYMLINK_NOFOLLOW) < 0) ||
	    utimensat(dir, base, times, AT_SYMLINK_NOFOLLOW) < 0)
		return fail_errno(failure, errno, path);
	return 0;
}

static bool same_file(int dir, const char *base, int other_dir, const char *other_base)
{
	struct stat a, b;
	return fstatat(dir, base, &a, AT_SYMLINK_NOFOLLOW) == 0 && fstatat(other_dir, other_base, &b, AT_SYMLINK_NOFOLLOW) == 0 &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

int extract_hard_link(struct extractor *extractor, const struct tar_entry *entry, int dir, const char *base, struct failure *failure)
{
	const char *target_base;
	if (beneath_normalise(entry->link, strlen(entry->link), &extractor->link, failure) < 0)
		return -1;
	int target_dir = parents_of(&extractor->link_parents, extractor->link.data, false, &target_base, failure);
	if (target_dir < 0)
		return -1;
	if (linkat(target_dir, target_base, dir, base, 0) == 0)
		return 0;
	if (errno == EEXIST && !same_file(dir, base, target_dir, target_base)) {
		/* The target is there: a missing one would have been the error. */
		if (extract_clear_way(extractor, dir, base, failure) < 0)
			return -1;
		if (linkat(target_dir, target_base, dir, base, 0) == 0)
			return 0;
	}
	return errno == EEXIST ? 0 : fail_errno(failure, errno, extractor->link.data);
}
