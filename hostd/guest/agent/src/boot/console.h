/* Short messages for whoever debugs a machine without tools. */
#ifndef OFFSHOOT_CONSOLE_H
#define OFFSHOOT_CONSOLE_H

/* One line "offshoot: ..." on /dev/console; never blocks. */
void console_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Says what failed and why (errno). */
void console_failed(const char *what);
/* The same, then ends PID 1 and so the machine. */
_Noreturn void console_die(const char *what);

#endif
