#include "file-jail.h"

#include "../../src/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char jail[64];
static pid_t jail_owner;

void jail_run(const char *const words[])
{
	int status;
	pid_t pid;
	CHECK(posix_spawnp(&pid, words[0], NULL, NULL, (char *const *)words, environ) == 0);
	CHECK(waitpid(pid, &status, 0) == pid);
	if (status != 0)
		fprintf(stderr, "%s ended with status %d\n", words[0], status);
	CHECK(status == 0);
}

static void leave(void)
{
	if (getpid() != jail_owner)
		return;
	jail_owner = 0;
	RUN("rm", "-rf", jail);
}

const char *jail_enter(void)
{
	snprintf(jail, sizeof jail, "/tmp/agent-files-XXXXXX");
	CHECK(mkdtemp(jail) && chdir(jail) == 0);
	jail_owner = getpid();
	umask(022);
	atexit(leave);
	return jail;
}

const char *jail_path(const char *name)
{
	static char kept[16][4200];
	static unsigned next;
	char *path = kept[next++ % 16];
	snprintf(path, sizeof kept[0], "%s/%s", jail, name);
	return path;
}

void jail_remove(const char *name)
{
	RUN("rm", "-rf", jail_path(name));
}

void jail_write(const char *name, const void *data, size_t len)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	CHECK(fd >= 0 && write(fd, data, len) == (ssize_t)len && close(fd) == 0);
}

static void run_child(const char *kind, const char *const params[], int in_fd, int out_fd, int result_fd)
{
	struct fields_out packed = {0}, result = {0};
	struct fields fields;
	for (; params[0]; params += 2)
		fields_put_string(&packed, params[0], params[1]);
	CHECK(!packed.failed && fields_parse(&fields, packed.buf, packed.len, 100) == 0);
	worker_run(kind, &fields, in_fd, out_fd, &result);
	CHECK(!result.failed && write(result_fd, result.buf, result.len) == (ssize_t)result.len);
	fields_free(&fields);
	fields_out_free(&packed);
	fields_out_free(&result);
	exit(0);
}

static void read_into(struct pollfd *from, struct bytes *to)
{
	CHECK(bytes_reserve(to, 65536));
	ssize_t n = read(from->fd, to->data + to->len, 65536);
	CHECK(n >= 0);
	bytes_truncate(to, to->len + (size_t)n);
	if (n == 0) {
		close(from->fd);
		from->fd = -1;
	}
}

static void write_from(struct pollfd *to, const struct bytes *from, size_t *sent)
{
	ssize_t n = *sent < from->len ? write(to->fd, from->data + *sent, from->len - *sent) : 0;
	CHECK(n >= 0 || errno == EPIPE || errno == EAGAIN);
	*sent += n > 0 ? (size_t)n : 0;
	if (*sent == from->len || (n < 0 && errno == EPIPE)) {
		close(to->fd);
		to->fd = -1;
	}
}

static void take_results(struct outcome *outcome, const struct bytes *packed)
{
	struct fields fields;
	CHECK(fields_parse(&fields, packed->data, packed->len, 100) == 0);
	for (size_t i = 0; i < fields.count; i++)
		CHECK(bytes_append(&outcome->result, fields.items[i].key, strlen(fields.items[i].key)) && bytes_append(&outcome->result, "=", 1) &&
		      bytes_append(&outcome->result, fields.items[i].value, fields.items[i].value_len) && bytes_append(&outcome->result, "\n", 1));
	outcome->ok = fields_flag(&fields, "ok");
	snprintf(outcome->error, sizeof outcome->error, "%s", fields_string(&fields, "error", ""));
	snprintf(outcome->message, sizeof outcome->message, "%s", fields_string(&fields, "message", ""));
	CHECK(outcome->ok != (outcome->error[0] != 0));
	fields_free(&fields);
}

const struct outcome *worker(const char *kind, const struct bytes *input, void (*between)(void), const char *const params[])
{
	static struct outcome outcome;
	static const struct bytes nothing;
	int in[2], out[2], result[2], status;
	struct bytes packed = {0};
	size_t sent = 0;
	signal(SIGPIPE, SIG_IGN);
	CHECK(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0 && pipe2(result, O_CLOEXEC) == 0);
	pid_t pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		close(in[1]);
		close(out[0]);
		close(result[0]);
		run_child(kind, params, in[0], out[1], result[1]);
	}
	close(in[0]);
	close(out[1]);
	close(result[1]);
	CHECK(fcntl(in[1], F_SETFL, O_NONBLOCK) == 0);
	bytes_free(&outcome.output);
	bytes_free(&outcome.result);
	struct pollfd fds[3] = {{.fd = in[1], .events = POLLOUT}, {.fd = out[0], .events = POLLIN}, {.fd = result[0], .events = POLLIN}};
	while (fds[0].fd >= 0 || fds[1].fd >= 0 || fds[2].fd >= 0) {
		int ready = poll(fds, 3, 60000);
		if (ready == 0)
			kill(pid, SIGKILL);
		CHECK(ready > 0);
		if (fds[0].fd >= 0 && fds[0].revents)
			write_from(&fds[0], input ? input : &nothing, &sent);
		if (fds[1].fd >= 0 && fds[1].revents) {
			read_into(&fds[1], &outcome.output);
			if (between)
				between();
			between = NULL;
		}
		if (fds[2].fd >= 0 && fds[2].revents)
			read_into(&fds[2], &packed);
	}
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
	outcome.took_all_input = !input || sent == input->len;
	take_results(&outcome, &packed);
	bytes_free(&packed);
	return &outcome;
}

const char *result_of(const struct outcome *outcome, const char *key)
{
	static char value[4300];
	size_t key_len = strlen(key);
	for (const char *line = outcome->result.data; line && *line; line = strchr(line, '\n') + 1)
		if (strncmp(line, key, key_len) == 0 && line[key_len] == '=') {
			const char *start = line + key_len + 1;
			snprintf(value, sizeof value, "%.*s", (int)(strchr(start, '\n') - start), start);
			return value;
		}
	return "";
}
