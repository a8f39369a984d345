// The clock of the measurements: what the processor spent on this thread. Other programs on the machine then cost
// only what they push out of the caches. run.sh builds the programs of ../shared/bench with it too (shared_clock.hpp), so that
// both sides of a ratio are measured alike.
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
