/* Contains the parts of the module that are not in the library: memory, and functions that wasi-libc lacks or would
 * import from a host.
 *
 * The engine cannot continue if an allocation fails. The wrapped allocators record the failure and end the call with a
 * trap, instead of returning the null pointer, which in WebAssembly is an ordinary address. JavaScript calls
 * fencepost_js_allocate(), which returns null on failure. All allocators count the bytes in use, so that JavaScript can
 * refuse a call in advance. */
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **memory, size_t alignment, size_t size);
void __real_free(void *memory);

static uint32_t is_out_of_memory;
static size_t used;

static void *counted(void *memory) {
  if (memory != NULL) used += malloc_usable_size(memory);
  return memory;
}

static void *checked(void *memory) {
  if (memory == NULL) {
    is_out_of_memory = 1;
    __builtin_trap();
  }
  return counted(memory);
}

void *__wrap_malloc(size_t size) { return checked(__real_malloc(size)); }
void *__wrap_calloc(size_t count, size_t size) { return checked(__real_calloc(count, size)); }
void *__wrap_aligned_alloc(size_t alignment, size_t size) { return checked(__real_aligned_alloc(alignment, size)); }

void __wrap_free(void *memory) {
  if (memory != NULL) used -= malloc_usable_size(memory);
  __real_free(memory);
}

void *__wrap_realloc(void *memory, size_t size) {
  if (memory != NULL) used -= malloc_usable_size(memory);
  return checked(__real_realloc(memory, size != 0 ? size : 1));
}

int __wrap_posix_memalign(void **memory, size_t alignment, size_t size) {
  if (__real_posix_memalign(memory, alignment, size) != 0) *memory = NULL;
  checked(*memory);
  return 0;
}

__attribute__((export_name("fencepost_js_allocate"))) void *fencepost_js_allocate(size_t size) {
  return counted(__real_malloc(size));
}

__attribute__((export_name("fencepost_js_release"))) void fencepost_js_release(void *memory) { __wrap_free(memory); }

__attribute__((export_name("fencepost_js_used"))) size_t fencepost_js_used(void) { return used; }

__attribute__((export_name("fencepost_js_is_out_of_memory"))) uint32_t fencepost_js_is_out_of_memory(void) {
  return is_out_of_memory;
}

/* Sets the seed of Swift's hash tables. A module without imports has no source of randomness, so JavaScript provides
 * the seed. The order of a hash table never affects an event. (splitmix64; G. Steele, D. Lea and C. Flood, OOPSLA
 * 2014.) */
static uint64_t state;

__attribute__((export_name("fencepost_js_seed"))) void fencepost_js_seed(uint64_t seed) { state = seed; }

void arc4random_buf(void *buffer, size_t count) {
  for (size_t i = 0; i < count; i++) {
    uint64_t z = state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    ((unsigned char *)buffer)[i] = (unsigned char)((z ^ (z >> 31)) >> 56);
  }
}

/* Only Swift's print() refers to putchar(), and the module never prints. The C library's putchar() would import a file
   descriptor. */
int putchar(int character) { return character; }

void *__stack_chk_guard = (void *)0x5bd1e995;
_Noreturn void __stack_chk_fail(void) { __builtin_trap(); }
