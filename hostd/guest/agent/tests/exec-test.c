/* The exec kind, driven through the program: commands, errors, input, terminals, signals, timeouts, ends. */
#include "support/check.h"
#include "support/driver.h"

#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct driver d;
static struct outcome o;

#define RUN(...) (outcome_free(&o), driver_run(&d, &o, "kind=exec", __VA_ARGS__, NULL))
#define SHELL(text, ...) RUN("shell=" text, ##__VA_ARGS__)
#define EXITED(code) (fields_flag(&o.end, "ok") && fields_are(&o.end, "exit-code", code))
#define REFUSED(code) (fields_are(&o.end, "error", code) && *fields_string(&o.end, "message", ""))

static void results(void)
{
	SHELL("echo out; echo err >&2; exit 7");
	CHECK(EXITED("7") && outcome_is(&o, 1, "out\n") && outcome_is(&o, 2, "err\n"));
	RUN("arg=printf", "arg=%s|", "arg=a b", "arg=$HOME", "arg=");
	CHECK(EXITED("0") && outcome_is(&o, 1, "a b|$HOME||"));
	SHELL("kill -TERM $$");
	CHECK(fields_are(&o.end, "signal", "15") && !fields_find(&o.end, "exit-code") && !fields_find(&o.end, "timed-out"));
	SHELL("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done");
	CHECK(fields_number(&o.end, "user-us") + fields_number(&o.end, "system-us") > 0 && fields_number(&o.end, "max-rss-kib") > 0);
	SHELL("cat; readlink /proc/self/fd/0");
	CHECK(outcome_is(&o, 1, "/dev/null\n"));
	SHELL("ls /proc/self/fd | tr '\\n' ' '");
	CHECK(outcome_is(&o, 1, "0 1 2 3 "));
	/* Signals 32 and 33 are the C library's own: what a test's surroundings made of them stays. */
	SHELL("grep -E 'Sig(Blk|Ign)' /proc/self/status | grep -c '0000000$'");
	CHECK(outcome_is(&o, 1, "2\n"));
}

static void interleaving(void)
{
	SHELL("for i in 1 2 3 4 5; do echo $i; sleep 0.02; echo $i >&2; sleep 0.02; done");
	CHECK(outcome_is(&o, 1, "1\n2\n3\n4\n5\n") && outcome_is(&o, 2, "1\n2\n3\n4\n5\n") && o.end_offset == 20);
}

static void refusals(void)
{
	RUN("arg=no-such-command-here");
	CHECK(REFUSED("command-not-found") && fields_are(&o.end, "exit-code", "127") && !fields_flag(&o.end, "ok"));
	RUN("arg=./no/such");
	CHECK(REFUSED("command-not-found"));
	RUN("arg=/etc/passwd");
	CHECK(REFUSED("not-executable") && fields_are(&o.end, "exit-code", "126"));
	RUN("arg=/tmp");
	CHECK(REFUSED("not-executable"));
	RUN("arg=true", "cwd=/no/such/folder");
	CHECK(REFUSED("cwd-missing") && !fields_find(&o.end, "exit-code"));
	RUN("arg=true", "cwd=/etc/passwd");
	CHECK(REFUSED("cwd-missing"));
	RUN("arg=true", "user=no-such-user");
	CHECK(REFUSED("user-missing"));
	RUN("arg=");
	CHECK(REFUSED("command-not-found"));
	RUN("cwd=/");
	CHECK(REFUSED("invalid"));
	RUN("arg=true", "shell=true");
	CHECK(REFUSED("invalid"));
	RUN("arg=true", "env=novalue");
	CHECK(REFUSED("invalid"));
	RUN("arg=true", "env==x");
	CHECK(REFUSED("invalid"));
	RUN("arg=true", "timeout-ms=soon");
	CHECK(REFUSED("invalid"));
	RUN("arg=true", "pty=1", "rows=70000");
	CHECK(REFUSED("invalid"));
}

static void run_raw(const char *key, const void *value, size_t len)
{
	struct fields_out fields = {0};
	fields_put_string(&fields, "kind", "exec");
	if (strcmp(key, "shell") != 0)
		fields_put_string(&fields, "arg", "true");
	fields_put(&fields, key, value, len);
	outcome_free(&o);
	driver_finish(&d, driver_open_fields(&d, DRIVER_WINDOW, &fields), &o);
	fields_out_free(&fields);
}

