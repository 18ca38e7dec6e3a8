#include "arguments.h"
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static bool number(const char *text, unsigned long long most, unsigned long long *value) {
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && !*end && !errno && *value <= most;
}

static bool take(struct arguments *arguments, int option, const char *text) {
    unsigned long long value = 0;
    switch (option) {
    case 'p':
        if (!number(text, INT_MAX, &value) || value < 2) return false;
        arguments->pid = (pid_t)value;
        return true;
    case 't':
        return number(text, ULLONG_MAX, &arguments->start_ticks);
    case 'b':
        if (!number(text, INT_MAX, &value)) return false;
        arguments->base = (int)value;
        return true;
    case 'i':
        if (!number(text, INT_MAX, &value)) return false;
        arguments->image = (int)value;
        return true;
    case 'm':
        arguments->clone = !strcmp(text, "clone");
        return arguments->clone || !strcmp(text, "copy");
    case 'a':
        if (!number(text, 1ull << 40, &value)) return false;
        arguments->min_available_bytes = value << 20;
        return true;
    default:
        return false;
    }
}

bool read_arguments(int count, char **words, struct arguments *arguments, struct failure *failure) {
    static const struct option options[] = {
        {"pid", required_argument, 0, 'p'},      {"start-ticks", required_argument, 0, 't'}, {"base-fd", required_argument, 0, 'b'},
        {"image-fd", required_argument, 0, 'i'}, {"method", required_argument, 0, 'm'},      {"min-available-mib", required_argument, 0, 'a'},
        {"probe", no_argument, 0, 'P'},          {0, 0, 0, 0}};
    unsigned given = 0;
    *arguments = (struct arguments){.base = -1, .image = -1};
    opterr = 0;
    for (int option, at; at = -1, (option = getopt_long(count, words, "", options, &at)) >= 0;) {
        if (option == 'P') {
            arguments->probe = true;
            continue;
        }
        if (option == '?' || at < 0 || given & 1u << at) return failed(failure, "arguments", "not understood: %s", words[optind - 1]);
        given |= 1u << at;
        if (!take(arguments, option, optarg)) return failed(failure, "arguments", "--%s: not valid: %s", options[at].name, optarg);
    }
    if (optind < count) return failed(failure, "arguments", "not understood: %s", words[optind]);
    if (arguments->probe) return given == 0 || failed(failure, "arguments", "--probe stands alone");
    for (int at = 0; at < 6; at++)
        if (!(given & 1u << at)) return failed(failure, "arguments", "--%s is missing", options[at].name);
    if (fcntl(arguments->base, F_GETFD) < 0 || fcntl(arguments->image, F_GETFD) < 0)
        return failed(failure, "arguments", "a descriptor is not open");
    return true;
}
