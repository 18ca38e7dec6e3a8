#define _GNU_SOURCE
#include "cgroup.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define UNLIMITED (1ull << 60)
#define RESTORE_TRIES 50

struct version {
    const char *type, *usage, *limit;
    // Raised in this order: the first must never be less than the second.
    const char *raised[CGROUP_LIMITS];
};

static const struct version first = {"cgroup", "memory.usage_in_bytes", "memory.limit_in_bytes",
                                     {"memory.memsw.limit_in_bytes", "memory.limit_in_bytes"}};
static const struct version second = {"cgroup2", "memory.current", "memory.max", {"memory.max", "memory.high"}};

static bool lists_memory(const char *controllers) {
    char copy[256], *rest = copy;
    snprintf(copy, sizeof copy, "%s", controllers);
    for (char *name; (name = strsep(&rest, ","));)
        if (!strcmp(name, "memory")) return true;
    return false;
}

// A line of /proc/PID/cgroup is ID:CONTROLLERS:PATH. The memory controller is of version 1 when a hierarchy of its own names it.
static const struct version *find_path(pid_t source, char *path, size_t size) {
    char name[64], line[1024];
    const struct version *version = NULL;
    snprintf(name, sizeof name, "/proc/%d/cgroup", source);
    FILE *file = fopen(name, "re");
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        char *controllers = strchr(line, ':'), *place = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!place) continue;
        *place++ = 0;
        bool memory = lists_memory(controllers + 1);
        if (!memory && (strncmp(line, "0:", 2) || version == &first)) continue;
        version = memory ? &first : &second;
        snprintf(path, size, "%s", place);
    }
    if (file) fclose(file);
    return version;
}

// Fields of /proc/self/mountinfo: id, parent, device, root, mount point, options, ..., -, type, source, options of the file system.
static bool find_mount(const struct version *version, char *root, char *point) {
    char line[4096], type[32], options[512];
    bool found = false;
    FILE *file = fopen("/proc/self/mountinfo", "re");
    while (file && !found && fgets(line, sizeof line, file)) {
        const char *tail = strstr(line, " - ");
        if (!tail || sscanf(line, "%*s %*s %*s %255s %255s", root, point) != 2) continue;
        if (sscanf(tail, " - %31s %*s %511s", type, options) != 2 || strcmp(type, version->type)) continue;
        found = version == &second || lists_memory(options);
    }
    if (file) fclose(file);
    return found;
}

static int open_in(const char *folder, const char *name, int flags) {
    char path[700];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return open(path, flags | O_CLOEXEC);
}

// "max" of version 2 is no limit.
static uint64_t read_bytes(int file) {
    char text[64];
    ssize_t length = file < 0 ? -1 : pread(file, text, sizeof text - 1, 0);
    if (length <= 0 || text[0] < '0' || text[0] > '9') return UINT64_MAX;
    text[length] = 0;
    return strtoull(text, NULL, 10);
}

static bool write_bytes(int file, uint64_t bytes) {
    char text[32];
    int length = snprintf(text, sizeof text, "%lu", bytes);
    return pwrite(file, text, (size_t)length, 0) == length;
}

void open_cgroup(struct cgroup *cgroup, pid_t source) {
    char path[256], root[256], point[256], folder[512];
    *cgroup = (struct cgroup){.own = {{.file = -1}, {.file = -1}}};
    const struct version *version = find_path(source, path, sizeof path);
    if (!version || !find_mount(version, root, point)) return;
    size_t hidden = strcmp(root, "/") ? strlen(root) : 0;
    if (strncmp(path, root, hidden)) return; // outside what is mounted here
    snprintf(cgroup->path, sizeof cgroup->path, "%s%s", point, path + hidden);
    snprintf(folder, sizeof folder, "%s", cgroup->path);
    while (cgroup->levels < CGROUP_LEVELS && strlen(folder) > strlen(point)) {
        int at = cgroup->levels++;
        cgroup->level[at].usage = open_in(folder, version->usage, O_RDONLY);
        cgroup->level[at].limit = open_in(folder, version->limit, O_RDONLY);
        cgroup->level[at].statistics = open_in(folder, "memory.stat", O_RDONLY);
        *strrchr(folder, '/') = 0;
    }
    for (int at = 0; at < CGROUP_LIMITS && cgroup->levels; at++) cgroup->own[at].file = open_in(cgroup->path, version->raised[at], O_RDWR);
}

// Kernel folders have two links and one for each below.
static bool is_for_this_vmm_alone(const struct cgroup *cgroup, pid_t source, pid_t duplicate, pid_t parent) {
    struct stat folder;
    int member;
    bool alone = true;
    char path[600];
    if (!cgroup->levels || stat(cgroup->path, &folder) || folder.st_nlink > 2) return false;
    snprintf(path, sizeof path, "%s/cgroup.procs", cgroup->path);
    FILE *members = fopen(path, "re");
    if (!members) return false;
    while (fscanf(members, "%d", &member) == 1) alone = alone && (member == source || member == duplicate || member == parent);
    fclose(members);
    return alone;
}

static pid_t parent_of(pid_t pid) {
    char path[64], line[128];
    int parent = 0;
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file) && sscanf(line, "PPid: %d", &parent) != 1) continue;
    if (file) fclose(file);
    return parent;
}

void raise_cgroup_limit(struct cgroup *cgroup, pid_t source, pid_t duplicate, uint64_t bytes) {
    if (!is_for_this_vmm_alone(cgroup, source, duplicate, parent_of(source))) return;
    for (int at = 0; at < CGROUP_LIMITS; at++) {
        struct cgroup_limit *limit = &cgroup->own[at];
        limit->before = read_bytes(limit->file);
        if (limit->before < UNLIMITED) limit->raised = write_bytes(limit->file, limit->before + bytes);
    }
}

// The kernel refuses a limit below what is in use until it has got enough back.
void restore_cgroup_limit(struct cgroup *cgroup) {
    for (int at = CGROUP_LIMITS - 1; at >= 0; at--) {
        struct cgroup_limit *limit = &cgroup->own[at];
        for (int tries = 0; limit->raised && tries < RESTORE_TRIES; tries++) {
            limit->raised = !write_bytes(limit->file, limit->before);
            if (limit->raised) nanosleep(&(struct timespec){0, 2000000}, NULL);
        }
    }
}

static uint64_t reclaimable(int statistics, const char *name) {
    char text[4096];
    ssize_t length = statistics < 0 ? -1 : pread(statistics, text, sizeof text - 1, 0);
    if (length <= 0) return 0;
    text[length] = 0;
    const char *line = strstr(text, name); // of version 1 the whole hierarchy's comes later, as total_inactive_file: less is safer
    return line ? strtoull(line + strlen(name), NULL, 10) : 0;
}

bool cgroup_suffices(const struct cgroup *cgroup, struct failure *failure) {
    for (int at = 0; at < cgroup->levels; at++) {
        uint64_t limit = read_bytes(cgroup->level[at].limit), usage = read_bytes(cgroup->level[at].usage);
        if (limit >= UNLIMITED || usage == UINT64_MAX || usage < limit - limit / 20) continue;
        uint64_t cached = reclaimable(cgroup->level[at].statistics, "inactive_file ");
        if (usage - (cached < usage ? cached : usage) < limit - limit / 20) continue;
        return failed(failure, "memory", "the source's cgroup uses %lu of %lu MiB", usage >> 20, limit >> 20);
    }
    return true;
}
