#include "boot.h"

#include "../hook-folder.h"
#include "../identity-files.h"
#include "../identity.h"
#include "../text.h"
#include "cmdline.h"
#include "console.h"
#include "disk.h"
#include "modules.h"
#include "mounts.h"
#include "network.h"

#include <string.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <unistd.h>

#define ROOT_DEVICE "/dev/vda"
#define ROOT_TARGET "/root"
#define DEFAULT_HOSTNAME "offshoot"
#define AGENT_NICE (-10)

/* The agent is served first when processor time is short; its children are not (spawn_shed_privilege). Against the OOM killer it needs nothing:
 * that never takes PID 1 (linux: mm/oom_kill.c, oom_unkillable_task). */
static void protect(void)
{
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

/* The kernel's own for now. Bound already, so that a restored machine only has to write the file. */
static void bind_boot_id(void)
{
	char boot_id[64];
	if (text_read("/proc/sys/kernel/random/boot_id", boot_id, sizeof boot_id) < 0)
		return;
	boot_id[strcspn(boot_id, "\n")] = 0;
	if (identity_set_boot_id(NULL, boot_id) < 0)
		console_failed("boot_id");
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
	identity_files_link();
	name_machine(cmdline);
	bind_boot_id();
	hook_folder_warm();
}
