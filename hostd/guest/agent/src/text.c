#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

long text_read(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	ssize_t got = read(fd, buf, size - 1);
	int error = errno;
	close(fd);
	errno = error;
	if (got < 0)
		return -1;
	buf[got] = 0;
	return got;
}

char *text_read_all(const char *path, size_t max)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return NULL;
	size_t len = 0, cap = 4096;
	char *buf = malloc(cap);
	while (buf) {
		ssize_t got = read(fd, buf + len, cap - 1 - len);
		if (got == 0) {
			close(fd);
			buf[len] = 0;
			return buf;
		}
		if (got < 0 || (len += (size_t)got) > max) {
			errno = got < 0 ? errno : EFBIG;
			break;
		}
		if (len < cap - 1)
			continue;
		cap *= 2;
		char *grown = realloc(buf, cap);
		if (!grown)
			break;
		buf = grown;
	}
	int error = errno;
	free(buf);
	close(fd);
	errno = error;
	return NULL;
}

char *text_read_scratch(const char *path)
{
	static char scratch[TEXT_SCRATCH_MAX + 1];
	size_t len = 0;
	ssize_t got;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return NULL;
	while (len < TEXT_SCRATCH_MAX && (got = read(fd, scratch + len, TEXT_SCRATCH_MAX - len)) > 0)
		len += (size_t)got;
	int error = len == TEXT_SCRATCH_MAX ? EFBIG : got < 0 ? errno : 0;
	close(fd);
	errno = error;
	scratch[len] = 0;
	return error ? NULL : scratch;
}

static int write_to(int fd, const char *text)
{
	size_t len = strlen(text);
	ssize_t put = write(fd, text, len);
	if (put == (ssize_t)len)
		return 0;
	if (put >= 0)
		errno = ENOSPC;
	return -1;
}

static int closed(int fd, int result)
{
	int error = errno;
	close(fd);
	errno = error;
	return result;
}

int text_poke(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	return fd < 0 ? -1 : closed(fd, write_to(fd, text));
}

int text_replace(const char *path, const char *text, unsigned mode)
{
	char beside[4096];
	if (snprintf(beside, sizeof beside, "%s.offshoot", path) >= (int)sizeof beside) {
		errno = ENAMETOOLONG;
		return -1;
	}
	unlink(beside);
	int fd = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	if (fd < 0)
		return -1;
	fchmod(fd, mode);
	if (closed(fd, write_to(fd, text)) == 0 && rename(beside, path) == 0)
		return 0;
	int error = errno;
	unlink(beside);
	errno = error;
	return -1;
}

int text_put(const char *path, const char *text, unsigned mode)
{
	struct stat info;
	int fd = open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return text_replace(path, text, mode);
	if (fstat(fd, &info) < 0 || !S_ISREG(info.st_mode) || info.st_nlink != 1 || (info.st_mode & 07777) != mode) {
		close(fd);
		return text_replace(path, text, mode);
	}
	int result = write_to(fd, text);
	if (result == 0 && info.st_size > (off_t)strlen(text))
		result = ftruncate(fd, (off_t)strlen(text));
	return closed(fd, result);
}
