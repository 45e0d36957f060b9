/* Preloaded: calls of the operating system that fail, for files below one folder. What fails is said by variables of the environment:
 *
 *   FAULT_UNDER   the folder
 *   FAULT_CALL    write, read, open, sync, rename, allocate, resize, or any of them
 *   FAULT_NUMBER  number of the call, from 1; 0: none fails
 *   FAULT_ERROR   number of the error; 0: a write that is short, by half
 *   FAULT_LASTS   whether all later calls fail as well (1) or that one only (0)
 *   FAULT_RANK    rank in which it fails
 *   FAULT_MARK    file that is made when it has failed
 *   FAULT_COUNTS  where each rank that makes such calls writes how many of a kind it has made, a file that ends with its number
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define NEXT(name) __typeof__(&name) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static const char *setting(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "";
}

static int below(const char *path)
{
    const char *folder = setting("FAULT_UNDER");
    size_t length = strlen(folder);
    return length && !strncmp(path, folder, length);
}

static int open_below(int descriptor)
{
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return 0;
    path[length] = 0;
    return below(path);
}

static const char *const KINDS[] = {"write", "read", "open", "sync", "rename", "allocate", "resize", "any"};
enum { ANY = sizeof KINDS / sizeof *KINDS - 1 };
static atomic_long calls[ANY + 1];

static int own_rank(void)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    if (!rank)
        rank = getenv("PMI_RANK");
    return atoi(rank ? rank : "0");
}

/* Whether this call of a kind, on a file below the folder, is one that fails. */
static int fails(const char *kind)
{
    const char *wanted = setting("FAULT_CALL");
    int row = 0;
    while (row < ANY && strcmp(KINDS[row], kind))
        row++;
    long of_kind = atomic_fetch_add(&calls[row], 1) + 1, of_any = atomic_fetch_add(&calls[ANY], 1) + 1, first = atol(setting("FAULT_NUMBER"));
    long number = strcmp(wanted, "any") ? of_kind : of_any;
    if ((strcmp(wanted, kind) && strcmp(wanted, "any")) || own_rank() != atoi(setting("FAULT_RANK")) || !first)
        return 0;
    if (number < first || (number > first && !atoi(setting("FAULT_LASTS"))))
        return 0;
    int mark = syscall(SYS_openat, AT_FDCWD, setting("FAULT_MARK"), O_CREAT | O_WRONLY, 0666);
    if (mark >= 0)
        close(mark);
    return 1;
}

__attribute__((destructor)) static void tell(void)
{
    char path[PATH_MAX];
    if (!*setting("FAULT_COUNTS") || !calls[ANY])
        return;
    snprintf(path, sizeof path, "%s%d", setting("FAULT_COUNTS"), own_rank());
    FILE *file = fopen(path, "w");
    for (int row = 0; file && row <= ANY; row++)
        fprintf(file, "%s %ld\n", KINDS[row], calls[row]);
    if (file)
        fclose(file);
}

static int failed(void)
{
    errno = atoi(setting("FAULT_ERROR"));
    return -1;
}

static int is_short(void)
{
    return !atoi(setting("FAULT_ERROR"));
}

/* Bytes that a write of a size may take: all, a part, or none (-1, with the error). */
static ssize_t allowed(int descriptor, size_t size)
{
    if (!open_below(descriptor) || !fails("write"))
        return size;
    return is_short() ? (ssize_t)(size > 1 ? size / 2 : size) : failed();
}

ssize_t write(int descriptor, const void *data, size_t size)
{
    NEXT(write);
    ssize_t room = allowed(descriptor, size);
    return room < 0 ? room : next(descriptor, data, room);
}

ssize_t pwrite(int descriptor, const void *data, size_t size, off_t place)
{
    NEXT(pwrite);
    ssize_t room = allowed(descriptor, size);
    return room < 0 ? room : next(descriptor, data, room, place);
}

ssize_t pwrite64(int descriptor, const void *data, size_t size, off64_t place)
{
    NEXT(pwrite64);
    ssize_t room = allowed(descriptor, size);
    return room < 0 ? room : next(descriptor, data, room, place);
}

/* Of several buffers a short write takes the first only. */
static int buffers(int descriptor, const struct iovec *data, int number)
{
    size_t size = 0;
    for (int k = 0; k < number; k++)
        size += data[k].iov_len;
    ssize_t room = allowed(descriptor, size);
    return room < 0 ? -1 : (size_t)room < size ? 1 : number;
}

