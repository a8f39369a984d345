/* Attacks on a store: the process ends, the power fails, the disk fails or fills, copies are torn, bits flip, at each
   file operation in turn. What is opened afterwards is compared with what a monitor in memory was after each call.

     store_faults COMMAND FOLDER COUNT [GOLDEN]

   Random choices come from a seed that is printed with each failure. */
#define _GNU_SOURCE
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fencepost.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
  MOST_CALLS = 512
};

static fencepost_error error = {.struct_size = sizeof(fencepost_error)};
static const char *folder;
static int failures;

#define FAIL(...)                     \
  do {                                \
    printf("  FAILED: " __VA_ARGS__); \
    printf("\n");                     \
    failures++;                       \
  } while (0)

/* ---- Random numbers: splitmix64. */

static uint64_t random_state;
static uint64_t random_next(void) {
  uint64_t z = (random_state += 0x9E3779B97F4A7C15u);
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}
static uint64_t below(uint64_t limit) { return random_next() % limit; }

/* ---- Files. */

static void path_of(char *out, const char *name) { snprintf(out, 600, "%s/%s", folder, name); }

static void clear(void) {
  char command[700];
  snprintf(command, sizeof command, "rm -rf '%s' && mkdir '%s'", folder, folder);
  if (system(command)) abort();
}

static unsigned char *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  unsigned char *bytes = malloc(*size + 1);
  if (fread(bytes, 1, *size, file) != *size) abort();
  fclose(file);
  return bytes;
}

static void write_file(const char *name, const void *bytes, size_t size) {
  char path[600];
  path_of(path, name);
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(bytes, 1, size, file) != size || fclose(file)) abort();
}

/* ---- A life: calls that each change something that is kept. */

static fencepost_status open_monitor(fencepost_monitor **out, int in_memory) {
  fencepost_monitor_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  options.delivery = FENCEPOST_DELIVERY_EVERY;
  if (!in_memory) options.store_directory = folder;
  *out = NULL;
  return fencepost_monitor_create("m", &options, out, &error);
}

static fencepost_status add(fencepost_monitor *monitor, int number, double latitude) {
  char name[64];
  snprintf(name, sizeof name, "condition %d", number);
  fencepost_condition_options options = FENCEPOST_CONDITION_OPTIONS_INIT;
  fencepost_transition_policy exact = FENCEPOST_TRANSITION_POLICY_EXACT_INIT;
  options.policy = &exact;
  return fencepost_monitor_add_circular_condition(monitor, name, latitude, 0, 150, &options, &error);
}

static fencepost_status feed(fencepost_monitor *monitor, int64_t second, double latitude) {
  fencepost_fix fix;
  memset(&fix, 0, sizeof fix);
  fix.latitude = latitude;
  fix.accuracy_m = 5;
  fix.time_us = second * 1000000;
  return fencepost_monitor_feed_fix(monitor, &fix, &error);
}

/* Whether the call only commits, which a power failure may take back. */
static int is_commit(long call) { return call >= 4 && call % 6 == 5; }

/* Call number n of the life; the same for each monitor. */
static fencepost_status play(fencepost_monitor *monitor, long n) {
  fencepost_event events[4];
  size_t count;
  uint32_t removed;
  char name[64];
  if (n < 4) return add(monitor, (int)n, (double)n * 0.01);
  switch (n % 6) {
    /* Each fix enters or leaves condition 0 or 1. */
    case 0: return feed(monitor, 1000 + n * 10, 0);
    case 1: return feed(monitor, 1000 + n * 10, 0.01);
    case 2: return feed(monitor, 1000 + n * 10, 0.02);
    case 3:
      if (n % 12 == 3) {
        snprintf(name, sizeof name, "condition %ld", 2 + n / 12 % 2);
        return fencepost_monitor_remove_condition(monitor, name, &removed, &error);
      }
      return add(monitor, (int)(2 + n / 12 % 3), 0.01 * (double)(n / 12 % 3));
    case 4: return fencepost_monitor_poll_events(monitor, events, 3, &count, &error);
    default: return fencepost_monitor_acknowledge(monitor, &error);
  }
}

static unsigned char *states[MOST_CALLS + 1];
static size_t state_sizes[MOST_CALLS + 1];

static unsigned char *snapshot_of(fencepost_monitor *monitor, size_t *size) {
  fencepost_monitor_snapshot(monitor, NULL, 0, size, NULL);
  unsigned char *bytes = malloc(*size);
  if (fencepost_monitor_snapshot(monitor, bytes, *size, size, NULL)) abort();
  return bytes;
}

/* states[k]: after k calls. */
static void imagine(long calls) {
  fencepost_monitor *monitor;
  if (open_monitor(&monitor, 1)) abort();
  for (long k = 0; k <= calls; k++) {
    free(states[k]);
    states[k] = snapshot_of(monitor, &state_sizes[k]);
    if (k < calls && play(monitor, k)) FAIL("call %ld in memory: %s", k, error.message);
  }
  fencepost_monitor_destroy(monitor);
}

/* Opens what is in the folder; the state's number among those from `first` to `last`, -1 for another, -2 when refused,
   -3 when nothing was ever kept. */
static long found_state(long first, long last) {
  char path[600];
  path_of(path, "m.fencepost");
  int exists = access(path, F_OK) == 0;
  fencepost_monitor *monitor;
  if (open_monitor(&monitor, 0)) return -2;
  size_t size;
  unsigned char *bytes = snapshot_of(monitor, &size);
  long result = exists ? -1 : -3;
  for (long k = first; exists && k <= last && result < 0; k++)
    if (size == state_sizes[k] && memcmp(bytes, states[k], size) == 0) result = k;
  free(bytes);
  fencepost_monitor_destroy(monitor);
  return result;
}

