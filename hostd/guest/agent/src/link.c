#include "link.h"

#include "agent.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* The kernel's port driver takes at most 32 KiB in one write (drivers/char/virtio_console.c, port_fops_write). */
#define WRITE_MAX (1u << 20)
#define RETRY_FIRST_MS 10
#define RETRY_MAX_MS 1000 /* only in case an event was missed: the driver wakes us when a host comes */
/* Edge-triggered: a port without a host reports EPOLLHUP for as long as it lasts. */
#define CARRIER_EVENTS ((uint32_t)(EPOLLIN | EPOLLET))

static void carrier_lost(struct agent *agent)
{
	struct link *link = &agent->link;
	if (link->kind == LINK_PORT) {
		link->retry_ms = link->retry_ms ? link->retry_ms * 2 : RETRY_FIRST_MS;
		if (link->retry_ms > RETRY_MAX_MS)
			link->retry_ms = RETRY_MAX_MS;
		loop_set_timer(&agent->loop, &link->retry, link->retry_ms);
		return;
	}
	loop_watch(&agent->loop, &link->carrier, 0);
	close(link->carrier.fd);
	link->carrier.fd = -1;
	session_reset(&agent->session);
	if (link->kind == LINK_FD)
		agent->loop.stopping = true;
}

/* Reads until the carrier has no more. */
static void drain(struct agent *agent)
{
	struct link *link = &agent->link;
	while (link->carrier.fd >= 0 && !agent->loop.stopping) {
		size_t space;
		uint8_t *place = decoder_space(&agent->session.decoder, &space);
		ssize_t got = read(link->carrier.fd, place, space);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno == EAGAIN) {
			link->retry_ms = 0;
			return;
		}
		if (got <= 0) {
			carrier_lost(agent);
			return;
		}
		link->retry_ms = 0;
		decoder_filled(&agent->session.decoder, (size_t)got);
		session_input(agent);
	}
}

static void carrier_ready(void *owner, uint32_t events)
{
	struct agent *agent = owner;
	if (events & (EPOLLOUT | EPOLLHUP | EPOLLERR))
		agent->link.write_blocked = false;
	drain(agent);
}

static void retry(void *owner)
{
	struct agent *agent = owner;
	agent->link.write_blocked = false;
	drain(agent);
}

void link_flush(struct agent *agent)
{
	struct link *link = &agent->link;
	struct session *session = &agent->session;
	while (link->carrier.fd >= 0 && !link->write_blocked) {
		if (session->out_at == session->out_len)
			session_fill(session);
		size_t left = session->out_len - session->out_at;
		if (left == 0)
			break;
		ssize_t put = write(link->carrier.fd, session->out + session->out_at, left < WRITE_MAX ? left : WRITE_MAX);
		if (put > 0) {
			session->out_at += (size_t)put;
			continue;
		}
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0 && errno != EAGAIN && link->kind != LINK_PORT) {
			carrier_lost(agent);
			return;
		}
		link->write_blocked = true;
	}
	if (link->carrier.fd >= 0)
		loop_watch(&agent->loop, &link->carrier, CARRIER_EVENTS | (link->write_blocked ? (uint32_t)EPOLLOUT : 0));
}

int link_open(struct agent *agent, enum link_kind kind, int fd)
{
	struct link *link = &agent->link;
	int flags = fcntl(fd, F_GETFL);
	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 || fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
		return -1;
	link->kind = kind;
	link->carrier = (struct watch){.fd = fd, .ready = carrier_ready, .owner = agent};
	link->retry.fire = retry;
	link->retry.owner = agent;
	link->write_blocked = false;
	session_reset(&agent->session);
	return loop_watch(&agent->loop, &link->carrier, CARRIER_EVENTS);
}

static void accept_client(void *owner, uint32_t events)
{
	struct agent *agent = owner;
	(void)events;
	int fd = accept4(agent->link.listener.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd < 0)
		return;
	if (agent->link.carrier.fd >= 0)
		carrier_lost(agent);
	link_open(agent, LINK_LISTENER, fd);
}

int link_listen(struct agent *agent, const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	if (strlen(path) >= sizeof address.sun_path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	strcpy(address.sun_path, path);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -1;
	unlink(path);
	if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || listen(fd, 4) < 0)
		return -1;
	agent->link.kind = LINK_LISTENER;
	agent->link.carrier.fd = -1;
	agent->link.listener = (struct watch){.fd = fd, .ready = accept_client, .owner = agent};
	return loop_watch(&agent->loop, &agent->link.listener, EPOLLIN);
}
