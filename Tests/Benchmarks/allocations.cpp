// Counts the memory allocations of the whole process, including those of the shared library: the linker binds the
// library's malloc to these functions.
#include "allocations.hpp"

#include <cerrno>

static uint64_t counter = 0;
uint64_t allocations() { return counter; }

extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

void *malloc(size_t size) { return counter++, __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return counter++, __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return counter++, __libc_realloc(old, size); }
void *memalign(size_t alignment, size_t size) { return counter++, __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { return counter++, __libc_memalign(alignment, size); }
int posix_memalign(void **out, size_t alignment, size_t size) {
  counter++;
  void *memory = __libc_memalign(alignment, size);
  if (!memory) return ENOMEM;
  *out = memory;
  return 0;
}
}
