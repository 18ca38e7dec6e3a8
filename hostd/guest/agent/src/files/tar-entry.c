/* What a header and the extended headers before it say about one entry. */
#include "tar-reader.h"

#include <string.h>

static const struct pax_text *text_of(const struct pax_text *local, const struct pax_text *global)
{
	const struct pax_text *text = local->set == PAX_INHERIT ? global : local;
	return text->set == PAX_GIVEN ? text : NULL;
}

static const struct pax_number *number_of(const struct pax_number *local, const struct pax_number *global)
{
	const struct pax_number *number = local->set == PAX_INHERIT ? global : local;
	return number->set == PAX_GIVEN ? number : NULL;
}

static int header_texts(struct tar_reader *reader, const struct tar_header *header, struct failure *failure)
{
	bool posix = memcmp(header->magic, "ustar", 6) == 0;
	bool star = posix && memcmp(header->pad + 8, "tar", 4) == 0;
	size_t prefix = posix ? strnlen(header->prefix, star ? 131 : sizeof header->prefix) : 0;
	bool ok = bytes_set(&reader->name, header->prefix, prefix) && (prefix == 0 || bytes_append(&reader->name, "/", 1)) &&
		  bytes_append(&reader->name, header->name, strnlen(header->name, sizeof header->name)) &&
		  bytes_set(&reader->link, header->link, strnlen(header->link, sizeof header->link));
	return ok ? 0 : fail(failure, "io", "out of memory");
}

static void choose_texts(struct tar_reader *reader)
{
	const struct pax *local = &reader->local, *global = &reader->global;
	const struct pax_text *path = local->sparse_name.set == PAX_GIVEN ? &local->sparse_name : text_of(&local->path, &global->path);
	const struct pax_text *link = text_of(&local->link, &global->link);
	reader->entry.path = path ? path->value.data : reader->long_name_given ? reader->long_name.data : reader->name.data;
	reader->entry.link = link ? link->value.data : reader->long_link_given ? reader->long_link.data : reader->link.data;
}

static int read_numbers(struct tar_reader *reader, const struct tar_header *header, int64_t *size, struct failure *failure)
{
	const struct pax *local = &reader->local, *global = &reader->global;
	struct tar_entry *entry = &reader->entry;
	int64_t mode, mtime;
	if (!tar_number(header->mode, sizeof header->mode, &mode) || !tar_number(header->uid, sizeof header->uid, &entry->uid) ||
	    !tar_number(header->gid, sizeof header->gid, &entry->gid) || !tar_number(header->size, sizeof header->size, size) ||
	    !tar_number(header->mtime, sizeof header->mtime, &mtime))
		return fail(failure, "invalid", "a number in the header is malformed");
	const struct pax_number *uid = number_of(&local->uid, &global->uid), *gid = number_of(&local->gid, &global->gid);
	const struct pax_number *pax_size = number_of(&local->size, &global->size);
	const struct pax *timed = local->mtime.set == PAX_INHERIT ? global : local;
	bool pax_time = timed->mtime.set == PAX_GIVEN;
	entry->mode = (mode_t)(mode & 07777);
	entry->uid = uid ? uid->value : entry->uid;
	entry->gid = gid ? gid->value : entry->gid;
	entry->mtime.tv_sec = pax_time ? timed->mtime.value : mtime;
	entry->mtime.tv_nsec = pax_time ? timed->mtime_ns : 0;
	*size = pax_size ? pax_size->value : *size;
	return *size >= 0 ? 0 : fail(failure, "invalid", "a negative size");
}

static int kind_of(const struct tar_header *header, const char *path, enum tar_kind *kind, struct failure *failure)
{
	size_t len = strlen(path);
	switch (header->type) {
	case '1':
		*kind = TAR_HARD_LINK;
		return 0;
	case '2':
		*kind = TAR_SYMLINK;
		return 0;
	case '3':
	case '4':
	case '6':
	case 'V': /* a volume's label */
		*kind = TAR_SPECIAL;
		return 0;
	case '5':
	case 'D': /* a GNU folder with a listing as its data */
		*kind = TAR_FOLDER;
		return 0;
	case 'M':
	case 'N':
		return fail(failure, "invalid", "entries of type '%c' are not supported", header->type);
	case 0:
	case '0': /* before ustar a folder was a file with a slash */
		*kind = len > 0 && path[len - 1] == '/' ? TAR_FOLDER : TAR_FILE;
		return 0;
	default: /* POSIX: unknown types are files */
		*kind = TAR_FILE;
		return 0;
	}
}

/* Types whose size field says nothing about data (as GNU tar, Python and Go read them). */
static bool never_has_data(char type)
{
	return type >= '1' && type <= '6';
}

int tar_read_entry(struct tar_reader *reader, const unsigned char block[TAR_BLOCK], struct failure *failure)
{
	const struct tar_header *header = (const struct tar_header *)block;
	struct tar_entry *entry = &reader->entry;
	int64_t size;
	if (header_texts(reader, header, failure) < 0)
		return -1;
	choose_texts(reader);
	if (read_numbers(reader, header, &size, failure) < 0 || kind_of(header, entry->path, &entry->kind, failure) < 0)
		return -1;
	tar_begin_data(reader, never_has_data(header->type) ? 0 : (uint64_t)size);
	entry->size = reader->data_left;
	entry->map = NULL;
	if (entry->kind != TAR_FILE)
		return 0;
	return header->type == 'S' ? tar_read_old_sparse(reader, block, failure) : tar_read_pax_sparse(reader, failure);
}
