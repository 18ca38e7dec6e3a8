#define _GNU_SOURCE
#include "gadgets.h"
#include "source.h"
#include <string.h>
#include <unistd.h>

#define CHUNK_BYTES 65536
#define OVERLAP_BYTES 16

static void look(const unsigned char *text, size_t length, uint64_t address, struct gadgets *gadgets) {
    static const unsigned char system_call[] = {0x0f, 0x05, 0xc3};
    static const unsigned char long_move[] = {0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05};
    static const unsigned char short_move[] = {0xb8, 15, 0, 0, 0, 0x0f, 0x05};
    const unsigned char *found;
    if (!gadgets->system_call && (found = memmem(text, length, system_call, sizeof system_call)))
        gadgets->system_call = address + (uint64_t)(found - text);
    if (gadgets->signal_return) return;
    found = memmem(text, length, long_move, sizeof long_move);
    if (!found) found = memmem(text, length, short_move, sizeof short_move);
    if (found) gadgets->signal_return = address + (uint64_t)(found - text);
}

static void search(int memory, const struct mapping *mapping, struct gadgets *gadgets) {
    static unsigned char text[CHUNK_BYTES];
    for (uint64_t at = mapping->start; at < mapping->end; at += CHUNK_BYTES - OVERLAP_BYTES) {
        uint64_t left = mapping->end - at;
        ssize_t length = pread(memory, text, left < CHUNK_BYTES ? left : CHUNK_BYTES, (off_t)at);
        if (length <= 0) return;
        look(text, (size_t)length, at, gadgets);
        if (gadgets->system_call && gadgets->signal_return) return;
    }
}

// The C library has both as a rule, so it comes first.
bool find_gadgets(pid_t pid, int memory, struct gadgets *gadgets, struct failure *failure) {
    static const char *const places[] = {"/libc.so", ""};
    struct mapping mapping;
    *gadgets = (struct gadgets){0};
    for (int pass = 0; pass < 2 && !(gadgets->system_call && gadgets->signal_return); pass++) {
        FILE *maps = open_maps(pid, failure);
        if (!maps) return false;
        while (next_mapping(maps, &mapping)) {
            if (!strcmp(mapping.path, "[stack]")) gadgets->stack_start = mapping.start, gadgets->stack_end = mapping.end;
            if (gadgets->system_call && gadgets->signal_return) continue;
            if (!strcmp(mapping.permissions, "r-xp") && mapping.inode && strstr(mapping.path, places[pass])) search(memory, &mapping, gadgets);
        }
        fclose(maps);
    }
    if (!gadgets->system_call || !gadgets->signal_return) return failed(failure, "gadgets", "the source's code has no place to inject calls through");
    return gadgets->stack_end || failed(failure, "gadgets", "the source's main thread has no stack");
}
