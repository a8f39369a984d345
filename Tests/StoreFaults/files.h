/* File operations below one directory, intercepted inside the process: they are logged, fail, are cut short, or end the
   process. This program replaces the functions of the C library, also for SQLite and the library. */
#ifndef FILES_H
#define FILES_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
  OP_WRITE,
  OP_TRUNCATE,
  OP_SYNC,
  OP_CREATE,
  OP_LINK,
  OP_RENAME,
  OP_UNLINK,
  OP_SYNC_DIRECTORY
} op_kind;

typedef struct {
  op_kind kind;
  int inode; /* OP_WRITE, OP_TRUNCATE, OP_SYNC, OP_CREATE */
  int64_t offset;
  size_t size;
  unsigned char *data;
  char name[128], other[128];
  long call; /* the caller's mark at the time of the operation */
} op;

/* Counts from now on, and records a trace if `traced`. */
void files_watch(const char *directory, int traced);
void files_stop(void);
void files_mark(long call);

/* The operations first ... first + count - 1 fail with an errno; a write is half done if `torn`. */
void files_fail(long first, long count, int error, int torn);
/* The same for turn i of an attack: the turns differ in the errno, and in whether writes are torn or shortened. The
   file system reports 16 MiB of free space. */
void files_fail_by_turns(long i, long first, long count);
/* From now on every n-th write writes only half and reports that, as with signals and quotas; 0 disables it. */
void files_shorten(long n);
/* The process ends before operation number n; a write is half done if `torn`. */
void files_kill(long n, int torn);

/* The free space that the file system reports, in bytes; 0 for the true value. */
void files_room(uint64_t bytes);

long files_count(void);
uint64_t files_bytes(void);
uint64_t files_syncs(void);

/* Stops, and returns the trace. */
op *files_take_trace(size_t *count);

#endif
