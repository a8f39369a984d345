#define _GNU_SOURCE
#include "files.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum {
  DESCRIPTORS = 1024,
  INODES = 4096
};

static char watched[512];
static size_t watched_length;
static int is_on, is_traced, kill_torn, fail_torn, fail_error;
static long shorten, writes;
static long count, kill_at = -1, fail_first, fail_count, mark;
static uint64_t bytes, syncs, room;
static op *trace;
static size_t trace_count, trace_capacity;

/* For each descriptor: the index of its file in `inodes`; -1 if the file is not watched, -2 for the directory. */
static int descriptor_inode[DESCRIPTORS];
static ino_t inodes[INODES];
static int inode_count;

#define REAL(name) ((__typeof__(&name))real(#name))
static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

static const char *below(const char *path) {
  if (!is_on || !path) return NULL;
  if (strncmp(path, watched, watched_length) != 0 || path[watched_length] != '/') return NULL;
  return path + watched_length + 1;
}

static int inode_of(int descriptor) {
  struct stat status;
  if (fstat(descriptor, &status)) return -1;
  for (int i = inode_count - 1; i >= 0; i--)
    if (inodes[i] == status.st_ino) return i;
  if (inode_count == INODES) abort();
  inodes[inode_count] = status.st_ino;
  return inode_count++;
}

static op *note(op_kind kind, int inode) {
  static op ignored;
  if (!is_traced) return &ignored;
  if (trace_count == trace_capacity) {
    trace_capacity = trace_capacity ? trace_capacity * 2 : 1024;
    trace = realloc(trace, trace_capacity * sizeof *trace);
    if (!trace) abort();
  }
  op *made = &trace[trace_count++];
  memset(made, 0, sizeof *made);
  made->kind = kind;
  made->inode = inode;
  made->call = mark;
  return made;
}

/* Returns 0 to continue, 1 to let the operation fail, 2 to end the process after half of the operation. */
static int begin(void) {
  long number = count++;
  if (number == kill_at) {
    if (kill_torn) return 2;
    kill(getpid(), SIGKILL);
  }
  if (number >= fail_first && number - fail_first < fail_count) {
    errno = fail_error;
    return 1;
  }
  return 0;
}

static void forget_inode(ino_t number) {
  for (int i = 0; i < inode_count; i++)
    if (inodes[i] == number) inodes[i] = 0;
}

static int opened(int descriptor, const char *path, int existed) {
  if (descriptor < 0 || descriptor >= DESCRIPTORS) return descriptor;
  descriptor_inode[descriptor] = -1;
  const char *name = below(path);
  if (is_on && path && strncmp(path, watched, watched_length) == 0 &&
      (path[watched_length] == 0 || (path[watched_length] == '/' && path[watched_length + 1] == 0)))
    descriptor_inode[descriptor] = -2;
  else if (name) {
    struct stat status;
    if (!existed && !fstat(descriptor, &status)) forget_inode(status.st_ino);
    descriptor_inode[descriptor] = inode_of(descriptor);
    if (!existed) snprintf(note(OP_CREATE, descriptor_inode[descriptor])->name, 128, "%s", name);
  }
  return descriptor;
}

static int is_watched(int descriptor) {
  return is_on && descriptor >= 0 && descriptor < DESCRIPTORS && descriptor_inode[descriptor] >= 0;
}

static int open_with(int (*open_real)(const char *, int, ...), const char *path, int flags, mode_t mode) {
  int existed = 1;
  if (below(path)) {
    existed = access(path, F_OK) == 0;
    if (!existed && (flags & O_CREAT) && begin()) {
      if (kill_at >= 0 && kill_torn) kill(getpid(), SIGKILL);
      return -1;
    }
  }
  return opened(open_real(path, flags, mode), path, existed);
}

