/* The Swift objects for x86-64 are compiled with glibc's headers, but the builds for musl use the same objects. So the
   system structures and constants that these objects use must be the same in both C libraries. This file is compiled
   with the headers of each C library; a difference fails the build. */
#define _GNU_SOURCE 1
#if defined(__x86_64__) && defined(__linux__)
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define AT(type, member, place) _Static_assert(offsetof(struct type, member) == place, #type "." #member)
#define IS(name, number) _Static_assert(name == number, #name)

_Static_assert(sizeof(struct stat) == 144, "stat");
AT(stat, st_dev, 0);
AT(stat, st_ino, 8);
AT(stat, st_mode, 24);
AT(stat, st_uid, 28);
AT(stat, st_gid, 32);
AT(stat, st_size, 48);
AT(stat, st_mtim, 88);
_Static_assert(sizeof(struct statvfs) == 112, "statvfs");
AT(statvfs, f_frsize, 8);
AT(statvfs, f_bavail, 32);
_Static_assert(sizeof(struct flock) == 32, "flock");
AT(flock, l_type, 0);
AT(flock, l_whence, 2);
AT(flock, l_start, 8);
AT(flock, l_len, 16);
AT(dirent, d_name, 19);
_Static_assert(sizeof(off_t) == 8 && sizeof(pid_t) == 4 && sizeof(uid_t) == 4 && sizeof(mode_t) == 4, "types");

IS(O_RDONLY, 0);
IS(O_RDWR, 2);
IS(O_NONBLOCK, 04000);
IS(O_NOFOLLOW, 0400000);
IS(O_CLOEXEC, 02000000);
IS(F_SETFD, 2);
IS(F_RDLCK, 0);
IS(F_WRLCK, 1);
IS(F_UNLCK, 2);
IS(LOCK_SH, 1);
IS(LOCK_EX, 2);
IS(LOCK_NB, 4);
IS(LOCK_UN, 8);
IS(EPERM, 1);
IS(ENOENT, 2);
IS(EAGAIN, 11);
IS(EWOULDBLOCK, 11);
IS(EACCES, 13);
IS(EEXIST, 17);
IS(ENOTDIR, 20);
IS(EINVAL, 22);
IS(EROFS, 30);
#endif
