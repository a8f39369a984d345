/*
 * Tests the library in a sandbox that refuses getrandom(), as a kernel before 3.17 does: the library must work without
 * waiting for it. Stores must get different numbers even without getrandom(), both in one process and in its child
 * process.
 *
 *     sandbox FOLDER (stores are created in this folder)
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fencepost.h"

static void require(int is_true, const char *what) {
  if (is_true) return;
  fprintf(stderr, "sandbox: %s\n", what);
  exit(1);
}

static void refuse_getrandom(void) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getrandom, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof code / sizeof *code, code};
  require(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "prctl");
  require(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0, "seccomp");
  char byte;
  require(getrandom(&byte, 1, 0) == -1 && errno == ENOSYS, "getrandom() is not refused");
}

static void create(const char *folder, const char *name) {
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  options.store_directory = folder;
  fencepost_monitor *monitor;
  require(fencepost_monitor_create(name, &options, &monitor, &error) == FENCEPOST_OK, error.message);
  require(fencepost_monitor_add_circular_condition(monitor, "office", 37, -122, 200, NULL, &error) == FENCEPOST_OK,
          error.message);
  fencepost_fix fix = {37, -122, 5, 1700000000000000};
  require(fencepost_monitor_feed_fix(monitor, &fix, &error) == FENCEPOST_OK, error.message);
  fencepost_event event;
  uint32_t available;
  require(fencepost_monitor_poll_event(monitor, &event, &available, &error) == FENCEPOST_OK && available == 1,
          "no event");
  fencepost_monitor_destroy(monitor);
}

/* Returns the number of a store, which is in a comment in the definition of the store's table. */
static unsigned long long number(const char *folder, const char *name) {
  static char bytes[1 << 16];
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.fencepost", folder, name);
  FILE *file = fopen(path, "rb");
  require(file != NULL, path);
  size_t count = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  const char *mark = memmem(bytes, count, "/* store ", 9);
  require(mark != NULL, "no number");
  return strtoull(mark + 9, NULL, 16);
}

int main(int count, char **arguments) {
  require(count == 2, "usage: sandbox FOLDER");
  const char *folder = arguments[1], *names[] = {"one", "two", "three", "four"};
  alarm(120); /* kills this process if a call waits forever */
  refuse_getrandom();
  create(folder, "one");
  create(folder, "two");
  pid_t child = fork();
  if (child == 0) {
    create(folder, "three");
    return 0;
  }
  create(folder, "four");
  int status;
  require(waitpid(child, &status, 0) == child && status == 0, "the child");
  for (int one = 0; one < 4; one++) {
    require(number(folder, names[one]) != 0, "a store without a number");
    for (int other = 0; other < one; other++) {
      require(number(folder, names[one]) != number(folder, names[other]), "two stores have one number");
    }
  }
  return 0;
}
