/* The file kinds. Each puts its results into `result` only when everything else is done; returns 0, or -1 and a failure. */
#ifndef OFFSHOOT_FILES_FILE_KINDS_H
#define OFFSHOOT_FILES_FILE_KINDS_H

#include "../fields.h"
#include "failure.h"

struct file_job {
	const struct fields *params;
	int in_fd, out_fd;
	struct fields_out *result;
	struct failure *failure;
};

int run_read_file(struct file_job *job);
int run_write_file(struct file_job *job);
int run_list(struct file_job *job);
int run_stat(struct file_job *job);
int run_tar_in(struct file_job *job);
int run_tar_out(struct file_job *job);

#endif
