/* A single-threaded event loop: descriptors by epoll, one-shot timers on CLOCK_MONOTONIC. */
#ifndef OFFSHOOT_LOOP_H
#define OFFSHOOT_LOOP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>

#define LOOP_BATCH 64

struct watch {
	int fd;
	uint32_t events; /* as registered; 0: not registered */
	void (*ready)(void *owner, uint32_t events);
	void *owner;
};

struct timer {
	uint64_t at_ms;
	void (*fire)(void *owner);
	void *owner;
	struct timer *next;
	bool set;
};

struct loop {
	int epoll_fd;
	struct timer *timers; /* soonest first */
	struct epoll_event batch[LOOP_BATCH];
	int batch_at, batch_len;
	bool stopping;
};

int loop_init(struct loop *loop);
/* Registers, changes or (events 0) removes a watch. A removed watch gets no event that was already collected. Returns 0 or -1. */
int loop_watch(struct loop *loop, struct watch *watch, uint32_t events);
void loop_set_timer(struct loop *loop, struct timer *timer, uint64_t after_ms);
void loop_clear_timer(struct loop *loop, struct timer *timer);
/* Runs until loop->stopping; after every batch of events calls `settle`. */
void loop_run(struct loop *loop, void (*settle)(void *owner), void *owner);
uint64_t loop_now_ms(void);

#endif
