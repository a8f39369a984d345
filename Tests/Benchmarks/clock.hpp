// Provides the clock of the measurements: the processor time of this thread. This time excludes other programs on the
// machine, but they may evict our data from the caches.
#pragma once
#include <chrono>
#include <ctime>

struct ThreadClock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<ThreadClock>;
  static constexpr bool is_steady = true;

  static time_point now() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time_point(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
  }
};

namespace std::chrono {
using ::ThreadClock;
}
