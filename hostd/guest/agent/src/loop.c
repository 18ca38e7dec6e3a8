#include "loop.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <time.h>

uint64_t loop_now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

int loop_init(struct loop *loop)
{
	*loop = (struct loop){.epoll_fd = epoll_create1(EPOLL_CLOEXEC)};
	return loop->epoll_fd < 0 ? -1 : 0;
}

static void forget_collected(struct loop *loop, const struct watch *watch)
{
	for (int i = loop->batch_at; i < loop->batch_len; i++)
		if (loop->batch[i].data.ptr == watch)
			loop->batch[i].data.ptr = NULL;
}

int loop_watch(struct loop *loop, struct watch *watch, uint32_t events)
{
	if (events == watch->events)
		return 0;
	struct epoll_event event = {.events = events, .data.ptr = watch};
	int op = events == 0 ? EPOLL_CTL_DEL : watch->events == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
	if (op == EPOLL_CTL_DEL)
		forget_collected(loop, watch);
	watch->events = events;
	if (epoll_ctl(loop->epoll_fd, op, watch->fd, &event) == 0)
		return 0;
	if (op == EPOLL_CTL_ADD)
		watch->events = 0;
	return -1;
}

void loop_set_timer(struct loop *loop, struct timer *timer, uint64_t after_ms)
{
	loop_clear_timer(loop, timer);
	timer->at_ms = loop_now_ms() + after_ms;
	timer->set = true;
	struct timer **place = &loop->timers;
	while (*place && (*place)->at_ms <= timer->at_ms)
		place = &(*place)->next;
	timer->next = *place;
	*place = timer;
}

void loop_clear_timer(struct loop *loop, struct timer *timer)
{
	if (!timer->set)
		return;
	struct timer **place = &loop->timers;
	while (*place != timer)
		place = &(*place)->next;
	*place = timer->next;
	timer->set = false;
}

static int wait_ms(const struct loop *loop)
{
	if (!loop->timers)
		return -1;
	uint64_t now = loop_now_ms();
	if (loop->timers->at_ms <= now)
		return 0;
	uint64_t left = loop->timers->at_ms - now;
	return left > INT_MAX ? INT_MAX : (int)left;
}

static void fire_timers(struct loop *loop)
{
	uint64_t now = loop->timers ? loop_now_ms() : 0;
	while (loop->timers && loop->timers->at_ms <= now) {
		struct timer *timer = loop->timers;
		loop_clear_timer(loop, timer);
		timer->fire(timer->owner);
	}
}

void loop_run(struct loop *loop, void (*settle)(void *owner), void *owner)
{
	while (!loop->stopping) {
		int count = epoll_wait(loop->epoll_fd, loop->batch, LOOP_BATCH, wait_ms(loop));
		loop->batch_len = count > 0 ? count : 0;
		for (loop->batch_at = 0; loop->batch_at < loop->batch_len;) {
			struct epoll_event event = loop->batch[loop->batch_at++];
			struct watch *watch = event.data.ptr;
			if (watch)
				watch->ready(watch->owner, event.events);
		}
		loop->batch_len = 0;
		fire_timers(loop);
		settle(owner);
	}
}
