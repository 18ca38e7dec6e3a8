#include "terminal.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

/* linux: include/uapi/asm-generic/ioctls.h; musl has no name for it. */
#ifndef TIOCGPTPEER
#define TIOCGPTPEER _IO('T', 0x41)
#endif

bool terminal_open(const struct exec_request *request, int child[3], int ours[3])
{
	int unlocked = 0;
	struct winsize size = {.ws_row = (unsigned short)request->rows, .ws_col = (unsigned short)request->cols};
	ours[1] = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (ours[1] < 0 || ioctl(ours[1], TIOCSPTLCK, &unlocked) < 0 || ioctl(ours[1], TIOCSWINSZ, &size) < 0)
		return false;
	child[0] = ioctl(ours[1], TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (child[0] < 0)
		return false;
	if (request->switch_user && fchown(child[0], request->user.uid, (gid_t)-1) < 0)
		return false;
	ours[0] = fcntl(ours[1], F_DUPFD_CLOEXEC, 4);
	child[1] = fcntl(child[0], F_DUPFD_CLOEXEC, 4);
	child[2] = fcntl(child[0], F_DUPFD_CLOEXEC, 4);
	return ours[0] >= 0 && child[1] >= 0 && child[2] >= 0;
}
