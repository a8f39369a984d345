/*
 * Measures the cost of loading the library: loads it, and prints the shortest time of all runs, each in a separate
 * process.
 *
 *     start LIBRARY RUNS. With RUNS 0, the library is loaded once in this process, to count the instructions of load()
 *     under callgrind.
 */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

__attribute__((noinline)) static void load(const char *library) {
  if (dlopen(library, RTLD_NOW) == NULL) {
    fprintf(stderr, "start: %s\n", dlerror());
    _exit(1);
  }
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

int main(int count, char **arguments) {
  if (count != 3) return 2;
  int runs = atoi(arguments[2]);
  if (runs == 0) load(arguments[1]);
  double least = 1e9;
  for (int run = 0; run < runs; run++) {
    int ends[2];
    if (pipe(ends) != 0) return 1;
    pid_t child = fork();
    if (child == 0) {
      double began = now();
      load(arguments[1]);
      double took = now() - began;
      _exit(write(ends[1], &took, sizeof took) != sizeof took);
    }
    close(ends[1]);
    double took;
    int status;
    if (read(ends[0], &took, sizeof took) != sizeof took || waitpid(child, &status, 0) != child || status != 0)
      return 1;
    close(ends[0]);
    if (took < least) least = took;
  }
  if (runs > 0) printf("%.2f ms\n", least);
  return 0;
}
