#include "extract.h"
#include "file-kinds.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

static int extract_all(struct extractor *extractor, struct tar_reader *reader, struct failure *failure)
{
	int rc;
	while ((rc = tar_reader_next(reader, failure)) > 0)
		if (extract_entry(extractor, reader, failure) < 0) {
			failure_at_entry(failure, reader->count, reader->entry.path);
			return -1;
		}
	if (rc < 0) {
		failure_at_entry(failure, reader->count + 1, reader->entry.path);
		return -1;
	}
	return extract_finish(extractor, failure);
}

int run_tar_in(struct file_job *job)
{
	struct failure *failure = job->failure;
	const char *path = param_path(job->params, failure);
	struct owner owner;
	bool root_is_new;
	if (!path || param_owner(job->params, &owner, failure) < 0 || make_folders(path, &owner, &root_is_new, failure) < 0)
		return -1;
	int root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return fail_errno(failure, errno, path);
	struct extractor extractor;
	struct source source;
	struct tar_reader reader;
	extractor_init(&extractor, root, root_is_new, &owner);
	tar_reader_init(&reader, &source);
	int rc = source_open(&source, job->in_fd, failure);
	if (rc == 0)
		rc = extract_all(&extractor, &reader, failure);
	/* The end marker is followed by padding, which the sender has to get rid of. */
	if (rc == 0)
		rc = source_skip(&source, UINT64_MAX, failure);
	if (rc == 0) {
		fields_put_string(job->result, "ok", "1");
		fields_put_u64(job->result, "entries", reader.count - extractor.skipped);
		fields_put_u64(job->result, "bytes", extractor.bytes);
		fields_put_u64(job->result, "skipped", extractor.skipped);
	}
	source_close(&source);
	tar_reader_free(&reader);
	extractor_free(&extractor);
	return rc;
}
