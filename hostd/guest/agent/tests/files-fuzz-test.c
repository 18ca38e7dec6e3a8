/* Seeded fuzz of tar-in: valid archives of every format, mutated. Whatever comes in, the worker ends in time with a result, stays within its
 * memory, and touches nothing outside the target. `ROUNDS` in the environment changes how long it runs. */
#include "../src/worker.h"
#include "support/file-jail.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define BATCH 250
#define MAX_RSS_KIB (64 * 1024)

/* Less freed memory held back, so that the resident size tells something. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "quarantine_size_mb=8";
}

static uint64_t random_state;
static uint32_t random_u32(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state >> 24);
}

static struct bytes seeds[8];
static size_t seed_count;

static void take_seed(const char *format, const char *sparse)
{
	if (sparse)
		RUN("tar", "-C", "src", "-b1", "--sort=name", format, "--sparse", sparse, "-cf", "seed.tar", ".");
	else
		RUN("tar", "-C", "src", "-b1", "--sort=name", format, "-cf", "seed.tar", ".");
	struct stat st;
	struct bytes *seed = &seeds[seed_count++];
	int fd = open("seed.tar", O_RDONLY);
	CHECK(fd >= 0 && fstat(fd, &st) == 0 && bytes_reserve(seed, (size_t)st.st_size));
	CHECK(read(fd, seed->data, (size_t)st.st_size) == st.st_size);
	seed->len = (size_t)st.st_size;
	close(fd);
}

static void make_seeds(void)
{
	char name[201];
	CHECK(mkdir("src", 0755) == 0 && chdir("src") == 0 && mkdir("dir", 0755) == 0);
	jail_write("dir/file", "some content", 12);
	jail_write("empty", "", 0);
	memset(name, 'n', 200);
	name[200] = 0;
	jail_write(name, "long", 4);
	CHECK(link("dir/file", "hard") == 0 && symlink("dir/file", "link") == 0 && symlink("..", "dir/up") == 0 && mkfifo("fifo", 0644) == 0);
	int fd = open("holes", O_WRONLY | O_CREAT, 0644);
	for (unsigned i = 0; i < 30; i++)
		CHECK(pwrite(fd, "x", 1, (off_t)i * 65536) == 1);
	CHECK(close(fd) == 0 && chdir("..") == 0);
	take_seed("--format=pax", "--sparse-version=1.0");
	take_seed("--format=pax", "--sparse-version=0.1");
	take_seed("--format=pax", "--sparse-version=0.0");
	take_seed("--format=gnu", "--sparse");
	take_seed("--format=oldgnu", "--sparse");
	RUN("rm", "src/holes");
	take_seed("--format=pax", NULL);
	take_seed("--format=gnu", NULL);
	RUN("rm", "seed.tar");
}

/* Without it nearly every change ends at the checksum. */
static void mend_checksum(struct bytes *archive, size_t at)
{
	size_t block = at / TAR_BLOCK * TAR_BLOCK;
	struct tar_header *header = (struct tar_header *)(archive->data + block);
	if (block + TAR_BLOCK <= archive->len && memcmp(header->magic, "ustar", 5) == 0)
		tar_put_checksum(header);
}

static void change_bytes(struct bytes *archive)
{
	static const char *const words[] = {"../", "/", "..", "\xff\xff\xff\xff", "\x80", "\n", "9999999999", "0", ",", "=", "GNU.sparse.", "-1", "\0", "77777777777"};
	size_t at = random_u32() % archive->len;
	if (random_u32() % 2) {
		const char *word = words[random_u32() % (sizeof words / sizeof *words)];
		size_t len = word[0] ? strlen(word) : 1;
		if (at + len <= archive->len)
			memcpy(archive->data + at, word, len);
	} else {
		archive->data[at] = (char)random_u32();
	}
	if (random_u32() % 8)
		mend_checksum(archive, at);
}

/* Header fields that steer: name, mode, owner, size, time, type, link, the sparse map of old headers, prefix. */
static void change_header(struct bytes *archive)
{
	static const char types[] = "0123456757xgLKSXDVMNZ";
	static const size_t fields[] = {0, 100, 108, 124, 124, 136, 156, 157, 345, 386, 482, 483};
	size_t block = random_u32() % (archive->len / TAR_BLOCK) * TAR_BLOCK;
	size_t field = fields[random_u32() % (sizeof fields / sizeof *fields)];
	char *p = archive->data + block + field;
	if (field == 156)
		*p = types[random_u32() % (sizeof types - 1)];
	else
		for (unsigned n = random_u32() % 12 + 1; n > 0; n--)
			*p++ = (char)(random_u32() % 3 ? '0' + random_u32() % 10 : random_u32());
	if (random_u32() % 8)
		mend_checksum(archive, block);
}

