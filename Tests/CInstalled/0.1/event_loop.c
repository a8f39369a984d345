/*
 * Uses Fencepost in a poll() loop: fixes come through one descriptor, events are announced through another.
 *
 * The wake-up callback adds 1 to an eventfd. The thread that makes an event available runs the callback: here this is
 * the loop's own feed, in other programs another thread. The loop therefore does not need to know which thread feeds
 * the monitor.
 */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <fencepost.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void check(fencepost_status status, const fencepost_error *error) {
  if (status == FENCEPOST_OK) return;
  fprintf(stderr, "%s: %s\n", fencepost_status_name(status), error->message);
  exit(1);
}

static void stop(const char *what) {
  perror(what);
  exit(1);
}

/* Simulates a receiver: writes fixes into a pipe and closes it. The fixes are smaller than PIPE_BUF, so a write is
   never split. */
static void *receiver(void *context) {
  int output = *(int *)context;
  for (int second = 0; second <= 600; second += 5) {
    fencepost_fix fix = {51.4779, -0.0200 + second * 0.0001, 4, INT64_C(1700000000000000) + second * INT64_C(1000000)};
    if (write(output, &fix, sizeof fix) != sizeof fix) stop("write");
  }
  close(output);
  return NULL;
}

/* The callback must return soon: writing to an eventfd does not wait. */
static void ring(void *context) {
  uint64_t one = 1;
  if (write(*(int *)context, &one, sizeof one) != sizeof one) abort();
}

static void print_events(fencepost_monitor *monitor) {
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_event event;
  uint32_t available = 0;
  while (check(fencepost_monitor_poll_event(monitor, &event, &available, &error), &error), available)
    printf("%s is %s, decided %.1f m from its line\n", event.identifier,
           event.state == FENCEPOST_STATE_SATISFIED ? "satisfied" : "unsatisfied", event.boundary_distance_m);
}

int main(void) {
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_monitor *monitor = NULL;
  check(fencepost_monitor_create(NULL, NULL, &monitor, &error), &error);
  check(fencepost_monitor_add_circular_condition(monitor, "observatory", 51.4779, 0, 500, NULL, &error), &error);
  check(fencepost_monitor_add_circular_condition(monitor, "park", 51.4779, 0.0050, 1200, NULL, &error), &error);

  int bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), ends[2];
  if (bell < 0 || pipe(ends) < 0) stop("descriptors");
  check(fencepost_monitor_set_wakeup(monitor, ring, &bell, &error), &error);
  pthread_t thread;
  if (pthread_create(&thread, NULL, receiver, &ends[1]) != 0) stop("pthread_create");

  struct pollfd watched[] = {{ends[0], POLLIN, 0}, {bell, POLLIN, 0}};
  int fixes = 0;
  for (int open = 1; open;) {
    if (poll(watched, 2, -1) < 0) {
      if (errno == EINTR) continue;
      stop("poll");
    }
    if (watched[1].revents & POLLIN) {
      uint64_t rings;
      /* Read the bell before you poll the events: an event that becomes available after the read rings the bell
         again. */
      if (read(bell, &rings, sizeof rings) != sizeof rings) stop("read");
      print_events(monitor);
    } else if (watched[0].revents & (POLLIN | POLLHUP)) {
      fencepost_fix fix;
      ssize_t size = read(ends[0], &fix, sizeof fix);
      if (size == (ssize_t)sizeof fix) {
        fixes++;
        check(fencepost_monitor_feed_fix(monitor, &fix, &error), &error);
      } else if (size == 0) {
        open = 0;
      } else {
        stop("read");
      }
    }
  }
  pthread_join(thread, NULL);
  printf("%d fixes\n", fixes);

  /* After this call the callback is not called any more, and its context may be freed. */
  check(fencepost_monitor_set_wakeup(monitor, NULL, NULL, &error), &error);
  close(bell);
  close(ends[0]);
  fencepost_monitor_destroy(monitor);
  return 0;
}
