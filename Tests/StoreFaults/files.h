/* Intercepts file operations below one directory inside the process: can log them, make them fail, cut them short, or
   end the process at one of them. This program replaces functions of the C library; the replacements also apply to
   SQLite and to the Fencepost library. */
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
  int inode; /* the file, for OP_WRITE, OP_TRUNCATE, OP_SYNC and OP_CREATE */
  int64_t offset;
  size_t size;
  unsigned char *data;
  char name[128], other[128];
  long call; /* the number that the caller passed to files_mark() before the operation */
} op;

/* Starts counting operations from 0, and records a trace if `traced`. */
void files_watch(const char *directory, int traced);
void files_stop(void);
void files_mark(long call);

/* Makes the operations `first` to `first + count - 1` fail with an errno; if `torn` is 1, a failing write writes half
   of its bytes. */
void files_fail(long first, long count, int error, int torn);
/* Makes `count` operations, beginning with operation `first`, fail in a way that depends on i: with one of several
   errnos, and with torn or shortened writes. Also sets the free space that the file system reports to 16 MiB. */
void files_fail_by_turns(long i, long first, long count);
/* Every n-th write writes only half of its bytes and returns that short count, as can happen with signals and quotas;
   0 disables this. */
void files_shorten(long n);
/* Ends the process just before operation number n. If `torn` is 1 and operation n is a write, half of its bytes are
   written first. */
void files_kill(long n, int torn);

/* Sets the free space that the file system reports, in bytes; 0 stands for the true value. */
void files_room(uint64_t bytes);

long files_count(void);
uint64_t files_bytes(void);
uint64_t files_syncs(void);

/* Stops recording, and returns the trace. */
op *files_take_trace(size_t *count);

#endif