static long lowest(long completed) {
  while (completed > 0 && is_commit(completed - 1)) completed--;
  return completed;
}

/* ---- A crowd with relaxed durability, whose saves are made in parts. */

enum {
  CROWD = 20000,
  CROWD_CALLS = 130
};

static fencepost_status open_crowd(fencepost_monitor **out, int in_memory) {
  fencepost_monitor_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  options.delivery = FENCEPOST_DELIVERY_EVERY;
  options.durability = FENCEPOST_DURABILITY_RELAXED;
  options.checkpoint_interval_us = 5000000;
  if (!in_memory) options.store_directory = folder;
  *out = NULL;
  return fencepost_monitor_create("m", &options, out, &error);
}

static int is_checkpoint(long call) { return call == 20 || call == 100; }

static fencepost_status play_crowd(fencepost_monitor *monitor, long n) {
  static fencepost_event events[4096];
  size_t count;
  uint32_t removed;
  fencepost_status status = FENCEPOST_OK;
  if (n == 0) {
    for (int i = 0; i < CROWD && !status; i++) status = add(monitor, i, 20 + i * 0.001);
    return status;
  }
  if (is_checkpoint(n)) return fencepost_monitor_checkpoint(monitor, &error);
  if (n == 25 || n == 60)
    return fencepost_monitor_set_host_capabilities(monitor, n == 25 ? FENCEPOST_DIAGNOSTIC_AUTHORIZATION_DENIED : 0, 0,
                                                   (1000 + n * 10) * 1000000, &error);
  switch (n % 4) {
    case 0: return fencepost_monitor_poll_events(monitor, events, 4096, &count, &error);
    case 1: return feed(monitor, 1000 + n * 10, 20 + (double)n * 0.01);
    case 2:
      return n % 8 == 2 ? fencepost_monitor_remove_condition(monitor, "condition 77", &removed, &error)
                        : add(monitor, n % 3 == 0 ? 77 : 78, 5);
    default: return feed(monitor, 1000 + n * 10, 0);
  }
}

/* ---- The process ends. */

typedef struct {
  long completed, is_open;
} progress;

static void run_life(long calls, long from, progress *shared) {
  fencepost_monitor *monitor;
  if (open_monitor(&monitor, 0)) _exit(3);
  shared->is_open = 1;
  for (long k = from; k < calls; k++) {
    files_mark(k);
    if (play(monitor, k)) _exit(4);
    shared->completed = k + 1;
  }
  fencepost_monitor_destroy(monitor);
}

static progress *share(void) {
  progress *shared = mmap(NULL, sizeof(progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) abort();
  return shared;
}

/* A child plays the life and is killed at operation n; whether it was. */
static int killed_at(long n, int torn, long calls, progress *shared) {
  memset(shared, 0, sizeof *shared);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    files_watch(folder, 0);
    files_kill(n, torn);
    run_life(calls, 0, shared);
    _exit(0);
  }
  int status;
  waitpid(child, &status, 0);
  if (!WIFSIGNALED(status) && WEXITSTATUS(status))
    FAIL("operation %ld: the life ended with %d", n, WEXITSTATUS(status));
  return WIFSIGNALED(status);
}

static void test_kill(long count) {
  enum {
    CALLS = 200
  };
  imagine(CALLS);
  progress *shared = share();
  clear();
  long operations = 0;
  {
    fflush(stdout);
    int pipes[2];
    if (pipe(pipes)) abort();
    if (fork() == 0) {
      files_watch(folder, 0);
      run_life(CALLS, 0, shared);
      long total = files_count();
      if (write(pipes[1], &total, sizeof total) != sizeof total) abort();
      _exit(0);
    }
    wait(NULL);
    if (read(pipes[0], &operations, sizeof operations) != sizeof operations) abort();
  }
  long kills = 0;
  for (long i = 0; i < count; i++) {
    long n = count >= 2 * operations ? i / 2 % operations : (long)below((uint64_t)operations);
    int torn = (int)(i & 1);
    clear();
    if (!killed_at(n, torn, CALLS, shared)) continue;
    kills++;
    long state = found_state(shared->completed, shared->completed + 1);
    if (state == -3 && !shared->is_open) continue;
    if (state < 0)
      FAIL("killed at operation %ld%s after %ld calls: %ld %s", n, torn ? ", torn" : "", shared->completed, state,
           error.message);
  }
  printf("killed %ld times at %ld operations of %d calls\n", kills, operations, CALLS);
}

/* ---- The power fails: what was not synchronised may be missing, each sector and each name for itself. */

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

