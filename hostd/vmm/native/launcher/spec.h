// What hostd asks of a launcher: `launch.spec` in the machine's folder, records `key=value` each ended by a NUL byte.
#ifndef SPEC_H
#define SPEC_H
#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/types.h>

#define MAX_FILES 48
#define MAX_WORDS 256

enum file_kind { FILE_LISTEN, FILE_TAP, FILE_READ, FILE_READ_WRITE, FILE_CONSOLE };

// One descriptor the VMM inherits under a fixed number.
struct spec_file {
    enum file_kind kind;
    int number; // what the VMM sees
    int fd;     // what the launcher holds
    const char *path;
};

struct spec_limit {
    int resource;
    rlim_t value;
};

struct spec {
    uid_t uid;
    gid_t gid;
    const char *netns; // NULL: a namespace of its own, empty
    struct spec_file files[MAX_FILES];
    size_t file_count;
    struct spec_limit limits[8];
    size_t limit_count;
    gid_t groups[4];
    size_t group_count;
    char *arguments[MAX_WORDS + 1];
    size_t argument_count;
    char *environment[MAX_WORDS + 1];
    size_t environment_count;
};

// Reads the spec; ends the launcher with a message when anything in it is not understood.
void spec_read(const char *path, struct spec *spec);

#endif
