#include "faulty_vfs.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

/* The file object of this file system, as SQLite opens it; the file object of the real file system follows it in the
   same memory block. */
typedef struct {
  sqlite3_file base;
  int watched;
  sqlite3_file *real;
} file;

static sqlite3_vfs *system_vfs;
static char watched_directory[1024];
static uint64_t operations, fail_first, fail_count;
static int fail_code, fail_torn;
static void (*before_each)(void *, uint64_t);
static void *before_context;

static int is_watched(const char *path) {
  size_t length = strlen(watched_directory);
  return path && length > 0 && strncmp(path, watched_directory, length) == 0;
}

/* Counts an operation; returns an SQLite code if it must fail, otherwise SQLITE_OK. */
static int operation(void) {
  uint64_t number = operations++;
  void (*callback)(void *, uint64_t) = before_each;
  if (callback) callback(before_context, number);
  return number >= fail_first && number - fail_first < fail_count ? fail_code : SQLITE_OK;
}

#define REAL(f) (((file *)(f))->real)
#define CHECK(f)                              \
  if (((file *)(f))->watched) {               \
    int failure = operation();                \
    if (failure != SQLITE_OK) return failure; \
  }

static int file_close(sqlite3_file *f) { return REAL(f)->pMethods->xClose(REAL(f)); }
static int file_read(sqlite3_file *f, void *data, int size, sqlite3_int64 offset) {
  return REAL(f)->pMethods->xRead(REAL(f), data, size, offset);
}
static int file_write(sqlite3_file *f, const void *data, int size, sqlite3_int64 offset) {
  if (((file *)f)->watched) {
    int failure = operation();
    if (failure != SQLITE_OK) {
      if (fail_torn) REAL(f)->pMethods->xWrite(REAL(f), data, size / 2, offset);
      return failure;
    }
  }
  return REAL(f)->pMethods->xWrite(REAL(f), data, size, offset);
}
static int file_truncate(sqlite3_file *f, sqlite3_int64 size) {
  CHECK(f)
  return REAL(f)->pMethods->xTruncate(REAL(f), size);
}
static int file_sync(sqlite3_file *f, int flags) {
  CHECK(f)
  return REAL(f)->pMethods->xSync(REAL(f), flags);
}
static int file_size(sqlite3_file *f, sqlite3_int64 *size) { return REAL(f)->pMethods->xFileSize(REAL(f), size); }
static int file_lock(sqlite3_file *f, int level) { return REAL(f)->pMethods->xLock(REAL(f), level); }
static int file_unlock(sqlite3_file *f, int level) { return REAL(f)->pMethods->xUnlock(REAL(f), level); }
static int file_check_lock(sqlite3_file *f, int *out) { return REAL(f)->pMethods->xCheckReservedLock(REAL(f), out); }
static int file_control(sqlite3_file *f, int code, void *argument) {
  return REAL(f)->pMethods->xFileControl(REAL(f), code, argument);
}
static int file_sector(sqlite3_file *f) { return REAL(f)->pMethods->xSectorSize(REAL(f)); }
static int file_characteristics(sqlite3_file *f) { return REAL(f)->pMethods->xDeviceCharacteristics(REAL(f)); }

/* Declares version 1 of the methods, which has no shared memory: the real file system has no shared memory, so SQLite
   must not expect it. */
static const sqlite3_io_methods methods = {
    .iVersion = 1,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_lock,
    .xFileControl = file_control,
    .xSectorSize = file_sector,
    .xDeviceCharacteristics = file_characteristics,
};

static int vfs_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *f, int flags, int *out_flags) {
  file *ours = (file *)f;
  (void)vfs;
  ours->base.pMethods = 0;
  ours->watched = is_watched(path);
  ours->real = (sqlite3_file *)(ours + 1);
  int status = system_vfs->xOpen(system_vfs, path, ours->real, flags, out_flags);
  if (ours->real->pMethods) ours->base.pMethods = &methods;
  return status;
}
static int vfs_delete(sqlite3_vfs *vfs, const char *path, int sync_directory) {
  (void)vfs;
  if (is_watched(path)) {
    int failure = operation();
    if (failure != SQLITE_OK) return failure;
  }
  return system_vfs->xDelete(system_vfs, path, sync_directory);
}

int faulty_vfs_install(void) {
  static sqlite3_vfs ours;
  if (system_vfs) return SQLITE_OK;
  system_vfs = sqlite3_vfs_find("unix-none");
  ours = *system_vfs;
  ours.pNext = 0;
  ours.zName = system_vfs->zName;
  ours.szOsFile = (int)sizeof(file) + system_vfs->szOsFile;
  ours.xOpen = vfs_open;
  ours.xDelete = vfs_delete;
  /* The faulty file system does not become the default file system, because it has no locks. */
  return sqlite3_vfs_register(&ours, 0);
}

void faulty_vfs_watch(const char *directory) {
  strncpy(watched_directory, directory, sizeof watched_directory - 1);
  operations = 0;
  fail_count = 0;
  before_each = 0;
}

void faulty_vfs_fail(uint64_t first, uint64_t count, int code, int torn) {
  fail_first = first;
  fail_count = count;
  fail_code = code;
  fail_torn = torn;
}

void faulty_vfs_before_each(void (*callback)(void *, uint64_t), void *context) {
  before_each = callback;
  before_context = context;
}

uint64_t faulty_vfs_operations(void) { return operations; }