static void disk_reset(void) {
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

/* Applies an operation; of a write the sectors that chance leaves. */
static void disk_apply(const op *o, int all) {
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

/* The disk as it may be when the power fails before operation n. Names last in the order in which they were made. */
static void power_failure(const op *trace, size_t n) {
  disk_reset();
  size_t names_synced = 0, names = 0;
  for (size_t i = 0; i < n; i++) {
    if (trace[i].kind == OP_SYNC_DIRECTORY) names_synced = names;
    if (is_name(trace[i].kind)) names++;
  }
  size_t names_kept = names_synced + (names > names_synced ? below(names - names_synced + 1) : 0);
  /* A file whose name is not there may still have been written: files go by number. */
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

static void put_disk(void) {
  clear();
  for (int i = 0; i < the_disk.name_count; i++) {
    disk_file *file = disk_file_of(the_disk.names[i].inode);
    write_file(the_disk.names[i].name, file->bytes, file->size);
  }
}

static op *life_trace(long calls, size_t *count) {
  clear();
  progress *shared = share();
  files_watch(folder, 1);
  run_life(calls, 0, shared);
  const op *trace;
  *count = files_trace(&trace);
  op *copy = malloc(*count * sizeof *copy);
  memcpy(copy, trace, *count * sizeof *copy);
  for (size_t i = 0; i < *count; i++)
    if (copy[i].data) {
      unsigned char *data = malloc(copy[i].size);
      memcpy(data, copy[i].data, copy[i].size);
      copy[i].data = data;
    }
  files_stop();
  return copy;
}

static void test_power(long count) {
  enum {
    CALLS = 200
  };
  imagine(CALLS);
  size_t operations;
  op *trace = life_trace(CALLS, &operations);
  long taken_back = 0;
  for (long i = 0; i < count; i++) {
    size_t n = (size_t)below(operations + 1);
    power_failure(trace, n);
    put_disk();
    long completed = n ? trace[n - 1].call : 0;
    int is_begun = 0;
    for (size_t k = 0; k < n; k++) is_begun |= trace[k].call > 0;
    long state = found_state(lowest(completed), completed + 1);
    if (state == -3 && !is_begun) continue;
    if (state < 0) FAIL("the power failed before operation %zu, call %ld: %ld %s", n, completed, state, error.message);
    taken_back += state >= 0 && state < completed;
  }
  printf("%ld power failures at %zu operations; %ld took back a commit\n", count, operations, taken_back);
}

/* ---- Saves in parts: the process ends, or the power fails, while they are made. */

static uint64_t crowd_states[CROWD_CALLS + 1];

static uint64_t crowd_state(fencepost_monitor *monitor) {
  size_t size;
  unsigned char *bytes = snapshot_of(monitor, &size);
  uint64_t sum = 14695981039346656037u;
  for (size_t i = 0; i < size; i++) sum = (sum ^ bytes[i]) * 1099511628211u;
  free(bytes);
  return sum;
}

static void run_crowd(progress *shared) {
  fencepost_monitor *monitor;
  if (open_crowd(&monitor, 0)) _exit(3);
  for (long k = 0; k < CROWD_CALLS; k++) {
    files_mark(k);
    if (play_crowd(monitor, k)) _exit(4);
    shared->completed = k + 1;
  }
  fencepost_monitor_destroy(monitor);
}

/* What is opened must be the state after some call, from the last checkpoint before `completed` on. */
static void look_at_crowd(long completed, const char *what, long n) {
  long first = 0;
  for (long k = 0; k < completed; k++)
    if (is_checkpoint(k)) first = k + 1;
  char path[600];
  path_of(path, "m.fencepost");
  if (access(path, F_OK) && completed == 0) return;
  fencepost_monitor *monitor;
  if (open_crowd(&monitor, 0)) {
    FAIL("%s at operation %ld, after %ld calls: %s", what, n, completed, error.message);
    return;
  }
  uint64_t state = crowd_state(monitor);
  long found = -1;
  for (long k = first; k <= completed + 1 && k <= CROWD_CALLS; k++)
    if (crowd_states[k] == state) found = k;
  if (found < 0) FAIL("%s at operation %ld, after %ld calls: another state", what, n, completed);
  fencepost_monitor_destroy(monitor);
  char command[700];
  snprintf(command, sizeof command, "[ \"$(ls -A '%s')\" = m.fencepost ]", folder);
  if (system(command)) FAIL("%s at operation %ld: something is left beside the store", what, n);
}

static void test_parts(long count) {
  fencepost_monitor *monitor;
  if (open_crowd(&monitor, 1)) abort();
  crowd_states[0] = crowd_state(monitor);
  for (long k = 0; k < CROWD_CALLS; k++) {
    if (play_crowd(monitor, k)) FAIL("call %ld in memory: %s", k, error.message);
    crowd_states[k + 1] = crowd_state(monitor);
  }
  fencepost_monitor_destroy(monitor);
  progress *shared = share();
  clear();
  files_watch(folder, 1);
  run_crowd(shared);
  const op *trace;
  size_t operations = files_trace(&trace);
  long images = 0;
  for (size_t i = 0; i < operations; i++) images += trace[i].kind == OP_RENAME;
  if (images < 3) FAIL("%ld saves were made in parts; expected are 3", images);
  /* The same without a trace, which would grow with each child. */
  op *kept = malloc(operations * sizeof *kept);
  for (size_t i = 0; i < operations; i++) {
    kept[i] = trace[i];
    if (!trace[i].data) continue;
    kept[i].data = malloc(trace[i].size);
    memcpy(kept[i].data, trace[i].data, trace[i].size);
  }
  files_stop();
  for (long i = 0; i < count; i++) {
    long n = (long)below(operations);
    clear();
    if (i % 2) {
      power_failure(kept, (size_t)n);
      put_disk();
      look_at_crowd(n ? kept[n - 1].call : 0, "the power failed", n);
      continue;
    }
    memset(shared, 0, sizeof *shared);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      files_watch(folder, 0);
      files_kill(n, (int)(i / 2 & 1));
      run_crowd(shared);
      _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    if (!WIFSIGNALED(status)) FAIL("operation %ld was not reached", n);
    look_at_crowd(shared->completed, "killed", n);
  }
  printf("%ld kills and power failures while %ld saves were made in parts, at %zu operations\n", count, images,
         operations);
}

/* ---- Copies of the files that were made at different moments. */

static void test_torn(long count) {
  enum {
    CALLS = 200
  };
  imagine(CALLS);
  size_t operations;
  op *trace = life_trace(CALLS, &operations);
  long refused = 0, opened = 0;
  for (long i = 0; i < count; i++) {
    size_t moments[2] = {below(operations + 1), below(operations + 1)};
    if (i % 2) moments[1] = moments[0] + below(40);
    if (moments[1] > operations) moments[1] = operations;
    clear();
    for (int m = 0; m < 2; m++) {
      disk_reset();
      for (size_t k = 0; k < moments[m]; k++) disk_apply(&trace[k], 1);
      const char *name = m ? "m.fencepost-wal" : "m.fencepost";
      int inode = disk_inode(name);
      if (inode >= 0) write_file(name, disk_file_of(inode)->bytes, disk_file_of(inode)->size);
    }
    long state = found_state(0, CALLS);
    if (state == -1) FAIL("a copy of operation %zu with the log of %zu is another state", moments[0], moments[1]);
    if (state == -2) refused++;
    else opened++;
  }
  printf("%ld torn copies: %ld refused, %ld opened in a state that was\n", count, refused, opened);
}

/* ---- A disk that fails. */

static void put_store(void) {
  fencepost_monitor *monitor;
  if (open_monitor(&monitor, 0)) abort();
  for (long k = 0; k < 30; k++) play(monitor, k);
  fencepost_monitor_destroy(monitor);
}

/* A store as a crash leaves it, with its log. */
static void put_crashed_store(void) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    fencepost_monitor *monitor;
    if (open_monitor(&monitor, 0)) abort();
    for (long k = 0; k < 30; k++) play(monitor, k);
    _exit(0);
  }
  waitpid(child, NULL, 0);
}

/* Opening a store while nothing can be written: it begins in memory, tells so, and saves when it can. */
static void open_on_full_disk(int with_log, int changed) {
  clear();
  if (with_log) put_crashed_store();
  else put_store();
  const char *what = with_log ? "with a log, on a full disk" : "on a full disk";
  files_watch(folder, 0);
  files_fail(0, 1000000, ENOSPC, 1);
  fencepost_monitor_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  options.delivery = FENCEPOST_DELIVERY_EVERY;
  options.store_directory = folder;
  if (changed) options.beacon_exit_timeout_us = 45000000;
  fencepost_monitor *monitor;
  if (fencepost_monitor_create("m", &options, &monitor, &error)) {
    FAIL("a store %s is refused: %s", what, error.message);
    files_stop();
    return;
  }
  fencepost_statistics statistics = FENCEPOST_STATISTICS_INIT;
  if (fencepost_monitor_statistics(monitor, &statistics, NULL)) abort();
  /* Reading needs no disk; what is not kept yet are the options. */
  if (statistics.store != (changed ? FENCEPOST_STORE_FAILING : FENCEPOST_STORE_KEPT))
    FAIL("a store %s has the status %u", what, statistics.store);
  if (add(monitor, 9, 0) || feed(monitor, 90000, 0)) FAIL("%s", error.message);
  fencepost_event event;
  size_t polled;
  int told = 0;
  do {
    if (fencepost_monitor_poll_events(monitor, &event, 1, &polled, &error)) FAIL("%s", error.message);
    if (polled && event.cause == FENCEPOST_CAUSE_DIAGNOSTIC) told++;
  } while (polled);
  if (told != 1) FAIL("%d events tell of a store %s", told, what);
  files_fail(0, 0, 0, 0);
  if (fencepost_monitor_checkpoint(monitor, &error)) FAIL("a store %s, later: %s", what, error.message);
  size_t size, again;
  unsigned char *before = snapshot_of(monitor, &size);
  fencepost_monitor_destroy(monitor);
  files_stop();
  if (fencepost_monitor_create("m", &options, &monitor, &error)) {
    FAIL("a store %s, opened again: %s", what, error.message);
    return;
  }
  unsigned char *after = snapshot_of(monitor, &again);
  if (size != again || memcmp(before, after, size)) FAIL("a store %s is another one afterwards", what);
  free(before);
  free(after);
  fencepost_monitor_destroy(monitor);
}

static void test_fail(long count) {
  enum {
    CALLS = 200
  };
  imagine(CALLS);
  progress *shared = share();
  clear();
  files_watch(folder, 0);
  run_life(CALLS, 0, shared);
  long operations = files_count();
  files_stop();
  static const int errors[] = {ENOSPC, EIO, EDQUOT};
  long refused = 0;
  for (long i = 0; i < count; i++) {
    long first = (long)below((uint64_t)operations), number = 1 + (long)below(i % 3 == 0 ? 3 : 40);
    int torn = (int)(i & 1);
    clear();
    files_watch(folder, 0);
    files_fail(first, number, errors[i % 3], torn);
    fencepost_monitor *monitor;
    fencepost_status status = open_monitor(&monitor, 0);
    if (status) {
      refused++;
      files_stop();
      char command[700];
      snprintf(command, sizeof command, "[ -z \"$(ls -A '%s')\" ]", folder);
      if (status != FENCEPOST_E_STORE_UNAVAILABLE) FAIL("failing at %ld: %d %s", first, (int)status, error.message);
      if (system(command)) FAIL("a creation that failed at operation %ld left something", first);
      continue;
    }
    for (long k = 0; k < CALLS; k++)
      if ((status = play(monitor, k))) FAIL("failing at %ld, call %ld: %s", first, k, error.message);
    files_fail(0, 0, 0, 0);
    if ((status = fencepost_monitor_checkpoint(monitor, &error))) FAIL("after it failed: %s", error.message);
    size_t size, again;
    unsigned char *before = snapshot_of(monitor, &size);
    fencepost_monitor_destroy(monitor);
    files_stop();
    if (open_monitor(&monitor, 0)) {
      FAIL("failing at %ld for %ld: %s", first, number, error.message);
      continue;
    }
    unsigned char *after = snapshot_of(monitor, &again);
    if (size != again || memcmp(before, after, size)) FAIL("failing at %ld for %ld: another state", first, number);
    free(before);
    free(after);
    fencepost_monitor_destroy(monitor);
  }
  for (int i = 0; i < 4; i++) open_on_full_disk(i & 1, i >> 1);
  printf("%ld failing disks at %ld operations, %ld while creating\n", count, operations, refused);
}

/* ---- Bits that flip. */

static void test_flips(long count) {
  enum {
    CONDITIONS = 2000
  };
  clear();
  fencepost_monitor *monitor;
  if (open_monitor(&monitor, 0)) abort();
  for (int i = 0; i < CONDITIONS; i++)
    if (add(monitor, i, i * 0.01 - 10)) abort();
  for (int i = 0; i < 1500; i++)
    if (feed(monitor, 1000 + i, (i * 7 % CONDITIONS) * 0.01 - 10)) abort();
  fencepost_event events[64];
  size_t polled;
  for (int i = 0; i < 20; i++) fencepost_monitor_poll_events(monitor, events, 64, &polled, &error);
  fencepost_monitor_destroy(monitor);
  char path[600];
  path_of(path, "m.fencepost");
  size_t size, pages;
  unsigned char *sound = read_file(path, &size);
  pages = size / 1024;
  size_t *interior = malloc(pages * sizeof *interior), interiors = 0;
  for (size_t p = 1; p < pages; p++)
    if (sound[p * 1024] == 2) interior[interiors++] = p;
  if (open_monitor(&monitor, 0)) abort();
  size_t state_size;
  unsigned char *state = snapshot_of(monitor, &state_size);
  fencepost_monitor_destroy(monitor);
  long refused = 0;
  for (long i = 0; i < count; i++) {
    size_t page = i % 4 == 0 ? below(pages) : i % 16 == 1 ? 0 : interior[below(interiors)];
    size_t place = page * 1024 + (i % 3 ? below(1024) : below(120));
    unsigned char bit = (unsigned char)(1u << below(8));
    sound[place] ^= bit;
    clear();
    write_file("m.fencepost", sound, size);
    fencepost_status status = open_monitor(&monitor, 0);
    if (status) {
      refused++;
      size_t left;
      unsigned char *now = read_file(path, &left);
      if (left != size || memcmp(now, sound, size)) FAIL("bit of byte %zu: refused, and changed", place);
      if (status != FENCEPOST_E_STORE_CORRUPT && status != FENCEPOST_E_STORE_TOO_NEW)
        FAIL("bit of byte %zu: %d %s", place, (int)status, error.message);
      free(now);
      sound[place] ^= bit;
      continue;
    }
    size_t opened_size;
    unsigned char *opened = snapshot_of(monitor, &opened_size);
    if (opened_size != state_size || memcmp(opened, state, state_size)) FAIL("bit of byte %zu: another state", place);
    free(opened);
    for (int k = 0; k < 50; k++) {
      int what = k % 5;
      if (what == 0) status = add(monitor, (int)below(3000), 5);
      else if (what == 4) status = fencepost_monitor_poll_events(monitor, events, 8, &polled, &error);
      else status = feed(monitor, 100000 + k, (double)below(CONDITIONS) * 0.01 - 10);
      if (status) FAIL("bit of byte %zu: later %s", place, error.message);
    }
    if (fencepost_monitor_checkpoint(monitor, &error)) FAIL("bit of byte %zu: later %s", place, error.message);
    size_t last_size, again_size;
    unsigned char *last = snapshot_of(monitor, &last_size);
    fencepost_monitor_destroy(monitor);
    if (open_monitor(&monitor, 0)) {
      FAIL("bit of byte %zu: opened once and not again: %s", place, error.message);
    } else {
      unsigned char *again = snapshot_of(monitor, &again_size);
      if (again_size != last_size || memcmp(again, last, last_size)) FAIL("bit of byte %zu: lost later", place);
      free(again);
      fencepost_monitor_destroy(monitor);
    }
    free(last);
    sound[place] ^= bit;
  }
  printf("%ld flipped bits in %zu pages, %zu of them interior: %ld refused\n", count, pages, interiors, refused);
}

/* ---- A store of 0.1 is replaced by one of this version. */

static void test_migrate(const char *golden) {
  for (int with_log = 0; with_log < 2; with_log++) {
    char path[600];
    size_t size, log_size = 0, state_size;
    snprintf(path, sizeof path, "%s/store-1-killed.fencepost", golden);
    unsigned char *file = read_file(path, &size), *log = NULL;
    if (with_log) {
      snprintf(path, sizeof path, "%s/store-1-killed.wal", golden);
      log = read_file(path, &log_size);
    }
    long operations = -1, refused = 0;
    unsigned char *state = NULL;
    for (long n = -1; n < 2 * (operations < 0 ? 1 : operations); n++) {
      clear();
      write_file("m.fencepost", file, size);
      if (log) write_file("m.fencepost-wal", log, log_size);
      fencepost_monitor *monitor;
      if (n < 0) {
        files_watch(folder, 0);
        if (open_monitor(&monitor, 0)) {
          FAIL("a store of 0.1: %s", error.message);
          break;
        }
        operations = files_count();
        files_stop();
        state = snapshot_of(monitor, &state_size);
        fencepost_monitor_destroy(monitor);
        continue;
      }
      fflush(stdout);
      pid_t child = fork();
      if (child == 0) {
        files_watch(folder, 0);
        files_kill(n / 2, (int)(n & 1));
        open_monitor(&monitor, 0);
        _exit(0);
      }
      int status;
      waitpid(child, &status, 0);
      if (!WIFSIGNALED(status)) FAIL("operation %ld of opening a store of 0.1 was not reached", n / 2);
      if (open_monitor(&monitor, 0)) {
        FAIL("opening a store of 0.1 was killed at operation %ld: %s", n / 2, error.message);
        refused++;
        continue;
      }
      size_t now_size;
      unsigned char *now = snapshot_of(monitor, &now_size);
      if (now_size != state_size || memcmp(now, state, state_size))
        FAIL("opening a store of 0.1 was killed at operation %ld: another state", n / 2);
      free(now);
      fencepost_monitor_destroy(monitor);
    }
    printf("a store of 0.1 %s: opening was killed at each of %ld operations\n", with_log ? "with its log" : "alone",
           operations);
  }
}

/* ---- What an event costs. */

static void test_cost(long count) {
  clear();
  files_watch(folder, 0);
  fencepost_monitor *monitor;
  if (open_monitor(&monitor, 0)) abort();
  for (int i = 0; i < 1000; i++)
    if (add(monitor, i, i * 0.01)) abort();
  fencepost_event event;
  size_t polled;
  for (long i = 0; i < 2200; i++) {
    if (feed(monitor, 1000 + i, i * 7 % 1000 * 0.01 + (i & 1 ? 0.005 : 0))) abort();
    do fencepost_monitor_poll_events(monitor, &event, 1, &polled, &error);
    while (polled);
  }
  uint64_t bytes = files_bytes(), times = files_syncs();
  long events = 0;
  for (long i = 0; events < count; i++) {
    if (feed(monitor, 10000 + i, i * 7 % 1000 * 0.01 + (i & 1 ? 0.005 : 0))) abort();
    fencepost_statistics statistics = FENCEPOST_STATISTICS_INIT;
    if (fencepost_monitor_statistics(monitor, &statistics, NULL)) abort();
    for (uint64_t k = 0; k < statistics.pending_events; k++) {
      if (fencepost_monitor_poll_events(monitor, &event, 1, &polled, &error)) abort();
      if (fencepost_monitor_acknowledge(monitor, &error)) abort();
      events++;
    }
  }
  double size = (double)(files_bytes() - bytes) / (double)events;
  double syncs = (double)(files_syncs() - times) / (double)events;
  files_stop();
  fencepost_monitor_destroy(monitor);
  printf("an event that is fed, polled and acknowledged writes %.1f KB and waits for the disk %.2f times\n",
         size / 1024, syncs);
  if (size > 12 * 1024) FAIL("accepted are 12 KB");
  /* Two of its own; folding in the log takes three or four for some sixty events. */
  if (syncs > 2.1) FAIL("accepted are 2.1 times");
}

/* ---- A disk with little room: FOLDER is on a file system of 512 KB. */

static void test_small(long count) {
  clear();
  fencepost_monitor *monitor;
  if (open_monitor(&monitor, 0)) {
    FAIL("%s", error.message);
    return;
  }
  for (int i = 0; i < 1000; i++)
    if (add(monitor, i, i * 0.01)) abort();
  fencepost_event events[8];
  size_t polled;
  char path[600];
  path_of(path, "m.fencepost-wal");
  off_t longest = 0;
  for (long i = 0; i < count; i++) {
    if (feed(monitor, 1000 + i, i * 7 % 1000 * 0.01)) abort();
    fencepost_monitor_poll_events(monitor, events, 8, &polled, &error);
    fencepost_statistics statistics = FENCEPOST_STATISTICS_INIT;
    if (fencepost_monitor_statistics(monitor, &statistics, NULL)) abort();
    struct stat log;
    if (!stat(path, &log) && log.st_size > longest) longest = log.st_size;
    if (statistics.store != FENCEPOST_STORE_KEPT) {
      fencepost_monitor_checkpoint(monitor, &error);
      FAIL("after %ld changes the store is not kept: %s", i, error.message);
      break;
    }
  }
  size_t size, again;
  unsigned char *before = snapshot_of(monitor, &size);
  fencepost_monitor_destroy(monitor);
  if (open_monitor(&monitor, 0)) {
    FAIL("%s", error.message);
    return;
  }
  unsigned char *after = snapshot_of(monitor, &again);
  if (size != again || memcmp(before, after, size)) FAIL("another state");
  fencepost_monitor_destroy(monitor);
  struct stat file;
  path_of(path, "m.fencepost");
  if (stat(path, &file)) abort();
  printf("1000 conditions and %ld changes on 512 KB: a file of %ld KB, a log of up to %ld KB\n", count,
         (long)file.st_size / 1024, (long)longest / 1024);
}

/* ---- Processes that open one name together: one of them gets it, whether it exists or not. */

enum {
  RACERS = 4
};

typedef struct {
  int ready, go, done;
  fencepost_status statuses[RACERS];
} race;

static void run_racer(race *shared, int number) {
  fencepost_monitor *monitor;
  __atomic_add_fetch(&shared->ready, 1, __ATOMIC_SEQ_CST);
  while (!__atomic_load_n(&shared->go, __ATOMIC_SEQ_CST)) continue;
  shared->statuses[number] = open_monitor(&monitor, 0);
  __atomic_add_fetch(&shared->done, 1, __ATOMIC_SEQ_CST);
  /* Whoever has it keeps it until all have tried. */
  while (__atomic_load_n(&shared->done, __ATOMIC_SEQ_CST) < RACERS) usleep(50);
  _exit(0);
}

static void test_race(long count) {
  race *shared = mmap(NULL, sizeof(race), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) abort();
  for (long i = 0; i < count; i++) {
    clear();
    fencepost_monitor *monitor;
    if (i % 3 == 1) {
      if (open_monitor(&monitor, 0)) abort();
      fencepost_monitor_destroy(monitor);
    } else if (i % 3 == 2) {
      /* What a process left that ended while it made the store. */
      write_file(".m.fencepost-abcdef", "x", 1);
    }
    memset(shared, 0, sizeof *shared);
    fflush(stdout);
    for (int k = 0; k < RACERS; k++)
      if (fork() == 0) run_racer(shared, k);
    while (__atomic_load_n(&shared->ready, __ATOMIC_SEQ_CST) < RACERS) usleep(50);
    __atomic_store_n(&shared->go, 1, __ATOMIC_SEQ_CST);
    for (int k = 0; k < RACERS; k++) wait(NULL);
    int winners = 0;
    for (int k = 0; k < RACERS; k++) {
      if (shared->statuses[k] == FENCEPOST_OK) winners++;
      else if (shared->statuses[k] != FENCEPOST_E_MONITOR_IN_USE)
        FAIL("race %ld: one failed with %d", i, (int)shared->statuses[k]);
    }
    if (winners != 1) FAIL("race %ld: %d of %d processes have the monitor", i, winners, RACERS);
    if (open_monitor(&monitor, 0)) FAIL("race %ld: afterwards: %s", i, error.message);
    fencepost_monitor_destroy(monitor);
    char command[700];
    snprintf(command, sizeof command, "[ \"$(ls -A '%s')\" = m.fencepost ]", folder);
    if (system(command)) FAIL("race %ld: something is left beside the store", i);
  }
  printf("%ld races of %d processes for one name\n", count, RACERS);
}

/* ---- A store that may only be read: it begins in memory, says so, and changes nothing. */

static void run_reader(void) {
  fencepost_monitor *monitor, *other;
  fencepost_statistics statistics = FENCEPOST_STATISTICS_INIT;
  fencepost_event event;
  size_t polled;
  if (open_monitor(&monitor, 0)) {
    FAIL("a store that may only be read: %s", error.message);
    return;
  }
  if (fencepost_monitor_statistics(monitor, &statistics, NULL)) abort();
  if (statistics.store != FENCEPOST_STORE_FAILING)
    FAIL("a store that may only be read has the status %u", statistics.store);
  if (statistics.input_count != state_sizes[0]) FAIL("a store that may only be read is another one");
  int told = 0;
  do {
    fencepost_monitor_poll_events(monitor, &event, 1, &polled, &error);
    if (polled && event.diagnostics & FENCEPOST_DIAGNOSTIC_PERSISTENCE_UNAVAILABLE) told++;
  } while (polled);
  if (told != 1) FAIL("%d events tell that a store may only be read", told);
  if (feed(monitor, 90000, 0.01)) FAIL("%s", error.message);
  if (open_monitor(&other, 0) != FENCEPOST_E_MONITOR_IN_USE) FAIL("two have a store that may only be read");
  if (fencepost_monitor_checkpoint(monitor, &error) != FENCEPOST_E_STORE_UNAVAILABLE ||
      !strstr(error.message, "cannot be opened for writing"))
    FAIL("a checkpoint of a store that may only be read: %s", error.message);
  if (fencepost_monitor_close(monitor, &error) != FENCEPOST_E_STORE_UNAVAILABLE) FAIL("closing did not tell");
  fencepost_monitor_destroy(monitor);
}

static void test_readonly(long count) {
  for (long i = 0; i < count; i++) {
    int with_log = (int)(i & 1), fixed_folder = (int)(i >> 1 & 1);
    clear();
    if (with_log) put_crashed_store();
    else put_store();
    char path[600], command[4000], aside[600];
    const char *place = folder;
    size_t size, after;
    path_of(path, "m.fencepost");
    unsigned char *before = read_file(path, &size);
    /* How many inputs it has, from a copy. */
    snprintf(aside, sizeof aside, "%s/aside", folder);
    snprintf(command, sizeof command, "mkdir '%s' && cp '%s'/m.* '%s'", aside, place, aside);
    if (system(command)) abort();
    folder = aside;
    fencepost_monitor *monitor;
    fencepost_statistics statistics = FENCEPOST_STATISTICS_INIT;
    if (open_monitor(&monitor, 0) || fencepost_monitor_statistics(monitor, &statistics, NULL)) abort();
    state_sizes[0] = statistics.input_count;
    fencepost_monitor_destroy(monitor);
    folder = place;
    snprintf(command, sizeof command, "rm -r '%s' && ls -A '%s' > '%s.names' && chmod 0400 '%s'/* && chmod %s '%s'",
             aside, place, place, place, fixed_folder ? "0500" : "0700", place);
    if (system(command)) abort();
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      /* The superuser may write everything. */
      snprintf(command, sizeof command, "chown -R 65534 '%s'", place);
      if (getuid() == 0 && (system(command) || setuid(65534))) abort();
      run_reader();
      fflush(stdout);
      _exit(failures != 0);
    }
    int status;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status)) failures++;
    unsigned char *now = read_file(path, &after);
    if (size != after || memcmp(before, now, size)) FAIL("a store that may only be read was changed");
    snprintf(command, sizeof command, "chmod 0700 '%s' && ls -A '%s' | cmp - '%s.names' && rm '%s.names'", place, place,
             place, place);
    if (system(command)) FAIL("beside a store that may only be read something was left");
    free(before);
    free(now);
  }
  printf("%ld stores that may only be read, with and without a log, in folders that may and may not be written\n",
         count);
}

