#define _GNU_SOURCE
#include "image.h"
#include "faults.h"
#include <errno.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define WINDOW_PAGES 1024ul
#define RUN_PAGES 64ul
#define PRESENT (1ull << 63)
#define SWAPPED (1ull << 62)
#define OF_FILE (1ull << 61)

static bool has(const unsigned char *bits, uint64_t page) {
    return bits[page / 8] >> page % 8 & 1;
}

static void set(unsigned char *bits, uint64_t page) {
    bits[page / 8] = (unsigned char)(bits[page / 8] | 1u << page % 8);
}

static bool read_base_data(struct image *image, struct failure *failure) {
    off_t size = (off_t)image->guest.bytes;
    for (off_t at = 0; at < size;) {
        off_t data = lseek(image->base, at, SEEK_DATA);
        if (data < 0 && errno == ENXIO) break;
        off_t hole = data < 0 ? -1 : lseek(image->base, data, SEEK_HOLE);
        if (hole < 0) return failed_errno(failure, "image", "extents of the base");
        for (uint64_t page = (uint64_t)data / PAGE_BYTES; page * PAGE_BYTES < (uint64_t)hole && page < image->pages; page++) set(image->base_data, page);
        at = hole;
    }
    return true;
}

bool prepare_image(struct image *image, struct failure *failure) {
    image->pages = image->guest.bytes / PAGE_BYTES;
    size_t bits = image->pages / 8 + 1;
    unsigned char *both = mmap(NULL, 2 * bits, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (both == MAP_FAILED) return failed_errno(failure, "image", "page bits");
    image->touched = both;
    image->base_data = both + bits;
    image->finished = eventfd(0, EFD_CLOEXEC);
    if (image->finished < 0) return failed_errno(failure, "image", "eventfd");
    if (!read_base_data(image, failure)) return false;
    image->reflinked = !ioctl(image->target, FICLONE, image->base);
    if (fault("truncate") || ftruncate(image->target, (off_t)image->guest.bytes)) return failed_errno(failure, "image", "set the size");
    return true;
}

static bool is_zero(const unsigned char *page) {
    return page[0] == 0 && !memcmp(page, page + 1, PAGE_BYTES - 1);
}

static bool put(struct image *image, const unsigned char *bytes, uint64_t page, uint64_t count, struct failure *failure) {
    size_t length = count * PAGE_BYTES;
    off_t at = (off_t)(page * PAGE_BYTES);
    if (fault("space")) {
        errno = ENOSPC;
        return failed_errno(failure, "write", "image");
    }
    while (length) {
        ssize_t written = pwrite(image->target, bytes, length, at);
        if (written <= 0) return failed_errno(failure, "write", "image");
        bytes += written;
        at += written;
        length -= (size_t)written;
    }
    image->data_pages += count;
    return true;
}

// A zero page is left out where nothing stands in the image yet.
static bool put_touched(struct image *image, const unsigned char *bytes, uint64_t page, uint64_t count, struct failure *failure) {
    uint64_t from = 0;
    for (uint64_t at = 0; at <= count; at++) {
        bool hole = at < count && is_zero(bytes + at * PAGE_BYTES) && !(image->reflinked && has(image->base_data, page + at));
        if (at < count && !hole) continue;
        if (at > from && !put(image, bytes + from * PAGE_BYTES, page + from, at - from, failure)) return false;
        from = at + 1;
    }
    return true;
}

static bool copy_touched(struct image *image, unsigned char *buffer, uint64_t page, uint64_t count, struct failure *failure) {
    ssize_t length = pread(image->memory, buffer, count * PAGE_BYTES, (off_t)(image->guest.start + page * PAGE_BYTES));
    if (fault("read")) length = -1;
    if (length == 0) return failed(failure, "gone", "its memory is gone");
    if (length < 0) return failed_errno(failure, "read", "memory");
    if ((uint64_t)length != count * PAGE_BYTES) return failed(failure, "read", "memory: short");
    return put_touched(image, buffer, page, count, failure);
}

static bool copy_base(struct image *image, unsigned char *buffer, uint64_t page, uint64_t count, struct failure *failure) {
    if (image->reflinked) {
        image->data_pages += count;
        return true;
    }
    ssize_t length = pread(image->base, buffer, count * PAGE_BYTES, (off_t)(page * PAGE_BYTES));
    if (length < 0) return failed_errno(failure, "read", "base image");
    if ((uint64_t)length != count * PAGE_BYTES) return failed(failure, "read", "base image: short");
    return put(image, buffer, page, count, failure);
}

static bool note_touched(struct image *image, uint64_t first, uint64_t count, struct failure *failure) {
    uint64_t entries[WINDOW_PAGES], found = 0;
    off_t at = (off_t)((image->guest.start / PAGE_BYTES + first) * sizeof entries[0]);
    ssize_t length = pread(image->pagemap, entries, count * sizeof entries[0], at);
    if (length < 0) return failed_errno(failure, "read", "pagemap");
    if ((uint64_t)length != count * sizeof entries[0]) return failed(failure, "gone", "its memory is gone");
    for (uint64_t page = 0; page < count; page++) {
        if (!(entries[page] & (PRESENT | SWAPPED)) || entries[page] & OF_FILE) continue;
        set(image->touched, first + page);
        found++;
    }
    image->touched_pages += found;
    return true;
}

static int part_of(const struct image *image, uint64_t page) {
    if (has(image->touched, page)) return WRITE_TOUCHED;
    return has(image->base_data, page) ? WRITE_BASE : 0;
}

static bool write_window(struct image *image, unsigned char *buffer, uint64_t first, struct failure *failure) {
    uint64_t end = first + WINDOW_PAGES < image->pages ? first + WINDOW_PAGES : image->pages;
    if (image->parts & WRITE_TOUCHED && !note_touched(image, first, end - first, failure)) return false;
    for (uint64_t page = first, next; page < end; page = next) {
        int part = part_of(image, page);
        next = page + 1;
        while (next < end && next - page < RUN_PAGES && part_of(image, next) == part) next++;
        if (!(part & image->parts)) continue;
        if (part == WRITE_TOUCHED && !copy_touched(image, buffer, page, next - page, failure)) return false;
        if (part == WRITE_BASE && !copy_base(image, buffer, page, next - page, failure)) return false;
    }
    return true;
}

static void *write_windows(void *given) {
    struct image *image = given;
    static _Thread_local unsigned char buffer[RUN_PAGES * PAGE_BYTES];
    struct failure failure;
    while (!image->stop) {
        uint64_t first = image->next_window++ * WINDOW_PAGES;
        if (first >= image->pages) break;
        if (write_window(image, buffer, first, &failure)) continue;
        if (!atomic_exchange(&image->has_failed, true)) image->failure = failure;
        image->stop = true;
    }
    eventfd_write(image->finished, 1);
    return NULL;
}

bool start_writers(struct image *image, int parts, struct failure *failure) {
    image->parts = parts;
    image->next_window = 0;
    for (int at = 0; at < WRITERS; at++) {
        errno = fault("thread") ? EAGAIN : pthread_create(&image->writers[at], NULL, write_windows, image);
        if (!errno) continue;
        image->stop = true;
        while (at-- > 0) pthread_join(image->writers[at], NULL);
        return failed_errno(failure, "write", "thread");
    }
    return true;
}

bool join_writers(struct image *image, struct failure *failure) {
    for (int at = 0; at < WRITERS; at++) pthread_join(image->writers[at], NULL);
    if (!image->has_failed) return !image->stop || failed(failure, "given-up", "stopped");
    *failure = image->failure;
    return false;
}
