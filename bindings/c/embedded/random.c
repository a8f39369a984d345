/* Provides random bytes, which Embedded Swift reads from arc4random_buf(). Swift uses the bytes to seed its hash
   tables, whose order never affects an event, and the library uses them as the number of a new store. glibc has
   arc4random_buf() only since 2.36. */
/* For WebAssembly, bindings/js/wasm.c defines arc4random_buf(), because the module must not import functions of its
   host. */
#if !defined(__wasm__)
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

long syscall(long number, ...);

/* Returns eight pseudo-random bytes for a process that cannot call getrandom(), because it is in a sandbox or the
   kernel is older than 3.17. The bytes are mixed from the 16 random bytes that the kernel gives each program at its
   start, the process id, which differs after a fork(), and a counter. The mixing function is that of SplitMix64
   (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014). */
static uint64_t without_getrandom(void) {
  static uint64_t count;
  uint64_t random[2] = {0, 0}, next;
  const void *given = (const void *)getauxval(AT_RANDOM);
  if (given != NULL) memcpy(random, given, sizeof random);
  next = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
  next = random[0] + (next + ((uint64_t)getpid() << 32)) * 0x9E3779B97F4A7C15u;
  next = (next ^ (next >> 30)) * 0xBF58476D1CE4E5B9u;
  next = (next ^ (next >> 27)) * 0x94D049BB133111EBu;
  return (next ^ (next >> 31)) + random[1];
}

__attribute__((visibility("hidden"))) void arc4random_buf(void *buffer, size_t count) {
  char *bytes = buffer;
  while (count > 0) {
    long got = syscall(SYS_getrandom, bytes, count, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      uint64_t word = without_getrandom();
      got = count < sizeof word ? (long)count : (long)sizeof word;
      memcpy(bytes, &word, (size_t)got);
    }
    bytes += got;
    count -= (size_t)got;
  }
}
#endif