/* ---- A million conditions. */

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static long peak_megabytes(void) {
  FILE *file = fopen("/proc/self/status", "r");
  char line[256];
  long kilobytes = 0;
  while (file && fgets(line, sizeof line, file)) sscanf(line, "VmHWM: %ld", &kilobytes);
  if (file) fclose(file);
  return kilobytes / 1024;
}

/* Processor time of this thread, which other work on the machine does not change. */
static double processor_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Whether a save is being made in parts. */
static int has_draft(void) {
  DIR *listing = opendir(folder);
  int found = 0;
  for (struct dirent *entry; (entry = readdir(listing));) found |= strncmp(entry->d_name, ".m.", 3) == 0;
  closedir(listing);
  return found;
}

/* Lets time pass until a save has become due and is complete; tells the longest stop of a call. */
static void let_save(fencepost_monitor *monitor, int64_t *time_us, long count, const char *what) {
  double longest = 0, longest_wait = 0, all = 0;
  long calls = 0, log = 0;
  char path[600];
  path_of(path, "m.fencepost-wal");
  do {
    double start = processor_seconds(), clock = seconds();
    *time_us += calls ? 1 : 2000000000;
    if (fencepost_monitor_advance(monitor, *time_us, &error)) FAIL("%s", error.message);
    double stop = processor_seconds() - start, wait = seconds() - clock;
    if (stop > longest) longest = stop;
    if (wait > longest_wait) longest_wait = wait;
    all += stop;
    calls++;
    struct stat file;
    if (!stat(path, &file) && file.st_size > log) log = (long)file.st_size;
  } while (has_draft() && calls < count);
  printf("%s: %.2f s of the processor in %ld calls, %.3f s at most in one (%.3f s by the clock), a log of %.1f MB\n",
         what, all, calls, longest, longest_wait, (double)log / 1048576);
  if (has_draft()) FAIL("the save is not complete after %ld calls", calls);
  if (longest > 0.25) FAIL("accepted are 0.25 s in one call");
  if (log > 16 << 20) FAIL("accepted are 16 MB of log");
}

