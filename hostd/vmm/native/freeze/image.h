// The new image: what the base has, and over it every page that the source touched.
#ifndef IMAGE_H
#define IMAGE_H
#include "failure.h"
#include "source.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#define WRITE_TOUCHED 1
#define WRITE_BASE 2
#define WRITERS 2

struct image {
    int base, target;
    // pagemap and mem of the process that is read: the duplicate, or the source while it stands still.
    int pagemap, memory;
    struct guest_memory guest;
    uint64_t pages;
    // The base's data came by reflink, and only touched pages are to be written.
    bool reflinked;
    // One bit a page.
    unsigned char *touched, *base_data;
    int parts, finished;
    atomic_ulong next_window, touched_pages, data_pages;
    atomic_bool stop, has_failed;
    struct failure failure;
    pthread_t writers[WRITERS];
};

// Gives the target its size, and the base's content where the file system can share it.
bool prepare_image(struct image *image, struct failure *failure);
// Starts threads that write `parts`; each puts 1 into the eventfd `finished` when it ends.
bool start_writers(struct image *image, int parts, struct failure *failure);
// Waits for them; false when one failed or stop was set.
bool join_writers(struct image *image, struct failure *failure);

#endif
