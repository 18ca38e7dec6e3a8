#include "file-jail.h"

#include "../../src/files/pax.h"

#include <string.h>

static void copy(char *field, size_t size, const char *text)
{
	size_t len = strlen(text);
	CHECK(len <= size);
	memcpy(field, text, len);
}

void put_header(struct bytes *archive, struct member member)
{
	struct tar_header header = {0};
	copy(header.name, sizeof header.name, member.name);
	copy(header.link, sizeof header.link, member.link ? member.link : "");
	copy(header.prefix, sizeof header.prefix, member.prefix ? member.prefix : "");
	tar_put_octal(header.mode, 8, member.mode ? member.mode : member.type == '5' ? 0755 : 0644);
	tar_put_octal(header.uid, 8, 0);
	tar_put_octal(header.gid, 8, 0);
	tar_put_octal(header.size, 12, member.size);
	if (member.size_field)
		memcpy(header.size, member.size_field, 12);
	tar_put_octal(header.mtime, 12, 1000000000);
	header.type = member.type;
	memcpy(header.magic, member.magic ? member.magic : "ustar\00000", 8);
	tar_put_checksum(&header);
	CHECK(bytes_append(archive, &header, sizeof header));
}

void put_data(struct bytes *archive, const void *data, size_t len)
{
	static const char zeros[TAR_BLOCK];
	CHECK(bytes_append(archive, data, len) && bytes_append(archive, zeros, (size_t)tar_padding(len)));
}

void put_member(struct bytes *archive, struct member member, const char *data)
{
	member.size = data ? strlen(data) : 0;
	put_header(archive, member);
	if (data)
		put_data(archive, data, strlen(data));
}

void put_pax(struct bytes *archive, char type, const char *const records[])
{
	struct bytes text = {0};
	for (; *records; records++) {
		char key[64];
		const char *equals = strchr(*records, '=');
		snprintf(key, sizeof key, "%.*s", (int)(equals - *records), *records);
		CHECK(pax_put(&text, key, equals + 1, strlen(equals + 1)));
	}
	put_header(archive, (struct member){.name = "PaxHeaders/x", .type = type, .size = text.len});
	put_data(archive, text.data, text.len);
	bytes_free(&text);
}

void put_end(struct bytes *archive)
{
	static const char zeros[2 * TAR_BLOCK];
	CHECK(bytes_append(archive, zeros, sizeof zeros));
}