static void sizes(void)
{
	static char text[310000];
	run_raw("arg", "a\0b", 3);
	CHECK(REFUSED("invalid"));
	run_raw("env", "A=a\0b", 5);
	CHECK(REFUSED("invalid"));
	run_raw("cwd", "/\0x", 3);
	CHECK(REFUSED("cwd-missing"));
	run_raw("user", "root\0", 5);
	CHECK(REFUSED("user-missing"));
	memset(text, 'x', sizeof text);
	run_raw("arg", text, 131072);
	CHECK(REFUSED("spawn-failed") && strstr(fields_string(&o.end, "message", ""), "128 KiB"));
	run_raw("arg", text, 131071);
	CHECK(EXITED("0"));
	memcpy(text, "A=", 2);
	run_raw("env", text, 1 << 18);
	CHECK(REFUSED("spawn-failed") && strstr(fields_string(&o.end, "message", ""), "128 KiB"));
	/* A long script runs from a sealed memory file, with nothing spliced into a shell line. */
	memset(text, '#', sizeof text);
	static const char tail[] = "\necho \"$0 $#\"; head -c 5 <&3; echo no >/proc/self/fd/3 || echo sealed\n";
	memcpy(text + sizeof text - sizeof tail, tail, sizeof tail - 1);
	run_raw("shell", text, sizeof text - 1);
	CHECK(EXITED("0") && o.bytes[1] && memmem(o.bytes[1], o.len[1], "/proc/self/fd/3 0\n", 18) && memmem(o.bytes[1], o.len[1], "sealed\n", 7));
}

static void all_arguments_too_long(void)
{
	struct fields_out fields = {0};
	static char text[100000];
	memset(text, 'x', sizeof text);
	fields_put_string(&fields, "kind", "exec");
	fields_put_string(&fields, "arg", "true");
	for (int i = 0; i < 20; i++)
		fields_put(&fields, "arg", text, sizeof text);
	/* Linux takes a quarter of the stack limit, at least 128 KiB: 2 MB is near the usual one. */
	fields_put(&fields, "arg", text, 90000);
	outcome_free(&o);
	driver_finish(&d, driver_open_fields(&d, DRIVER_WINDOW, &fields), &o);
	CHECK(EXITED("0") || (REFUSED("spawn-failed") && strstr(fields_string(&o.end, "message", ""), "ARG_MAX")));
	fields_put(&fields, "arg", text, sizeof text);
	outcome_free(&o);
	driver_finish(&d, driver_open_fields(&d, DRIVER_WINDOW, &fields), &o);
	CHECK(REFUSED("invalid"));
	fields_out_free(&fields);
}

static void surroundings(void)
{
	char expected[128];
	SHELL("pwd");
	snprintf(expected, sizeof expected, "%s\n", d.workspace);
	CHECK(outcome_is(&o, 1, expected));
	SHELL("pwd; umask; ulimit -n", "cwd=/usr");
	CHECK(strncmp((char *)o.bytes[1], "/usr\n0022\n", 10) == 0);
	SHELL("echo $A-$LANG-$USER-$TERM", "env=A=x", "env=A=y z", "env=USER=me");
	CHECK(outcome_is(&o, 1, "y z-C.UTF-8-me-\n"));
	RUN("arg=tool", "env=PATH=/nonexistent");
	CHECK(REFUSED("command-not-found"));
	SHELL("printf '#!/bin/sh\\necho mine $1' >tool; chmod 755 tool");
	snprintf(expected, sizeof expected, "env=PATH=/nonexistent:%s", d.workspace);
	RUN("arg=tool", "arg=2", expected);
	CHECK(EXITED("0") && outcome_is(&o, 1, "mine 2\n"));
	SHELL("printf '#!/no/such/interpreter\\n' >broken; chmod 755 broken; printf 'junk' >junk; chmod 755 junk");
	RUN("arg=./broken");
	CHECK(REFUSED("not-executable") && strstr(fields_string(&o.end, "message", ""), "interpreter"));
	RUN("arg=./junk");
	CHECK(REFUSED("not-executable"));
}

