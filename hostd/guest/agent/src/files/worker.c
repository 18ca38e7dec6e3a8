#include "../worker.h"

#include "file-kinds.h"
#include "params.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

/* Walking a tree keeps one descriptor per level. */
#define DESCRIPTORS_WANTED 65536

static const struct {
	const char *kind;
	int (*run)(struct file_job *job);
} kinds[] = {
	{"read-file", run_read_file}, {"write-file", run_write_file}, {"list", run_list},
	{"stat", run_stat},           {"tar-in", run_tar_in},         {"tar-out", run_tar_out},
};

static int (*find(const char *kind))(struct file_job *job)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strcmp(kinds[i].kind, kind) == 0)
			return kinds[i].run;
	return NULL;
}

bool worker_knows(const char *kind)
{
	return find(kind) != NULL;
}

static void raise_descriptor_limit(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= DESCRIPTORS_WANTED)
		return;
	struct rlimit wanted = {.rlim_cur = DESCRIPTORS_WANTED, .rlim_max = DESCRIPTORS_WANTED};
	if (limit.rlim_max < DESCRIPTORS_WANTED && setrlimit(RLIMIT_NOFILE, &wanted) == 0)
		return;
	wanted.rlim_max = limit.rlim_max;
	wanted.rlim_cur = limit.rlim_max < DESCRIPTORS_WANTED ? limit.rlim_max : DESCRIPTORS_WANTED;
	setrlimit(RLIMIT_NOFILE, &wanted);
}

static void put_failure(struct fields_out *result, const struct failure *failure)
{
	fields_put_string(result, "error", failure->code ? failure->code : "io");
	fields_put_string(result, "message", failure->message);
}

void worker_run(const char *kind, const struct fields *params, int in_fd, int out_fd, struct fields_out *result)
{
	struct failure failure = {0};
	struct file_job job = {.params = params, .in_fd = in_fd, .out_fd = out_fd, .result = result, .failure = &failure};
	int (*run)(struct file_job *) = find(kind);
	signal(SIGPIPE, SIG_IGN);
	umask(0);
	raise_descriptor_limit();
	if (!run)
		fail(&failure, "unknown-kind", "no such file kind");
	else if (param_become_user(params, &failure) == 0 && run(&job) == 0)
		return;
	put_failure(result, &failure);
}
