#include "identity.h"

#include "identity-files.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/random.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define RUN_DIR "/run/offshoot"
#define BOOT_ID "/proc/sys/kernel/random/boot_id"
#define BOOT_ID_FILE RUN_DIR "/boot-id"

/* Tests: keeps what would have been applied. */
static int note(const char *dry, const char *name, const void *bytes, size_t len)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/%s", dry, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0)
		return -1;
	ssize_t put = write(fd, bytes, len);
	close(fd);
	return put == (ssize_t)len ? 0 : -1;
}

int identity_reseed(const char *dry, const unsigned char *bytes, size_t len)
{
	if (dry)
		return note(dry, "entropy", bytes, len);
	union {
		struct rand_pool_info info;
		unsigned char space[sizeof(struct rand_pool_info) + 256];
	} pool = {.info = {.entropy_count = (int)len * 8, .buf_size = (int)len}};
	memcpy(pool.space + sizeof pool.info, bytes, len);
	int fd = open("/dev/urandom", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	int result = ioctl(fd, RNDADDENTROPY, &pool) < 0 || ioctl(fd, RNDRESEEDCRNG) < 0 ? -1 : 0;
	int error = errno;
	explicit_bzero(&pool, sizeof pool);
	close(fd);
	errno = error;
	return result;
}

int identity_set_clock(const char *dry, uint64_t ns)
{
	char text[32];
	if (dry)
		return note(dry, "clock-ns", text, (size_t)snprintf(text, sizeof text, "%llu", (unsigned long long)ns));
	struct timespec t = {.tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u)};
	return clock_settime(CLOCK_REALTIME, &t);
}

/* One line; no printf, which is much code for a machine that runs each piece of it for the first time. */
static size_t put_line(char *line, const char *before, const char *text)
{
	return (size_t)(stpcpy(stpcpy(stpcpy(line, before), text), "\n") - line);
}

int identity_set_hostname(const char *dry, const char *name)
{
	char line[80];
	size_t len = put_line(line, "", name);
	if (dry)
		return note(dry, "hostname", line, len);
	if (sethostname(name, strlen(name)) < 0 || identity_file_put("hostname", line, 0644) < 0)
		return -1;
	return identity_hosts_put(name);
}

int identity_set_machine_id(const char *dry, const char *id)
{
	char line[40];
	size_t len = put_line(line, "", id);
	return dry ? note(dry, "machine-id", line, len) : identity_file_put("machine-id", line, 0444);
}

static bool boot_id_is(const char *line)
{
	char now[64];
	return text_read(BOOT_ID, now, sizeof now) > 0 && strcmp(now, line) == 0;
}

/* A file on tmpfs is bound over the kernel's. It stays bound, and later calls write into it; should it lie hidden by then, it is bound again. */
int identity_set_boot_id(const char *dry, const char *id)
{
	char line[40];
	size_t len = put_line(line, "", id);
	if (dry)
		return note(dry, "boot-id", line, len);
	if ((mkdir(RUN_DIR, 0755) < 0 && errno != EEXIST) || text_put(BOOT_ID_FILE, line, 0444) < 0)
		return -1;
	if (boot_id_is(line))
		return 0;
	if (mount(BOOT_ID_FILE, BOOT_ID, NULL, MS_BIND, NULL) < 0)
		return -1;
	if (boot_id_is(line))
		return 0;
	errno = EIO;
	return -1;
}

int identity_set_generation(const char *dry, const char *generation)
{
	char line[32];
	size_t len = put_line(line, "", generation);
	if (dry)
		return note(dry, "generation", line, len);
	if (mkdir(RUN_DIR, 0755) < 0 && errno != EEXIST)
		return -1;
	return text_put(RUN_DIR "/fork-generation", line, 0444);
}

int identity_set_nameserver(const char *dry, const char *address)
{
	char line[128];
	size_t len = put_line(line, "nameserver ", address);
	return dry ? note(dry, "nameserver", line, len) : identity_file_put("resolv.conf", line, 0644);
}
