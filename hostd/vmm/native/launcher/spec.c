#include "spec.h"
#include "report.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_SPEC_BYTES (1 << 20)

static const struct {
    const char *name;
    int resource;
} resources[] = {{"core", RLIMIT_CORE}, {"nofile", RLIMIT_NOFILE}, {"fsize", RLIMIT_FSIZE}, {"memlock", RLIMIT_MEMLOCK}};

static const struct {
    const char *key;
    enum file_kind kind;
} file_keys[] = {{"listen", FILE_LISTEN}, {"tap", FILE_TAP}, {"read", FILE_READ}, {"read-write", FILE_READ_WRITE}, {"console", FILE_CONSOLE}};

static unsigned long long number(const char *key, const char *text, unsigned long long most) {
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno || end == text || *end || *text == '-' || value > most) fail("spec: %s: not a number in range: %s", key, text);
    return value;
}

// `N:REST` is split; the VMM's descriptor numbers start above the standard ones.
static void add_file(struct spec *spec, enum file_kind kind, const char *key, char *value) {
    char *rest = strchr(value, ':');
    if (!rest || spec->file_count == MAX_FILES) fail("spec: %s: %s", key, rest ? "too many files" : "no descriptor number");
    *rest++ = 0;
    int wanted = (int)number(key, value, 63);
    if (wanted < 3) fail("spec: %s: descriptor %d is taken", key, wanted);
    for (size_t at = 0; at < spec->file_count; at++)
        if (spec->files[at].number == wanted) fail("spec: descriptor %d is given twice", wanted);
    spec->files[spec->file_count++] = (struct spec_file){kind, wanted, -1, rest};
}

static void add_limit(struct spec *spec, char *value) {
    char *amount = strchr(value, ':');
    if (!amount || spec->limit_count == sizeof spec->limits / sizeof *spec->limits) fail("spec: limit: %s", value);
    *amount++ = 0;
    for (size_t at = 0; at < sizeof resources / sizeof *resources; at++) {
        if (strcmp(resources[at].name, value)) continue;
        spec->limits[spec->limit_count++] = (struct spec_limit){resources[at].resource, number("limit", amount, RLIM_INFINITY - 1)};
        return;
    }
    fail("spec: no such limit: %s", value);
}

static void add_word(char **words, size_t *count, char *word) {
    if (*count == MAX_WORDS) fail("spec: too many words");
    words[(*count)++] = word;
}

static void take(struct spec *spec, const char *key, char *value) {
    if (!strcmp(key, "uid")) spec->uid = (uid_t)number(key, value, 0xfffffffe);
    else if (!strcmp(key, "gid")) spec->gid = (gid_t)number(key, value, 0xfffffffe);
    else if (!strcmp(key, "group")) {
        if (spec->group_count == sizeof spec->groups / sizeof *spec->groups) fail("spec: too many groups");
        spec->groups[spec->group_count++] = (gid_t)number(key, value, 0xfffffffe);
    } else if (!strcmp(key, "netns")) spec->netns = value;
    else if (!strcmp(key, "limit")) add_limit(spec, value);
    else if (!strcmp(key, "arg")) add_word(spec->arguments, &spec->argument_count, value);
    else if (!strcmp(key, "env")) add_word(spec->environment, &spec->environment_count, value);
    else {
        for (size_t at = 0; at < sizeof file_keys / sizeof *file_keys; at++)
            if (!strcmp(file_keys[at].key, key)) {
                add_file(spec, file_keys[at].kind, key, value);
                return;
            }
        fail("spec: unknown key: %s", key);
    }
}

void spec_read(const char *path, struct spec *spec) {
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) fail_errno("open %s", path);
    if (fstat(fd, &status)) fail_errno("stat %s", path);
    if (!S_ISREG(status.st_mode) || status.st_size <= 0 || status.st_size > MAX_SPEC_BYTES) fail("spec: not a file of a sane size");
    size_t size = (size_t)status.st_size;
    char *text = malloc(size + 1);
    if (!text) fail("out of memory");
    if (read(fd, text, size) != (ssize_t)size) fail_errno("read %s", path);
    close(fd);
    if (text[size - 1]) fail("spec: the last record is cut off");
    for (char *at = text, *next; at < text + size; at = next) {
        next = at + strlen(at) + 1; // before the record is taken apart
        char *value = strchr(at, '=');
        if (!value) fail("spec: a record without '='");
        *value++ = 0;
        take(spec, at, value);
    }
    if (spec->uid == 0 || spec->gid == 0) fail("spec: the VMM needs an unprivileged uid and gid");
    if (!spec->argument_count) fail("spec: no program");
}
