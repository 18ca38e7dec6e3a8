/* Unit tests of src/loop.c: timers in order, and no event for a watch that went away in the same batch. */
#include "../src/loop.h"
#include "support/check.h"

#include <string.h>
#include <unistd.h>

static struct loop loop;
static char order[16];
static struct watch watches[2];
static int hits;

static void note(void *owner)
{
	strcat(order, owner);
	if (*(char *)owner == 'z')
		loop.stopping = true;
}

static void settle(void *owner)
{
	++*(int *)owner;
}

static void timers(void)
{
	int settled = 0;
	struct timer t[] = {{.fire = note, .owner = "c"}, {.fire = note, .owner = "a"}, {.fire = note, .owner = "x"}, {.fire = note, .owner = "b"},
		{.fire = note, .owner = "z"}};
	CHECK(loop_init(&loop) == 0);
	uint64_t began = loop_now_ms();
	loop_set_timer(&loop, &t[0], 30);
	loop_set_timer(&loop, &t[1], 500);
	loop_set_timer(&loop, &t[2], 5);
	loop_set_timer(&loop, &t[3], 20);
	loop_set_timer(&loop, &t[4], 40);
	loop_set_timer(&loop, &t[1], 10);
	loop_clear_timer(&loop, &t[2]);
	loop_clear_timer(&loop, &t[2]);
	loop_run(&loop, settle, &settled);
	CHECK(strcmp(order, "abcz") == 0 && settled > 0 && !t[0].set && !loop.timers);
	CHECK(loop_now_ms() - began >= 40);
	close(loop.epoll_fd);
}

static void remove_other(void *owner, uint32_t events)
{
	struct watch *other = owner;
	(void)events;
	hits++;
	loop_watch(&loop, other, 0);
	loop.stopping = true;
}

static void watches_removed(void)
{
	int a[2], b[2], settled = 0;
	CHECK(loop_init(&loop) == 0 && pipe(a) == 0 && pipe(b) == 0);
	watches[0] = (struct watch){.fd = a[0], .ready = remove_other, .owner = &watches[1]};
	watches[1] = (struct watch){.fd = b[0], .ready = remove_other, .owner = &watches[0]};
	CHECK(loop_watch(&loop, &watches[0], EPOLLIN) == 0 && loop_watch(&loop, &watches[1], EPOLLIN) == 0);
	CHECK(write(a[1], "x", 1) == 1 && write(b[1], "x", 1) == 1);
	loop_run(&loop, settle, &settled);
	CHECK(hits == 1 && settled == 1);
	struct watch closed = {.fd = 9999, .ready = remove_other};
	CHECK(loop_watch(&loop, &closed, EPOLLIN) < 0 && closed.events == 0);
}

int main(void)
{
	timers();
	watches_removed();
	return 0;
}
