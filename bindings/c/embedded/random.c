/* The seed of Swift's hash tables, which Embedded Swift reads from arc4random_buf(). glibc has that function only since 2.36.
   The order of a hash table never affects an event. */
#if !defined(__wasm__) /* bindings/js/wasm.c defines it there, because the module may ask its host for nothing */
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
