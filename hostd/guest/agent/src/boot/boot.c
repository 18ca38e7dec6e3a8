#include "boot.h"

#include "../identity.h"
#include "../text.h"
#include "cmdline.h"
#include "console.h"
#include "disk.h"
#include "modules.h"
#include "mounts.h"
#include "network.h"

#include <sys/reboot.h>
#include <sys/resource.h>
#include <unistd.h>

#define ROOT_DEVICE "/dev/vda"
#define ROOT_TARGET "/root"
#define DEFAULT_HOSTNAME "offshoot"
#define AGENT_NICE (-10)

/* The agent stays when the machine is short of memory or of processor time; its children give both up (spawn_shed_privilege). */
static void protect(void)
{
	if (text_poke("/proc/self/oom_score_adj", "-1000") < 0)
		console_failed("oom_score_adj");
	if (setpriority(PRIO_PROCESS, 0, AGENT_NICE) < 0)
		console_failed("priority");
	reboot(RB_DISABLE_CAD);
}

static void name_machine(const char *cmdline)
{
	char value[256];
	if (!cmdline_value(cmdline, "offshoot.hostname", value, sizeof value) || identity_set_hostname(NULL, value) < 0)
		if (identity_set_hostname(NULL, DEFAULT_HOSTNAME) < 0)
			console_failed("hostname");
	if (!cmdline_value(cmdline, "offshoot.nameserver", value, sizeof value) && !cmdline_value(cmdline, "offshoot.gateway", value, sizeof value))
		return;
	if (identity_set_nameserver(NULL, value) < 0)
		console_failed("/etc/resolv.conf");
}

void boot_up(void)
{
	char cmdline[4096];
	mounts_early();
	if (text_read("/proc/cmdline", cmdline, sizeof cmdline) < 0)
		cmdline[0] = 0;
	modules_load("/modules.list");
	if (disk_mount(ROOT_DEVICE, ROOT_TARGET) < 0)
		console_die("root disk " ROOT_DEVICE);
	mounts_switch_root(ROOT_TARGET);
	mounts_late();
	protect();
	network_up(cmdline);
	name_machine(cmdline);
}
