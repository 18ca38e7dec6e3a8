// PID 1 of the driver's end-to-end tests: loads the modules of the image's initramfs and answers one-line commands on the agent port.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "rewrite-code.h"

static void nap(long milliseconds) {
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
}

static void load_modules(void) {
    FILE *list = fopen("/modules.list", "r");
    char path[256];
    while (list && fgets(path, sizeof path, list)) {
        path[strcspn(path, "\n")] = 0;
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0 || (syscall(SYS_finit_module, fd, "", 0) && errno != EEXIST)) printf("test-guest: %s: %s\n", path, strerror(errno));
        close(fd);
    }
    if (list) fclose(list);
}

static int open_port(void) {
    for (int tries = 0; tries < 5000; tries++, nap(1)) {
        DIR *ports = opendir("/sys/class/virtio-ports");
        struct dirent *entry;
        while (ports && (entry = readdir(ports))) {
            char path[300], name[64] = "";
            if (entry->d_name[0] == '.') continue;
            snprintf(path, sizeof path, "/sys/class/virtio-ports/%s/name", entry->d_name);
            int fd = open(path, O_RDONLY);
            ssize_t length = fd < 0 ? 0 : read(fd, name, sizeof name - 1);
            close(fd);
            if (length <= 0 || strncmp(name, "offshoot.agent", 14)) continue;
            snprintf(path, sizeof path, "/dev/%s", entry->d_name);
            closedir(ports);
            return open(path, O_RDWR | O_CLOEXEC);
        }
        if (ports) closedir(ports);
    }
    return -1;
}

static void file_text(const char *path, char *text, size_t size) {
    int fd = open(path, O_RDONLY);
    ssize_t length = fd < 0 ? 0 : read(fd, text, size - 1);
    text[length > 0 ? length : 0] = 0;
    text[strcspn(text, "\n")] = 0;
    close(fd);
}

static unsigned char *touched;
static size_t touched_bytes;
static unsigned seed;

static unsigned char expected(size_t at) {
    return (unsigned char)(((at >> 12) + seed * 37) | 1);
}

static void fill(void) {
    for (size_t at = 0; at < touched_bytes; at += 4096) touched[at] = expected(at);
}

static void touch(size_t mib) {
    touched_bytes = mib << 20;
    touched = malloc(touched_bytes);
    fill();
}

static size_t intact_pages(void) {
    size_t intact = 0;
    for (size_t at = 0; at < touched_bytes; at += 4096) intact += touched[at] == expected(at);
    return intact;
}

static void disk(char *arguments, char *answer, size_t size) {
    char text[64] = "", verb[8] = "";
    long offset = 0;
    sscanf(arguments, "%7s %ld %63s", verb, &offset, text);
    int fd = open("/dev/vda", O_RDWR | O_SYNC);
    if (!strcmp(verb, "write")) {
        char block[512] = "";
        strcpy(block, text);
        snprintf(answer, size, pwrite(fd, block, 512, offset) == 512 ? "ok" : "error %s", strerror(errno));
    } else {
        if (pread(fd, text, sizeof text - 1, offset) < 0) snprintf(text, sizeof text, "error %s", strerror(errno));
        snprintf(answer, size, "%s", text);
    }
    close(fd);
}

static void obey(char *line, char *answer, size_t size) {
    char *arguments = strchr(line, ' ');
    arguments = arguments ? arguments + 1 : line + strlen(line);
    snprintf(answer, size, "ok");
    if (!strncmp(line, "ping", 4)) snprintf(answer, size, "pong %s", arguments);
    else if (!strncmp(line, "cmdline", 7)) file_text("/proc/cmdline", answer, size);
    else if (!strncmp(line, "mac", 3)) file_text("/sys/class/net/eth0/address", answer, size);
    else if (!strncmp(line, "cpus", 4)) snprintf(answer, size, "%ld", sysconf(_SC_NPROCESSORS_ONLN));
    else if (!strncmp(line, "touch", 5)) touch((size_t)atol(arguments));
    else if (!strncmp(line, "refill", 6)) seed = (unsigned)atol(arguments), fill();
    else if (!strncmp(line, "seed", 4)) snprintf(answer, size, "%u", seed);
    else if (!strncmp(line, "intact", 6)) snprintf(answer, size, "%zu", intact_pages());
    else if (!strncmp(line, "rewrite-code", 12)) snprintf(answer, size, "%ld of %ld missed", rewrite_code(atol(arguments)), atol(arguments));
    else if (!strncmp(line, "disk", 4)) disk(arguments, answer, size);
    else if (!strncmp(line, "flood", 5)) for (long n = 0; n < atol(arguments) * 16; n++) printf("%063ld\n", n);
    else if (!strncmp(line, "spin", 4)) for (;;) (void)0;
    else if (!strncmp(line, "poweroff", 8)) reboot(RB_POWER_OFF);
    else if (!strncmp(line, "reboot", 6)) reboot(RB_AUTOBOOT);
    else if (!strncmp(line, "panic", 5)) _exit(3); // PID 1 ends: the kernel panics
    else snprintf(answer, size, "unknown");
}

int main(void) {
    for (const char **at = (const char *[]){"proc", "sysfs", "devtmpfs", NULL}; *at; at++) {
        const char *target = **at == 'p' ? "/proc" : **at == 's' ? "/sys" : "/dev";
        mkdir(target, 0755);
        if (mount(*at, target, *at, 0, NULL)) printf("test-guest: mount %s: %s\n", target, strerror(errno));
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    load_modules();
    int port = open_port();
    printf("test-guest: ready %d\n", port);
    char line[256], answer[2048];
    size_t length = 0;
    for (;;) {
        ssize_t got = read(port, line + length, 1);
        if (got <= 0) {
            nap(1); // not connected
            continue;
        }
        if (line[length] != '\n' && length < sizeof line - 2) {
            length++;
            continue;
        }
        line[length] = 0;
        length = 0;
        obey(line, answer, sizeof answer - 1);
        strcat(answer, "\n");
        if (write(port, answer, strlen(answer)) < 0) printf("test-guest: write: %s\n", strerror(errno));
    }
}