static void move_blocks(struct bytes *archive)
{
	size_t blocks = archive->len / TAR_BLOCK;
	size_t from = random_u32() % blocks, to = random_u32() % blocks, count = random_u32() % 4 + 1;
	if (from + count <= blocks && to + count <= blocks)
		memmove(archive->data + to * TAR_BLOCK, archive->data + from * TAR_BLOCK, count * TAR_BLOCK);
}

static void mutate(struct bytes *archive)
{
	const struct bytes *seed = &seeds[random_u32() % seed_count];
	CHECK(bytes_set(archive, seed->data, seed->len));
	for (unsigned changes = random_u32() % 4 + 1; changes > 0; changes--) {
		unsigned how = random_u32() % 8;
		if (how == 0)
			move_blocks(archive);
		else if (how < 5)
			change_header(archive);
		else
			change_bytes(archive);
	}
	if (random_u32() % 16 == 0)
		bytes_truncate(archive, random_u32() % archive->len);
}

/* Runs one archive in this process; true when it was accepted. */
static bool extract(const struct bytes *archive, const struct fields *params)
{
	struct fields_out result = {0};
	struct fields fields;
	int fd = memfd_create("archive", 0), out = open("/dev/null", O_WRONLY);
	CHECK(fd >= 0 && write(fd, archive->data, archive->len) == (ssize_t)archive->len && lseek(fd, 0, SEEK_SET) == 0);
	worker_run("tar-in", params, fd, out, &result);
	close(fd);
	close(out);
	CHECK(!result.failed && fields_parse(&fields, result.buf, result.len, 10) == 0);
	bool ok = fields_flag(&fields, "ok");
	CHECK(ok || (fields_string(&fields, "error", "")[0] && fields_string(&fields, "message", "")[0]));
	fields_free(&fields);
	fields_out_free(&result);
	return ok;
}

static unsigned run_batch(uint64_t seed)
{
	struct fields_out packed = {0};
	struct fields params;
	struct bytes archive = {0};
	unsigned accepted = 0;
	char target[32];
	alarm(60);
	random_state = seed;
	for (unsigned i = 0; i < BATCH; i++) {
		packed.len = 0;
		snprintf(target, sizeof target, "targets/%u", i);
		fields_put_string(&packed, "path", jail_path(target));
		CHECK(fields_parse(&params, packed.buf, packed.len, 10) == 0);
		mutate(&archive);
		accepted += extract(&archive, &params);
		fields_free(&params);
	}
	fields_out_free(&packed);
	bytes_free(&archive);
	struct rusage usage;
	CHECK(getrusage(RUSAGE_SELF, &usage) == 0 && usage.ru_maxrss < MAX_RSS_KIB);
	return accepted;
}

static unsigned names_in(const char *folder)
{
	unsigned count = 0;
	DIR *dir = opendir(folder);
	CHECK(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count - 2;
}

static void check_outside(const struct bytes *before)
{
	struct bytes after = tree_of("outside", true);
	CHECK(after.len == before->len && memcmp(after.data, before->data, after.len) == 0);
	bytes_free(&after);
	/* Beside the targets there is nothing new. */
	CHECK(names_in(".") == 3 && names_in("targets") <= BATCH);
}

int main(void)
{
	const char *wanted = getenv("ROUNDS");
	unsigned rounds = wanted ? (unsigned)atoi(wanted) : 3000, accepted = 0;
	jail_enter();
	make_seeds();
	CHECK(mkdir("outside", 0755) == 0 && mkdir("targets", 0755) == 0);
	CHECK(unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
	jail_write("outside/canary", "alive", 5);
	for (unsigned batch = 0; batch * BATCH < rounds; batch++) {
		int status;
		CHECK(mount("none", "targets", "tmpfs", 0, "size=256m") == 0);
		struct bytes before = tree_of("outside", true);
		pid_t pid = fork();
		CHECK(pid >= 0);
		if (pid == 0)
			exit((int)(run_batch(0x0ff5400700000001u + batch) % 251));
		CHECK(waitpid(pid, &status, 0) == pid);
		if (!WIFEXITED(status) || WEXITSTATUS(status) == 1)
			fprintf(stderr, "batch %u: status %x\n", batch, (unsigned)status);
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) > 1);
		accepted += (unsigned)WEXITSTATUS(status);
		check_outside(&before);
		bytes_free(&before);
		CHECK(umount("targets") == 0);
	}
	/* Neither all nor none: the mutations reach the code behind the checks. */
	CHECK(accepted > rounds / 20 && accepted < rounds * 9 / 10);
	return 0;
}