static void test_million(long count) {
  clear();
  fencepost_monitor_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  options.delivery = FENCEPOST_DELIVERY_EVERY;
  options.store_directory = folder;
  options.durability = FENCEPOST_DURABILITY_RELAXED;
  options.checkpoint_interval_us = 1000000000;
  options.max_pending_events = 1000000000;
  fencepost_monitor *monitor;
  if (fencepost_monitor_create("m", &options, &monitor, &error)) abort();
  long side = 1;
  while (side * side < count) side++;
  fencepost_condition_options as_default = FENCEPOST_CONDITION_OPTIONS_INIT;
  for (long i = 0; i < count; i++) {
    char name[64];
    snprintf(name, sizeof name, "place %ld", i);
    if (fencepost_monitor_add_circular_condition(monitor, name, (double)(i / side) * 0.002 - 1,
                                                 (double)(i % side) * 0.002, 80, &as_default, &error))
      abort();
  }
  int64_t time_us = 1000000000;
  let_save(monitor, &time_us, count, "saving new conditions");
  /* Every condition has lived: one change of the host, and back, each with an event that is handled. */
  static fencepost_event events[4096];
  size_t polled;
  for (int k = 0; k < 2; k++) {
    fencepost_status status = fencepost_monitor_set_host_capabilities(
        monitor, k ? 0 : FENCEPOST_DIAGNOSTIC_AUTHORIZATION_DENIED, 0, time_us, &error);
    if (status) FAIL("%s", error.message);
    let_save(monitor, &time_us, count, "saving an event of each");
    do fencepost_monitor_poll_events(monitor, events, 4096, &polled, &error);
    while (polled);
    let_save(monitor, &time_us, count, "saving that they were handled");
  }
  fencepost_monitor_destroy(monitor);
  char path[600];
  path_of(path, "m.fencepost");
  struct stat file;
  if (stat(path, &file)) abort();
  printf("%.0f bytes a condition on the disk\n", (double)file.st_size / (double)count);
  if ((double)file.st_size / (double)count > 200) FAIL("accepted are 200");
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    char self[600], arguments[64];
    snprintf(arguments, sizeof arguments, "%ld", count);
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length < 0 ? 0 : length] = 0;
    execl(self, self, "open", folder, arguments, (char *)NULL);
    _exit(127);
  }
  int status;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status)) FAIL("opening it failed");
}