int open(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0;
  va_end(list);
  return open_with(REAL(open), path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0;
  va_end(list);
  return open_with(REAL(open64), path, flags, mode);
}

static int made(int descriptor, char *path) { return descriptor < 0 ? descriptor : opened(descriptor, path, 0); }

int mkstemp(char *path) {
  if (below(path) && begin()) {
    if (kill_at >= 0 && kill_torn) kill(getpid(), SIGKILL);
    return -1;
  }
  return made(REAL(mkstemp)(path), path);
}

int mkstemp64(char *path) { return mkstemp(path); }

static ssize_t write_at(int descriptor, const void *data, size_t size, off_t offset) {
  if (shorten && size > 1 && ++writes % shorten == 0) size /= 2;
  int what = begin();
  bytes += size;
  size_t done = what == 0 ? size : (what == 2 || fail_torn) ? size / 2 : 0;
  if (done) {
    int error = errno;
    if (REAL(pwrite)(descriptor, data, done, offset) != (ssize_t)done) abort();
    errno = error;
    op *made = note(OP_WRITE, descriptor_inode[descriptor]);
    if (is_traced) {
      made->offset = offset;
      made->size = done;
      made->data = malloc(done);
      memcpy(made->data, data, done);
    }
  }
  if (what == 2) kill(getpid(), SIGKILL);
  return what ? -1 : (ssize_t)size;
}

ssize_t pwrite(int descriptor, const void *data, size_t size, off_t offset) {
  if (!is_watched(descriptor)) return REAL(pwrite)(descriptor, data, size, offset);
  return write_at(descriptor, data, size, offset);
}

ssize_t pwrite64(int descriptor, const void *data, size_t size, off64_t offset) {
  if (!is_watched(descriptor)) return REAL(pwrite64)(descriptor, data, size, offset);
  return write_at(descriptor, data, size, offset);
}

static int truncate_to(int descriptor, off_t size) {
  if (begin()) {
    if (kill_at >= 0 && kill_torn) kill(getpid(), SIGKILL);
    return -1;
  }
  note(OP_TRUNCATE, descriptor_inode[descriptor])->offset = size;
  return REAL(ftruncate)(descriptor, size);
}

int ftruncate(int descriptor, off_t size) {
  return is_watched(descriptor) ? truncate_to(descriptor, size) : REAL(ftruncate)(descriptor, size);
}

int ftruncate64(int descriptor, off64_t size) {
  return is_watched(descriptor) ? truncate_to(descriptor, size) : REAL(ftruncate64)(descriptor, size);
}

static int sync_with(int (*sync_real)(int), int descriptor) {
  int is_directory = is_on && descriptor >= 0 && descriptor < DESCRIPTORS && descriptor_inode[descriptor] == -2;
  if (!is_watched(descriptor) && !is_directory) return sync_real(descriptor);
  if (begin()) {
    if (kill_at >= 0 && kill_torn) kill(getpid(), SIGKILL);
    return -1;
  }
  syncs++;
  note(is_directory ? OP_SYNC_DIRECTORY : OP_SYNC, descriptor_inode[descriptor]);
  return 0; /* the trace records the fsync, so the real disk need not perform it */
}

int fsync(int descriptor) { return sync_with(REAL(fsync), descriptor); }
int fdatasync(int descriptor) { return sync_with(REAL(fdatasync), descriptor); }

int unlink(const char *path) {
  const char *name = below(path);
  if (name && access(path, F_OK) == 0) {
    /* Removing a file works even where writing fails. */
    if (begin() == 2) kill(getpid(), SIGKILL);
    snprintf(note(OP_UNLINK, -1)->name, 128, "%s", name);
  }
  return REAL(unlink)(path);
}

static int renaming(op_kind kind, int (*rename_real)(const char *, const char *), const char *from, const char *to) {
  const char *name = below(from), *other = below(to);
  if (!name || !other) return rename_real(from, to);
  if (begin()) {
    if (kill_at >= 0 && kill_torn) kill(getpid(), SIGKILL);
    return -1;
  }
  int result = rename_real(from, to);
  if (result == 0) {
    op *made = note(kind, -1);
    snprintf(made->name, 128, "%s", name);
    snprintf(made->other, 128, "%s", other);
  }
  return result;
}

int link(const char *from, const char *to) { return renaming(OP_LINK, REAL(link), from, to); }
int rename(const char *from, const char *to) { return renaming(OP_RENAME, REAL(rename), from, to); }

int statvfs(const char *path, struct statvfs *out) {
  int result = REAL(statvfs)(path, out);
  if (result == 0 && room && below(path)) out->f_bavail = room / out->f_frsize;
  return result;
}

int statvfs64(const char *path, struct statvfs64 *out) {
  int result = REAL(statvfs64)(path, out);
  if (result == 0 && room && below(path)) out->f_bavail = room / out->f_frsize;
  return result;
}

void files_watch(const char *directory, int traced) {
  files_stop();
  snprintf(watched, sizeof watched, "%s", directory);
  watched_length = strlen(watched);
  count = mark = 0;
  bytes = syncs = 0;
  kill_at = -1;
  fail_count = 0;
  room = 0;
  shorten = writes = 0;
  is_traced = traced;
  inode_count = 0;
  for (int i = 0; i < DESCRIPTORS; i++) descriptor_inode[i] = -1;
  is_on = 1;
}

void files_stop(void) {
  is_on = 0;
  for (size_t i = 0; i < trace_count; i++) free(trace[i].data);
  trace_count = 0;
}

void files_mark(long call) { mark = call; }

void files_fail(long first, long number, int error, int torn) {
  fail_first = first;
  fail_count = number;
  fail_error = error;
  fail_torn = torn;
}

void files_shorten(long n) { shorten = n; }

void files_kill(long n, int torn) {
  kill_at = n;
  kill_torn = torn;
}

void files_room(uint64_t left) { room = left; }

long files_count(void) { return count; }
uint64_t files_bytes(void) { return bytes; }
uint64_t files_syncs(void) { return syncs; }

op *files_take_trace(size_t *number) {
  op *taken = trace;
  *number = trace_count;
  trace = NULL;
  trace_count = trace_capacity = 0;
  files_stop();
  return taken;
}

void files_fail_by_turns(long i, long first, long count) {
  static const int errors[] = {ENOSPC, EIO, EDQUOT, EROFS, EINTR};
  files_room(16 << 20);
  files_shorten((i % 7 == 6) * 3);
  files_fail(first, count, errors[i % 5], (int)(i & 1));
}
