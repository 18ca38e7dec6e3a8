/* Unit tests of what the boot reads: src/boot/cmdline.c and the addresses of src/boot/network.c. */
#include "../src/boot/cmdline.h"
#include "../src/boot/network.h"
#include "support/check.h"

#include <arpa/inet.h>
#include <string.h>

static void cmdline(void)
{
	char value[16];
	const char *line = "quiet offshoot.address=10.0.0.2/30 offshoot.mtu=1500  x=offshoot.mtu=9 offshoot.mtu=1400\toffshoot.empty= offshoot.long=0123456789abcdef\n";
	CHECK(cmdline_value(line, "offshoot.address", value, sizeof value) && strcmp(value, "10.0.0.2/30") == 0);
	CHECK(cmdline_value(line, "offshoot.mtu", value, sizeof value) && strcmp(value, "1400") == 0);
	CHECK(!cmdline_value(line, "offshoot.empty", value, sizeof value));
	CHECK(!cmdline_value(line, "offshoot.long", value, sizeof value));
	CHECK(!cmdline_value(line, "offshoot", value, sizeof value));
	CHECK(!cmdline_value(line, "mtu", value, sizeof value));
	CHECK(!cmdline_value(line, "quiet", value, sizeof value));
	CHECK(!cmdline_value("", "quiet", value, sizeof value));
}

static void addresses(void)
{
	struct network_address a;
	CHECK(network_parse("10.1.2.3/30", &a) && a.address == inet_addr("10.1.2.3") && a.netmask == inet_addr("255.255.255.252"));
	CHECK(network_parse("10.1.2.3/0", &a) && a.netmask == 0);
	CHECK(network_parse("10.1.2.3/32", &a) && a.netmask == 0xffffffff);
	static const char *const bad[] = {"10.1.2.3", "10.1.2.3/", "10.1.2.3/33", "10.1.2/24", "10.1.2.3/-1", "10.1.2.3/2x", "/24", "", "10.1.2.3.4.5.6.7.8/24", "10.1.2.3/99999999999"};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		CHECK(!network_parse(bad[i], &a));
}

int main(void)
{
	cmdline();
	addresses();
	return 0;
}
