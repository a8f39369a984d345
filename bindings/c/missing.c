/*
 * Defines functions that code compiled with a newer glibc or libstdc++ calls. The older versions that older-glibc.sh
 * links against do not have these functions under the same names. The functions are hidden symbols: each library
 * contains only the functions that it uses.
 */
#include <stdlib.h>

/*
 * Until glibc 2.33 each program had its own stat(), which passed the layout version of its structure to the library: 1
 * on x86-64, 0 for the kernel's own layout. glibc still has the function that takes this layout version.
 */
#if defined(__x86_64__)
#define STAT_LAYOUT 1
#else
#define STAT_LAYOUT 0
#endif

struct stat;
struct stat64;
int __xstat(int layout, const char *path, struct stat *status);
int __lxstat(int layout, const char *path, struct stat *status);
int __fxstat(int layout, int descriptor, struct stat *status);
int __xstat64(int layout, const char *path, struct stat64 *status);
int __lxstat64(int layout, const char *path, struct stat64 *status);
int __fxstat64(int layout, int descriptor, struct stat64 *status);

int stat(const char *path, struct stat *status) { return __xstat(STAT_LAYOUT, path, status); }
int lstat(const char *path, struct stat *status) { return __lxstat(STAT_LAYOUT, path, status); }
int fstat(int descriptor, struct stat *status) { return __fxstat(STAT_LAYOUT, descriptor, status); }
int stat64(const char *path, struct stat64 *status) { return __xstat64(STAT_LAYOUT, path, status); }
int lstat64(const char *path, struct stat64 *status) { return __lxstat64(STAT_LAYOUT, path, status); }
int fstat64(int descriptor, struct stat64 *status) { return __fxstat64(STAT_LAYOUT, descriptor, status); }

/* This is std::__throw_bad_array_new_length() of GCC 11, which `new` calls if the size overflows. The library does not
   catch exceptions, so this function aborts instead of throwing one. */
_Noreturn void _ZSt28__throw_bad_array_new_lengthv(void) { abort(); }
