/* POSIX file functions in a form that every build of the library can import: an ordinary build through the system's
   module, an Embedded build without it. Adds items that Swift does not import: errno, variadic functions, and macros
   that are not plain numbers. */
#ifndef CPOSIX_H
#define CPOSIX_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static inline int cposix_errno(void) { return errno; }

static inline int cposix_open(const char *path, int flags) { return open(path, flags); }

/* Sets a descriptor's flags (F_SETFD). */
static inline int cposix_set_descriptor_flags(int descriptor, int flags) { return fcntl(descriptor, F_SETFD, flags); }

/* Returns the nanosecond part of the time of the last modification. */
static inline int64_t cposix_written_nanoseconds(const struct stat *status) {
#if defined(__APPLE__)
  return status->st_mtimespec.tv_nsec;
#else
  return status->st_mtim.tv_nsec;
#endif
}

static inline int64_t cposix_written_seconds(const struct stat *status) {
#if defined(__APPLE__)
  return status->st_mtimespec.tv_sec;
#else
  return status->st_mtim.tv_sec;
#endif
}

static inline int cposix_is_file(const struct stat *status) { return S_ISREG(status->st_mode); }
static inline int cposix_is_directory(const struct stat *status) { return S_ISDIR(status->st_mode); }
static inline int cposix_is_link(const struct stat *status) { return S_ISLNK(status->st_mode); }

/* Returns whether a lock or descriptor was not available at once; some systems have two error numbers for this, and
   others have one. */
static inline int cposix_would_block(void) { return errno == EWOULDBLOCK || errno == EAGAIN; }

/* Returns the name of a directory entry as a pointer, because Swift would import the array as a tuple. */
static inline const char *cposix_entry_name(const struct dirent *entry) { return entry->d_name; }

#endif
