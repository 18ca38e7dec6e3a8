#include "network.h"

#include "../text.h"
#include "cmdline.h"
#include "console.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <net/route.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define INTERFACE "eth0"
#define WAIT_STEP_MS 2
#define WAIT_MAX_MS 3000
#define MTU_MIN 576
#define MTU_MAX 65535

bool network_parse(const char *text, struct network_address *out)
{
	char address[INET_ADDRSTRLEN];
	const char *slash = strchr(text, '/');
	if (!slash || (size_t)(slash - text) >= sizeof address || strspn(slash + 1, "0123456789") != strlen(slash + 1) || !slash[1])
		return false;
	memcpy(address, text, (size_t)(slash - text));
	address[slash - text] = 0;
	unsigned long prefix = strtoul(slash + 1, NULL, 10);
	if (prefix > 32 || inet_pton(AF_INET, address, &out->address) != 1)
		return false;
	out->netmask = prefix ? htonl(~0u << (32 - prefix)) : 0;
	return true;
}

static void put_address(struct sockaddr *place, uint32_t address)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = address};
	memcpy(place, &in, sizeof in);
}

static struct ifreq request_for(const char *name)
{
	struct ifreq request = {0};
	snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
	return request;
}

static int set_up(int fd, const char *name)
{
	struct ifreq request = request_for(name);
	if (ioctl(fd, SIOCGIFFLAGS, &request) < 0)
		return -1;
	request.ifr_flags |= IFF_UP | IFF_RUNNING;
	return ioctl(fd, SIOCSIFFLAGS, &request);
}

static int wait_for(int fd, const char *name)
{
	struct timespec step = {.tv_nsec = WAIT_STEP_MS * 1000000};
	for (int waited = 0; waited < WAIT_MAX_MS; waited += WAIT_STEP_MS) {
		struct ifreq request = request_for(name);
		if (ioctl(fd, SIOCGIFINDEX, &request) == 0)
			return 0;
		nanosleep(&step, NULL);
	}
	return -1;
}

static int set_address(int fd, const struct network_address *address)
{
	struct ifreq request = request_for(INTERFACE);
	put_address(&request.ifr_addr, address->address);
	if (ioctl(fd, SIOCSIFADDR, &request) < 0)
		return -1;
	put_address(&request.ifr_netmask, address->netmask);
	return ioctl(fd, SIOCSIFNETMASK, &request);
}

static int set_mtu(int fd, unsigned long mtu)
{
	struct ifreq request = request_for(INTERFACE);
	if (mtu < MTU_MIN || mtu > MTU_MAX) {
		errno = EINVAL;
		return -1;
	}
	request.ifr_mtu = (int)mtu;
	return ioctl(fd, SIOCSIFMTU, &request);
}

static int set_gateway(int fd, const char *gateway)
{
	struct rtentry route = {.rt_flags = RTF_UP | RTF_GATEWAY};
	uint32_t address;
	if (inet_pton(AF_INET, gateway, &address) != 1) {
		errno = EINVAL;
		return -1;
	}
	put_address(&route.rt_dst, 0);
	put_address(&route.rt_genmask, 0);
	put_address(&route.rt_gateway, address);
	return ioctl(fd, SIOCADDRT, &route);
}

static void bring_up(int fd, const char *cmdline, const char *address_text)
{
	struct network_address address;
	char value[64];
	if (!network_parse(address_text, &address)) {
		console_say("offshoot.address is not A.B.C.D/PREFIX");
		return;
	}
	if (wait_for(fd, INTERFACE) < 0) {
		console_failed(INTERFACE);
		return;
	}
	if (text_poke("/proc/sys/net/ipv6/conf/" INTERFACE "/disable_ipv6", "1") < 0 && errno != ENOENT)
		console_failed("disabling IPv6");
	if (cmdline_value(cmdline, "offshoot.mtu", value, sizeof value) && set_mtu(fd, strtoul(value, NULL, 10)) < 0)
		console_failed("offshoot.mtu");
	if (set_address(fd, &address) < 0 || set_up(fd, INTERFACE) < 0)
		console_failed("offshoot.address");
	if (cmdline_value(cmdline, "offshoot.gateway", value, sizeof value) && set_gateway(fd, value) < 0)
		console_failed("offshoot.gateway");
}

void network_up(const char *cmdline)
{
	char address[64];
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || set_up(fd, "lo") < 0)
		console_failed("lo");
	if (fd >= 0 && cmdline_value(cmdline, "offshoot.address", address, sizeof address))
		bring_up(fd, cmdline, address);
	if (fd >= 0)
		close(fd);
}
