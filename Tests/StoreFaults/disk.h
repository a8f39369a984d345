/* Simulates a disk, that is, the contents of files after some operations of a trace or after a power failure. */
#ifndef DISK_H
#define DISK_H

#include "files.h"

void disk_reset(void);
/* Applies an operation. If `all` is 0, only a random part of the sectors of a write reaches the disk. */
void disk_apply(const op *o, int all);
/* Simulates a possible state of the disk if the power fails before operation n. Each sector that was written without a
 * later fsync may be missing, independently of other sectors. The latest changes to file names may be missing too: they
 * become durable in the order in which they were made. */
void power_failure(const op *trace, size_t n);
/* Writes the contents of the disk to the folder. */
void put_disk(void);
/* Writes one file of the disk to the folder, if the file exists. */
void put_file(const char *name);
/* Writes a store whose file and log are copies from two random moments of the trace: moments[0] and moments[1], counted
 * in operations. If `close` is set, the log is copied at most 39 operations after the file. */
void put_torn_copy(const op *trace, size_t operations, int close, size_t moments[2]);

#endif
