/* What every entry needs: its place cleared, and its owner. */
#include "extract.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Removes what stands where the entry goes: never followed, folders only when empty. */
int extract_clear_way(const struct extractor *extractor, int dir, const char *base, struct failure *failure)
{
	if (unlinkat(dir, base, 0) == 0 || errno == ENOENT)
		return 0;
	if (errno != EISDIR)
		return fail_errno(failure, errno, extractor->path.data);
	/* Never a folder that is kept open for later entries: those hold something. */
	return unlinkat(dir, base, AT_REMOVEDIR) < 0 ? fail_errno(failure, errno, extractor->path.data) : 0;
}

/* The owner the entry shall have; false when it needs no change because new files are made with it. */
int extract_owner(const struct extractor *extractor, const struct tar_entry *entry, bool fresh, struct owner *owner, struct failure *failure)
{
	owner->given = false;
	if (!extractor->may_chown)
		return 0;
	*owner = extractor->owner;
	if (!owner->given) {
		if (entry->uid < 0 || entry->uid >= UINT32_MAX || entry->gid < 0 || entry->gid >= UINT32_MAX)
			return fail(failure, "invalid", "the owner is out of range");
		*owner = (struct owner){.given = true, .uid = (uid_t)entry->uid, .gid = (gid_t)entry->gid};
	}
	if (fresh && owner->uid == 0 && owner->gid == extractor->own_gid && !extractor->parents.setgid)
		owner->given = false;
	return 0;
}
