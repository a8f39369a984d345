/* An SQLite file system that fails on demand, for the files of one directory; all others pass through. */
#ifndef FAULTY_VFS_H
#define FAULTY_VFS_H

#include <stdint.h>

/* Takes the place of the file system that stores use, SQLite's "unix-none". */
int faulty_vfs_install(void);

/* Starts counting the writes, fsyncs, truncations and removals below a directory, from 0. */
void faulty_vfs_watch(const char *directory);

/* The operations number first ... first + count - 1 fail with an SQLite code; half of what a write has to write is
   written when torn is 1. */
void faulty_vfs_fail(uint64_t first, uint64_t count, int code, int torn);

/* Calls back before each operation; NULL ends it. */
void faulty_vfs_before_each(void (*callback)(void *context, uint64_t operation), void *context);

/* Operations since the watch began. */
uint64_t faulty_vfs_operations(void);

#endif
