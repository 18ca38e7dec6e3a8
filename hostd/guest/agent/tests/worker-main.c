/* worker KIND key=value...: one file worker on stdin and stdout; its result goes to descriptor 3 (or stderr), one key=value a line with
 * backslashes, newlines and NULs escaped. Ends with 0 when the result is ok. `--limit=BYTES` bounds the address space. */
#include "../src/worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static void print_escaped(FILE *to, const struct field *field)
{
	fprintf(to, "%s=", field->key);
	for (size_t i = 0; i < field->value_len; i++) {
		unsigned char c = field->value[i];
		if (c == '\\' || c == '\n' || c == 0)
			fprintf(to, "\\x%02x", c);
		else
			fputc(c, to);
	}
	fputc('\n', to);
}

int main(int argc, char **argv)
{
	struct fields_out packed = {0}, result = {0};
	struct fields params, fields;
	if (argc < 2) {
		fputs("usage: worker KIND key=value...\n", stderr);
		return 2;
	}
	for (int i = 2; i < argc; i++) {
		char *equals = strchr(argv[i], '=');
		if (!equals) {
			fprintf(stderr, "not key=value: %s\n", argv[i]);
			return 2;
		}
		*equals = 0;
		if (strcmp(argv[i], "--limit") == 0) {
			rlim_t bytes = strtoull(equals + 1, NULL, 10);
			setrlimit(RLIMIT_AS, &(struct rlimit){bytes, bytes});
			continue;
		}
		fields_put_string(&packed, argv[i], equals + 1);
	}
	if (packed.failed || fields_parse(&params, packed.buf, packed.len, 4096) < 0)
		return 2;
	worker_run(argv[1], &params, STDIN_FILENO, STDOUT_FILENO, &result);
	FILE *to = fdopen(3, "w");
	if (!to)
		to = stderr;
	if (result.failed || fields_parse(&fields, result.buf, result.len, 4096) < 0)
		return 2;
	for (size_t i = 0; i < fields.count; i++)
		print_escaped(to, &fields.items[i]);
	fclose(to);
	int status = fields_flag(&fields, "ok") ? 0 : 1;
	fields_free(&params);
	fields_free(&fields);
	fields_out_free(&packed);
	fields_out_free(&result);
	return status;
}
