// Measures how long other calls wait while threads feed rows without a pause. One measurement changes the table while
// feeders use it; there are eight feeders, or one fewer than there are cores. The other measurement reads the state of
// a device while one feeder feeds the device's fleet. Each feeder's batches have 50 rows.
#pragma once
#include "clock.hpp"
#include "fleets.hpp"
#include "report.hpp"

#include <algorithm>
#include <atomic>
#include <memory>

// Feeds fixes of 100 devices, which drive back and forth across circles, until the caller stops the feeder.
class Feeder {
 public:
  Feeder(const Zones &zones, const std::vector<Circle> &circles, size_t place) : fleets(zones, devices) {
    for (size_t row = 0; row < rowCount; row++) {
      const auto &circle = circles[(place * 97 + row / devices) % circles.size()];
      rows.append(uint32_t(row % devices), circle.latitude + 0.0001 * double(row % 7), circle.longitude, 5, 0);
    }
  }
  void run(const std::atomic<bool> &isEnded) {
    onEveryCore();
    int64_t time = 0;
    while (!isEnded.load(std::memory_order_relaxed))
      for (size_t start = 0; start < rowCount; start += batch) {
        for (size_t row = start; row < start + batch; row++) rows.times[row] = time += 10000;
        fleets.feed(rows, start, start + batch);
      }
  }
  Fleets fleets;

 private:
  static constexpr size_t devices = 100, rowCount = 20000, batch = 50;
  DeviceRows rows;
};

struct Waits {
  double median, worst; // median and 99th percentile of the waiting times, in nanoseconds
};

// Calls `call` every two milliseconds while the feeders run.
template <typename Call>
Waits waitsBeside(std::vector<std::unique_ptr<Feeder>> &feeders, size_t count, Call call) {
  std::atomic<bool> isEnded(false);
  std::vector<std::thread> threads;
  for (auto &feeder : feeders) threads.emplace_back([&isEnded, &feeder] { feeder->run(isEnded); });
  std::vector<double> times;
  std::thread asker([&] {
    onEveryCore();
    for (size_t i = 0; i < count; i++) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      const auto start = std::chrono::steady_clock::now();
      call(i);
      times.push_back(std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count());
    }
  });
  asker.join();
  isEnded = true;
  for (std::thread &thread : threads) thread.join();
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], times[times.size() * 99 / 100]};
}

inline void waiting(Report &report, const std::vector<Circle> &circles, size_t count) {
  Zones zones(Columns(circles), Policy::standard);
  std::vector<std::unique_ptr<Feeder>> feeders;
  for (size_t place = 0; place < 8; place++) feeders.push_back(std::make_unique<Feeder>(zones, circles, place));
  const auto change = [&](size_t i) {
    if (i % 2 == 0) zones.addOne("new", 0, 0);
    else {
      const char *identifier = "new";
      fencepost_conditions_remove(zones.conditions, &identifier, 1, nullptr, nullptr);
    }
  };
  const Waits besideEight = waitsBeside(feeders, count, change);
  feeders.resize(std::clamp(std::thread::hardware_concurrency(), 2U, 9U) - 1);
  const Waits besideFew = waitsBeside(feeders, count, change);
  feeders.resize(1);
  const Waits question = waitsBeside(feeders, count, [&](size_t) {
    fencepost_state state;
    fencepost_fleet_state(feeders[0]->fleets.fleet, 0, "circle-0", &state, nullptr);
  });
  report.add({"waits-change-8", "", besideEight.median, -1, besideEight.worst / 1e6, Row::Sense::atMost, 5, "ms, p99"});
  report.add({"waits-change-cores", "", besideFew.median, -1, besideFew.worst / 1e6, Row::Sense::atMost, 5, "ms, p99"});
  report.add({"waits-question-1", "", question.median, -1, question.worst / 1e6, Row::Sense::atMost, 1, "ms, p99"});
}
