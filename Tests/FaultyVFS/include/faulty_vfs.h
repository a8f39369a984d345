/* Declares an SQLite file system in which operations on the files of one directory fail on demand. Operations on
   other files go to the real file system. */
#ifndef FAULTY_VFS_H
#define FAULTY_VFS_H

#include <stdint.h>

/* Replaces "unix-none", the SQLite file system that stores use. */
int faulty_vfs_install(void);

/* Starts counting the writes, fsyncs, truncations and removals below a directory, from 0. */
void faulty_vfs_watch(const char *directory);

/* Operations `first` to `first + count - 1` fail with an SQLite code; if `torn` is 1, a failing write writes half of
   its bytes. */
void faulty_vfs_fail(uint64_t first, uint64_t count, int code, int torn);

/* Calls the callback before each operation; NULL disables it. */
void faulty_vfs_before_each(void (*callback)(void *context, uint64_t operation), void *context);

/* Returns the number of operations since counting began. */
uint64_t faulty_vfs_operations(void);

#endif
