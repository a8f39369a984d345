/* An imitated disk: what files hold after some of the operations of a trace, or when the power fails. */
#ifndef DISK_H
#define DISK_H

#include "files.h"

void disk_reset(void);
/* Applies an operation; when not `all` of it, of a write the sectors that chance leaves. */
void disk_apply(const op *o, int all);
/* The disk as it may be when the power fails before operation n: writes without fsync may be missing, each sector and
 * each name separately. Names last in the order in which they were made. */
void power_failure(const op *trace, size_t n);
/* Writes the contents of the disk to the folder. */
void put_disk(void);
/* The same of one file, where it is there. */
void put_file(const char *name);

#endif
