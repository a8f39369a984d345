#include "disk.h"

#include "harness.h"

#include <stdlib.h>
#include <string.h>

enum {
  SECTOR = 512,
  MOST_FILES = 64,
  MOST_NAMES = 32,
  MOST_BYTES = 16 << 20
};

typedef struct {
  unsigned char *bytes;
  size_t size;
} disk_file;

typedef struct {
  char name[128];
  int inode;
} disk_name;

typedef struct {
  disk_file files[MOST_FILES];
  disk_name names[MOST_NAMES];
  int name_count;
} disk;

static disk the_disk;

static disk_file *disk_file_of(int inode) {
  if (inode < 0 || inode >= MOST_FILES) abort();
  disk_file *file = &the_disk.files[inode];
  if (!file->bytes) file->bytes = calloc(1, MOST_BYTES);
  return file;
}

void disk_reset(void) {
  for (int i = 0; i < MOST_FILES; i++) {
    if (the_disk.files[i].bytes) memset(the_disk.files[i].bytes, 0, the_disk.files[i].size);
    the_disk.files[i].size = 0;
  }
  the_disk.name_count = 0;
}

static int disk_inode(const char *name) {
  for (int i = 0; i < the_disk.name_count; i++)
    if (!strcmp(the_disk.names[i].name, name)) return the_disk.names[i].inode;
  return -1;
}

static void disk_set(const char *name, int inode) {
  for (int i = 0; i < the_disk.name_count; i++)
    if (!strcmp(the_disk.names[i].name, name)) {
      if (inode < 0) the_disk.names[i] = the_disk.names[--the_disk.name_count];
      else the_disk.names[i].inode = inode;
      return;
    }
  if (inode < 0) return;
  if (the_disk.name_count == MOST_NAMES) abort();
  snprintf(the_disk.names[the_disk.name_count].name, 128, "%s", name);
  the_disk.names[the_disk.name_count++].inode = inode;
}

void disk_apply(const op *o, int all) {
  disk_file *file;
  switch (o->kind) {
    case OP_CREATE:
      disk_file_of(o->inode);
      disk_set(o->name, o->inode);
      break;
    case OP_LINK: disk_set(o->other, disk_inode(o->name)); break;
    case OP_RENAME:
      disk_set(o->other, disk_inode(o->name));
      disk_set(o->name, -1);
      break;
    case OP_UNLINK: disk_set(o->name, -1); break;
    case OP_TRUNCATE:
      file = disk_file_of(o->inode);
      if (!all && below(2)) break;
      if ((size_t)o->offset < file->size) memset(file->bytes + o->offset, 0, file->size - (size_t)o->offset);
      file->size = (size_t)o->offset;
      break;
    case OP_WRITE:
      file = disk_file_of(o->inode);
      for (size_t done = 0; done < o->size;) {
        size_t place = (size_t)o->offset + done;
        size_t part = SECTOR - place % SECTOR;
        if (part > o->size - done) part = o->size - done;
        if (place + part > MOST_BYTES) abort();
        if (all || below(2)) {
          memcpy(file->bytes + place, o->data + done, part);
          if (file->size < place + part) file->size = place + part;
        }
        done += part;
      }
      break;
    default: break;
  }
}

static int is_name(op_kind kind) {
  return kind == OP_CREATE || kind == OP_LINK || kind == OP_RENAME || kind == OP_UNLINK;
}

void power_failure(const op *trace, size_t n) {
  disk_reset();
  size_t names_synced = 0, names = 0;
  for (size_t i = 0; i < n; i++) {
    if (trace[i].kind == OP_SYNC_DIRECTORY) names_synced = names;
    if (is_name(trace[i].kind)) names++;
  }
  size_t names_kept = names_synced + (names > names_synced ? below(names - names_synced + 1) : 0);
  /* A file may be written to after its name was removed, so files are identified by inode number. */
  long synced[MOST_FILES];
  for (int i = 0; i < MOST_FILES; i++) synced[i] = -1;
  for (size_t i = 0; i < n; i++)
    if (trace[i].kind == OP_SYNC) synced[trace[i].inode] = (long)i;
  names = 0;
  for (size_t i = 0; i < n; i++) {
    if (is_name(trace[i].kind)) {
      if (names++ < names_kept) disk_apply(&trace[i], 1);
    } else if (trace[i].kind == OP_WRITE || trace[i].kind == OP_TRUNCATE) {
      disk_apply(&trace[i], (long)i < synced[trace[i].inode]);
    }
  }
}

void put_disk(void) {
  clear_folder();
  for (int i = 0; i < the_disk.name_count; i++) put_file(the_disk.names[i].name);
}

void put_file(const char *name) {
  int inode = disk_inode(name);
  if (inode >= 0) write_file(name, disk_file_of(inode)->bytes, disk_file_of(inode)->size);
}

void put_torn_copy(const op *trace, size_t operations, int close, size_t moments[2]) {
  moments[0] = below(operations + 1), moments[1] = below(operations + 1);
  if (close) moments[1] = moments[0] + below(40);
  if (moments[1] > operations) moments[1] = operations;
  clear_folder();
  for (int m = 0; m < 2; m++) {
    disk_reset();
    for (size_t k = 0; k < moments[m]; k++) disk_apply(&trace[k], 1);
    put_file(m ? "m.fencepost-wal" : "m.fencepost");
  }
}