static void other_user(void)
{
	if (geteuid() != 0)
		return;
	chmod(d.workspace, 0755);
	SHELL("id -u; id -g; id -G; echo again >/dev/stdout; cat /proc/self/oom_score_adj", "user=4242:4243");
	CHECK(EXITED("0") && outcome_is(&o, 1, "4242\n4243\n4243\nagain\n0\n"));
	SHELL("id -un; echo $HOME", "user=nobody");
	CHECK(EXITED("0") && strncmp((char *)o.bytes[1], "nobody\n", 7) == 0);
	SHELL("touch x", "user=nobody");
	CHECK(EXITED("1"));
	SHELL("mkdir secret; chmod 700 secret");
	char cwd[128];
	snprintf(cwd, sizeof cwd, "cwd=%s/secret", d.workspace);
	RUN("arg=true", "user=nobody", cwd);
	CHECK(REFUSED("cwd-missing"));
}

/* Sends bytes as far as the agent's limit allows, then EOF. */
static uint32_t open_with_input(const char *shell, const void *bytes, size_t len)
{
	uint32_t id = driver_open(&d, DRIVER_WINDOW, "kind=exec", "stdin=1", shell, NULL);
	CHECK(len <= 65536);
	for (size_t at = 0; at < len; at += FRAME_IN_MAX)
		driver_send(&d, FRAME_DATA, id, at, (const char *)bytes + at, len - at < FRAME_IN_MAX ? len - at : FRAME_IN_MAX);
	return id;
}

static void input(void)
{
	static char bytes[65536];
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (char)(i * 7 + i / 256);
	uint32_t id = open_with_input("shell=cat", bytes, sizeof bytes);
	driver_send(&d, FRAME_EOF, id, sizeof bytes, NULL, 0);
	outcome_free(&o);
	driver_finish(&d, id, &o);
	CHECK(EXITED("0") && o.len[1] == sizeof bytes && memcmp(o.bytes[1], bytes, sizeof bytes) == 0);

	/* Input that nobody reads does not stop the end, and is granted anew once its reader is gone. */
	id = open_with_input("shell=exec <&-; sleep 0.3; echo over", bytes, sizeof bytes);
	uint64_t granted = 0;
	while (granted < 2 * sizeof bytes) {
		driver_await(&d, FRAME_ACK, id);
		memcpy(&granted, d.payload, 8);
	}
	driver_send(&d, FRAME_DATA, id, sizeof bytes, bytes, 1000);
	driver_send(&d, FRAME_EOF, id, sizeof bytes + 1000, NULL, 0);
	outcome_free(&o);
	driver_finish(&d, id, &o);
	CHECK(EXITED("0") && outcome_is(&o, 1, "over\n"));
}

static void terminal(void)
{
	uint32_t id = driver_open(&d, DRIVER_WINDOW, "kind=exec", "pty=1", "rows=30", "cols=101", "shell=stty size; tty >/dev/null && echo tty $TERM; read x; echo got $x >&2; stty size; read y || echo eof", NULL);
	struct fields_out size = {0};
	driver_await(&d, FRAME_DATA, id);
	CHECK(d.frame.channel == 1);
	fields_put_string(&size, "rows", "50");
	fields_put_string(&size, "cols", "60");
	driver_send(&d, FRAME_CONTROL, id, 0, size.buf, size.len);
	driver_send(&d, FRAME_DATA, id, 0, "hello\n", 6);
	driver_send(&d, FRAME_EOF, id, 6, NULL, 0);
	char all[4096];
	size_t len = 0;
	for (;;) {
		if (d.frame.stream == id && d.frame.type == FRAME_END)
			break;
		if (d.frame.stream == id && d.frame.type == FRAME_DATA) {
			memcpy(all + len, d.payload, d.frame.len);
			len += d.frame.len;
		}
		CHECK(driver_next(&d, DRIVER_WAIT_MS));
	}
	all[len] = 0;
	CHECK(strstr(all, "30 101\r\n") && strstr(all, "tty xterm-256color\r\n") && strstr(all, "got hello\r\n50 60\r\neof\r\n"));
	driver_send(&d, FRAME_CLOSE, id, 0, NULL, 0);
	fields_out_free(&size);
}

static void send_signal(uint32_t id, const char *number)
{
	struct fields_out fields = {0};
	fields_put_string(&fields, "signal", number);
	driver_send(&d, FRAME_CONTROL, id, 0, fields.buf, fields.len);
	fields_out_free(&fields);
}

