/* Stands for a VMM in tests: attaches to a sandbox's tap as an unprivileged user and carries frames to and from a tap of a guest's namespace.
   tap-relay SANDBOX_NETNS SANDBOX_TAP UID GUEST_NETNS GUEST_TAP GUEST_MAC; prints "ready", ends with its standard input. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static void die(const char *what) {
  fprintf(stderr, "tap-relay: %s: %s\n", what, strerror(errno));
  exit(1);
}

static void enter(const char *netns) {
  int fd = open(netns, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || setns(fd, CLONE_NEWNET) != 0) die(netns);
  close(fd);
}

/* The device belongs to the namespace in which it was opened. */
static int open_tun(void) {
  int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
  if (fd < 0) die("/dev/net/tun");
  return fd;
}

static void attach(int fd, const char *name) {
  struct ifreq request = {0};
  request.ifr_flags = IFF_TAP | IFF_NO_PI;
  strncpy(request.ifr_name, name, IFNAMSIZ - 1);
  if (ioctl(fd, TUNSETIFF, &request) != 0) die(name);
}

static void set_mac(int fd, const char *text) {
  struct ifreq request = {0};
  unsigned char *mac = (unsigned char *)request.ifr_hwaddr.sa_data;
  request.ifr_hwaddr.sa_family = ARPHRD_ETHER;
  if (sscanf(text, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", mac, mac + 1, mac + 2, mac + 3, mac + 4, mac + 5) != 6) die(text);
  if (ioctl(fd, SIOCSIFHWADDR, &request) != 0) die("setting the MAC");
}

static void carry(int from, int to) {
  static char frame[70000];
  ssize_t length = read(from, frame, sizeof frame);
  if (length < 0) die("read");
  /* A full queue loses frames, as on any network. */
  if (write(to, frame, (size_t)length) < 0 && errno != ENOBUFS && errno != EAGAIN && errno != EIO) die("write");
}

int main(int argc, char **argv) {
  if (argc != 7) return 2;
  enter(argv[4]);
  int guest = open_tun();
  attach(guest, argv[5]);
  set_mac(guest, argv[6]);
  enter(argv[1]);
  int sandbox = open_tun();
  if (setresuid((uid_t)atoi(argv[3]), (uid_t)atoi(argv[3]), (uid_t)atoi(argv[3])) != 0) die("setresuid");
  attach(sandbox, argv[2]);
  puts("ready");
  fflush(stdout);
  struct pollfd waits[3] = {{guest, POLLIN, 0}, {sandbox, POLLIN, 0}, {0, POLLIN, 0}};
  for (;;) {
    if (poll(waits, 3, -1) < 0 && errno != EINTR) die("poll");
    if (waits[0].revents & POLLIN) carry(guest, sandbox);
    if (waits[1].revents & POLLIN) carry(sandbox, guest);
    if (waits[2].revents) return 0;
    if ((waits[0].revents | waits[1].revents) & (POLLERR | POLLHUP)) return 0;
  }
}
