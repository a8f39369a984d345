/* The seed of Swift's hash tables, which Embedded Swift takes from arc4random_buf(). glibc has that function from 2.36 on
   only. The order of a hash table never shows in an event. */
#if !defined(__wasm__) /* there bindings/js/wasm.c has it: a host has to be asked for nothing */
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

long syscall(long number, ...);

__attribute__((visibility("hidden"))) void arc4random_buf(void *buffer, size_t count) {
  char *bytes = buffer;
  while (count > 0) {
    long got = syscall(SYS_getrandom, bytes, count, 0);
    if (got > 0) {
      bytes += got;
      count -= (size_t)got;
    }
  }
}
#endif