static void signals_reach_the_group(void)
{
	uint32_t id = driver_open(&d, DRIVER_WINDOW, "kind=exec", "shell=(trap 'echo child; exit' USR1; echo ready; while :; do sleep 0.01; done) & trap 'wait; echo leader; exit 3' USR1; while :; do sleep 0.01; done", NULL);
	driver_await(&d, FRAME_DATA, id);
	driver_send_limit(&d, FRAME_ACK, id, 6, DRIVER_WINDOW);
	usleep(100000);
	send_signal(id, "0");
	send_signal(id, "999");
	send_signal(id, "10");
	char all[64] = "";
	do {
		CHECK(driver_next(&d, DRIVER_WAIT_MS));
		if (d.frame.type == FRAME_DATA && d.frame.channel == 1)
			strncat(all, (char *)d.payload, d.frame.len);
	} while (d.frame.type != FRAME_END);
	CHECK(strcmp(all, "child\nleader\n") == 0);
	driver_send(&d, FRAME_CLOSE, id, 0, NULL, 0);
}

static void timeouts(void)
{
	uint64_t began = now_ms();
	SHELL("echo begun; sleep 30", "timeout-ms=300");
	CHECK(fields_are(&o.end, "signal", "15") && fields_flag(&o.end, "timed-out") && outcome_is(&o, 1, "begun\n"));
	CHECK(now_ms() - began >= 300);

	began = now_ms();
	SHELL("trap 'echo term' TERM; while :; do sleep 0.05; done", "timeout-ms=100");
	CHECK(fields_are(&o.end, "signal", "9") && fields_flag(&o.end, "timed-out") && strstr((char *)o.bytes[1], "term"));
	CHECK(!fields_find(&o.end, "oom-killed"));
	CHECK(now_ms() - began >= 2100);

	/* A leader that goes at once leaves its group the rest of the grace, and no more. */
	SHELL("(trap 'sleep 0.1; echo cleaned; exit' TERM; while :; do sleep 0.02; done) & sleep 30", "timeout-ms=300");
	CHECK(fields_are(&o.end, "signal", "15") && outcome_is(&o, 1, "cleaned\n"));
	began = now_ms();
	SHELL("(trap '' TERM; echo $$; exec sleep 41.77) & sleep 30", "timeout-ms=200");
	CHECK(fields_flag(&o.end, "timed-out") && now_ms() - began < 20000);
	SHELL("pgrep -x -f 'sleep 41.77' || echo gone");
	CHECK(outcome_is(&o, 1, "gone\n"));
	SHELL("echo quick", "timeout-ms=60000");
	CHECK(EXITED("0") && !fields_find(&o.end, "timed-out"));
}

static void background_children(void)
{
	uint64_t began = now_ms();
	SHELL("(sleep 0.1; echo late; sleep 30; echo too late) & echo first", "drain-ms=2000");
	CHECK(EXITED("0") && outcome_is(&o, 1, "first\nlate\n") && now_ms() - began < 25000);
	SHELL("sleep 30 & echo $!; exit 4", "drain-ms=0");
	CHECK(EXITED("4"));
	char command[64];
	snprintf(command, sizeof command, "shell=kill -0 %d && echo lives; kill %d", atoi((char *)o.bytes[1]), atoi((char *)o.bytes[1]));
	RUN(command);
	CHECK(outcome_is(&o, 1, "lives\n"));
	/* What the leader itself wrote is never cut, however slowly the host takes it. */
	uint32_t id = driver_open(&d, 1000, "kind=exec", "drain-ms=0", "shell=sleep 30 & head -c 1800000 /dev/zero", NULL);
	usleep(1000000);
	outcome_free(&o);
	driver_send_limit(&d, FRAME_ACK, id, 0, 500000);
	usleep(200000);
	driver_send_limit(&d, FRAME_ACK, id, 0, 5000000);
	driver_finish(&d, id, &o);
	CHECK(EXITED("0") && o.total == 1800000);
}

static void much_output(void)
{
	static const char pattern[] = "0123456789abcdefghijklmnopqrstuvwxyz\n";
	size_t unit = sizeof pattern - 1;
	SHELL("yes 0123456789abcdefghijklmnopqrstuvwxyz | head -c 8000000");
	CHECK(EXITED("0") && o.total == 8000000);
	for (size_t i = 0; i < o.len[1]; i++)
		if (o.bytes[1][i] != (uint8_t)pattern[i % unit])
			CHECK(!"a byte was lost or doubled");
}

int main(void)
{
	driver_start(&d);
	results();
	interleaving();
	refusals();
	sizes();
	all_arguments_too_long();
	surroundings();
	other_user();
	input();
	terminal();
	signals_reach_the_group();
	timeouts();
	background_children();
	much_output();
	outcome_free(&o);
	driver_stop(&d);
	return 0;
}
