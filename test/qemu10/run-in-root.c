// Runs the program of its own name from the root it lies in (ROOT/run/NAME), with that root's loader and libraries: a Debian newer than the
// host's has a newer libc. It replaces itself, so the process that started it has QEMU itself as its child.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *join(const char *root, const char *rest) {
    size_t size = strlen(root) + strlen(rest) + 1;
    char *path = malloc(size);
    if (!path) _exit(126);
    snprintf(path, size, "%s%s", root, rest);
    return path;
}

int main(int count, char **words) {
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0) return 126;
    self[length] = 0;
    char *slash = strrchr(self, '/'), *run = slash;
    while (--run > self && *run != '/') {}
    char *name = slash + 1, *program = join("/usr/bin/", name);
    *run = 0;
    char **command = calloc((size_t)count + 12, sizeof *command);
    if (!command) return 126;
    int at = 0;
    command[at++] = join(self, "/usr/lib64/ld-linux-x86-64.so.2");
    command[at++] = "--library-path";
    command[at++] = join(self, "/usr/lib/x86_64-linux-gnu");
    command[at++] = "--argv0";
    command[at++] = program;
    command[at++] = join(self, program);
    // Otherwise it looks for its modules where the host's QEMU has its own.
    if (setenv("QEMU_MODULE_DIR", join(self, "/usr/lib/x86_64-linux-gnu/qemu"), 1)) return 126;
    if (!strncmp(name, "qemu-system-", 12)) {
        command[at++] = "-L";
        command[at++] = join(self, "/usr/share/qemu");
        command[at++] = "-L";
        command[at++] = join(self, "/usr/share/seabios");
    }
    for (int word = 1; word < count; word++) command[at++] = words[word];
    execv(command[0], command);
    perror(command[0]);
    return 127;
}