ssize_t writev(int descriptor, const struct iovec *data, int number)
{
    NEXT(writev);
    int some = buffers(descriptor, data, number);
    return some < 0 ? -1 : next(descriptor, data, some);
}

ssize_t pwritev(int descriptor, const struct iovec *data, int number, off_t place)
{
    NEXT(pwritev);
    int some = buffers(descriptor, data, number);
    return some < 0 ? -1 : next(descriptor, data, some, place);
}

ssize_t pwritev64(int descriptor, const struct iovec *data, int number, off64_t place)
{
    NEXT(pwritev64);
    int some = buffers(descriptor, data, number);
    return some < 0 ? -1 : next(descriptor, data, some, place);
}

ssize_t sendfile(int out, int in, off_t *place, size_t size)
{
    NEXT(sendfile);
    ssize_t room = allowed(out, size);
    return room < 0 ? room : next(out, in, place, room);
}

ssize_t sendfile64(int out, int in, off64_t *place, size_t size)
{
    NEXT(sendfile64);
    ssize_t room = allowed(out, size);
    return room < 0 ? room : next(out, in, place, room);
}

ssize_t read(int descriptor, void *data, size_t size)
{
    NEXT(read);
    return open_below(descriptor) && fails("read") ? failed() : next(descriptor, data, size);
}

ssize_t pread(int descriptor, void *data, size_t size, off_t place)
{
    NEXT(pread);
    return open_below(descriptor) && fails("read") ? failed() : next(descriptor, data, size, place);
}

ssize_t pread64(int descriptor, void *data, size_t size, off64_t place)
{
    NEXT(pread64);
    return open_below(descriptor) && fails("read") ? failed() : next(descriptor, data, size, place);
}

#define OPENS(name)                                                                                                                                  \
    int name(const char *path, int flags, ...)                                                                                                       \
    {                                                                                                                                                \
        NEXT(name);                                                                                                                                  \
        va_list more;                                                                                                                                \
        va_start(more, flags);                                                                                                                       \
        int mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, int) : 0;                                                                          \
        va_end(more);                                                                                                                                \
        return below(path) && fails("open") ? failed() : next(path, flags, mode);                                                                    \
    }
OPENS(open)
OPENS(open64)

int openat(int folder, const char *path, int flags, ...)
{
    NEXT(openat);
    va_list more;
    va_start(more, flags);
    int mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, int) : 0;
    va_end(more);
    return below(path) && fails("open") ? failed() : next(folder, path, flags, mode);
}

int fsync(int descriptor)
{
    NEXT(fsync);
    return open_below(descriptor) && fails("sync") ? failed() : next(descriptor);
}

int fdatasync(int descriptor)
{
    NEXT(fdatasync);
    return open_below(descriptor) && fails("sync") ? failed() : next(descriptor);
}

int rename(const char *from, const char *to)
{
    NEXT(rename);
    return below(to) && fails("rename") ? failed() : next(from, to);
}

int mkdir(const char *path, mode_t mode)
{
    NEXT(mkdir);
    return below(path) && fails("rename") ? failed() : next(path, mode);
}

int unlink(const char *path)
{
    NEXT(unlink);
    return below(path) && fails("rename") ? failed() : next(path);
}

/* These return the error. */
#define ALLOCATES(name, offset)                                                                                                                      \
    int name(int descriptor, offset place, offset size)                                                                                              \
    {                                                                                                                                                \
        NEXT(name);                                                                                                                                  \
        return open_below(descriptor) && fails("allocate") ? atoi(setting("FAULT_ERROR")) : next(descriptor, place, size);                           \
    }
ALLOCATES(posix_fallocate, off_t)
ALLOCATES(posix_fallocate64, off64_t)

#define RESIZES(name, offset)                                                                                                                        \
    int name(int descriptor, offset size)                                                                                                            \
    {                                                                                                                                                \
        NEXT(name);                                                                                                                                  \
        return open_below(descriptor) && fails("resize") ? failed() : next(descriptor, size);                                                        \
    }
RESIZES(ftruncate, off_t)
RESIZES(ftruncate64, off64_t)

#define CUTS(name, offset)                                                                                                                           \
    int name(const char *path, offset size)                                                                                                          \
    {                                                                                                                                                \
        NEXT(name);                                                                                                                                  \
        return below(path) && fails("resize") ? failed() : next(path, size);                                                                         \
    }
CUTS(truncate, off_t)
CUTS(truncate64, off64_t)
