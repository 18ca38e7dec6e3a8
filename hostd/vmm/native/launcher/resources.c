#define _GNU_SOURCE
#include "resources.h"
#include "report.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

void enter_network(const struct spec *spec) {
    if (!spec->netns) {
        if (unshare(CLONE_NEWNET)) fail_errno("unshare network namespace");
        return;
    }
    int fd = open(spec->netns, O_RDONLY | O_CLOEXEC);
    if (fd < 0) fail_errno("open %s", spec->netns);
    if (setns(fd, CLONE_NEWNET)) fail_errno("enter %s", spec->netns);
    close(fd);
}

// Bound by a relative name: the folder is the working directory, so no path is too long for sockaddr_un.
static int listen_at(const char *name) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strchr(name, '/') || strlen(name) >= sizeof address.sun_path) fail("spec: listen: not a plain name: %s", name);
    strcpy(address.sun_path, name);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) fail_errno("socket");
    if (unlink(name) && errno != ENOENT) fail_errno("unlink %s", name);
    mode_t before = umask(0177);
    if (bind(fd, (struct sockaddr *)&address, sizeof address)) fail_errno("bind %s", name);
    umask(before);
    if (listen(fd, 4)) fail_errno("listen %s", name);
    return fd;
}

// A named tap must exist, because TUNSETIFF would make a new one that nobody removes. In a namespace of our own it is made and dies with us.
static int attach_tap(const struct spec *spec, const char *name) {
    struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR};
    if (!*name || strlen(name) >= sizeof request.ifr_name) fail("spec: tap: not an interface name: %s", name);
    strcpy(request.ifr_name, name);
    if (spec->netns && !if_nametoindex(name)) fail_errno("tap %s", name);
    int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) fail_errno("open /dev/net/tun");
    if (ioctl(fd, TUNSETIFF, &request)) fail_errno("attach tap %s", name);
    return fd;
}

static int open_path(const char *path, int flags) {
    int fd = open(path, flags | O_CLOEXEC);
    if (fd < 0) fail_errno("open %s", path);
    return fd;
}

void open_files(struct spec *spec, int console) {
    for (size_t at = 0; at < spec->file_count; at++) {
        struct spec_file *file = &spec->files[at];
        switch (file->kind) {
        case FILE_LISTEN: file->fd = listen_at(file->path); break;
        case FILE_TAP: file->fd = attach_tap(spec, file->path); break;
        case FILE_READ: file->fd = open_path(file->path, O_RDONLY); break;
        case FILE_READ_WRITE: file->fd = open_path(file->path, O_RDWR); break;
        case FILE_CONSOLE: file->fd = console; break;
        }
    }
}

void remove_sockets(const struct spec *spec) {
    for (size_t at = 0; at < spec->file_count; at++)
        if (spec->files[at].kind == FILE_LISTEN) unlink(spec->files[at].path);
}