static void test_open(long count) {
  fencepost_monitor_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  options.store_directory = folder;
  options.max_pending_events = 1000000000;
  fencepost_monitor *monitor;
  double start = seconds(), work = processor_seconds();
  if (fencepost_monitor_create("m", &options, &monitor, &error)) {
    FAIL("%s", error.message);
    return;
  }
  work = processor_seconds() - work;
  printf("opening: %.2f s of the processor, %.2f s by the clock, %ld MB at the peak\n", work, seconds() - start,
         peak_megabytes());
  if (count >= 1000000 && work > 3) FAIL("accepted are 3 s");
  if (count >= 1000000 && peak_megabytes() > 300) FAIL("accepted are 300 MB");
  fencepost_monitor_destroy(monitor);
}

int main(int arguments, char **values) {
  if (arguments < 4) return 2;
  const char *command = values[1];
  folder = values[2];
  long count = atol(values[3]);
  const char *seed = getenv("FENCEPOST_SEED");
  random_state = seed ? strtoull(seed, NULL, 10) : 20261122;
  uint64_t used = random_state;
  if (!strcmp(command, "kill")) test_kill(count);
  else if (!strcmp(command, "power")) test_power(count);
  else if (!strcmp(command, "parts")) test_parts(count);
  else if (!strcmp(command, "torn")) test_torn(count);
  else if (!strcmp(command, "fail")) test_fail(count);
  else if (!strcmp(command, "flips")) test_flips(count);
  else if (!strcmp(command, "migrate")) test_migrate(values[4]);
  else if (!strcmp(command, "cost")) test_cost(count);
  else if (!strcmp(command, "small")) test_small(count);
  else if (!strcmp(command, "race")) test_race(count);
  else if (!strcmp(command, "readonly")) test_readonly(count);
  else if (!strcmp(command, "million")) test_million(count);
  else if (!strcmp(command, "open")) test_open(count);
  else return 2;
  if (failures) printf("%s: %d failures, seed %llu\n", command, failures, (unsigned long long)used);
  return failures != 0;
}
