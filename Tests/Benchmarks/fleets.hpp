// Uses fleets as a C program does: one table, devices in columns, every event polled. The workload is W2 of the shared
// programs, which also measure a hand-written loop and other libraries.
#pragma once
#include "limit.hpp"

#include <malloc.h>
#include <random>
#include <sched.h>
#include <thread>

// Stores the rows of many devices as columns.
struct DeviceRows {
  std::vector<uint32_t> devices;
  std::vector<double> latitudes, longitudes, accuracies;
  std::vector<int64_t> times;
  uint32_t deviceCount = 0;

  size_t count() const { return devices.size(); }
  void append(uint32_t device, double latitude, double longitude, double accuracy, int64_t time) {
    devices.push_back(device), latitudes.push_back(latitude), longitudes.push_back(longitude);
    accuracies.push_back(accuracy), times.push_back(time);
    deviceCount = std::max(deviceCount, device + 1);
  }
};

// The rows of W2. For other numbers of devices or fixes, the tracks of W2 are repeated at shifted positions. Every
// device has one fix at each tick; the order of the devices is random, and the same at all ticks.
inline DeviceRows deviceRows(const Limit &limit, size_t devices, size_t each) {
  const auto samples = limit.samples("W2");
  DeviceRows rows;
  if (devices == 10000 && each == 100) {
    for (const auto &s : samples) rows.append(s.device, s.latitude, s.longitude, s.accuracy, s.milliseconds * 1000);
    return rows;
  }
  std::vector<std::vector<Limit::Sample>> tracks(10000);
  for (const auto &sample : samples) tracks[sample.device].push_back(sample);
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal(0, 0.05);
  std::vector<double> north(devices), east(devices);
  std::vector<uint32_t> order(devices);
  for (size_t d = 0; d < devices; d++) {
    order[d] = uint32_t(d);
    north[d] = d < 10000 ? 0 : normal(random), east[d] = d < 10000 ? 0 : normal(random);
  }
  std::shuffle(order.begin(), order.end(), random);
  for (size_t tick = 0; tick < each; tick++)
    for (size_t i = 0; i < devices; i++) {
      size_t d = order[i];
      const Limit::Sample &sample = tracks[d % 10000].at(tick);
      rows.append(uint32_t(d), sample.latitude + north[d], sample.longitude + east[d], 0,
                  int64_t(tick * 10000 + i * 10000 / devices) * 1000);
    }
  return rows;
}

class Zones {
 public:
  fencepost_conditions *conditions = nullptr;

  Zones() { check(fencepost_conditions_create(&conditions, &error)); }
  Zones(const Columns &columns, Policy kind) {
    fencepost_transition_policy policy = FENCEPOST_TRANSITION_POLICY_STANDARD_INIT;
    if (kind == Policy::exact) policy = FENCEPOST_TRANSITION_POLICY_EXACT_INIT;
    fencepost_condition_definition common = FENCEPOST_CONDITION_DEFINITION_INIT;
    common.policy = &policy;
    check(fencepost_conditions_create(&conditions, &error));
    check(fencepost_conditions_put_circles(conditions, FENCEPOST_PUT_ADD, &common, columns.identifiers.data(),
                                           columns.latitudes.data(), columns.longitudes.data(), columns.radii.data(),
                                           columns.tags.data(), columns.texts.size(), nullptr, &error));
  }
  ~Zones() { fencepost_conditions_destroy(conditions); }
  Zones(const Zones &) = delete;

  void addOne(const std::string &identifier, double latitude, double longitude) {
    const fencepost_condition_definition definition = fencepost_circle(identifier.c_str(), latitude, longitude, 50);
    check(fencepost_conditions_add(conditions, &definition, 1, &error));
  }

 private:
  fencepost_error error = FENCEPOST_ERROR_INIT;
  void check(fencepost_status status) {
    if (status != FENCEPOST_OK) fail(error.message);
  }
};

class Fleets {
 public:
  fencepost_fleet *fleet = nullptr;
  uint64_t events = 0;

  // The fleet has a store if a directory is passed.
  explicit Fleets(const Zones &zones, uint32_t devices, const char *directory = nullptr)
      : taken(4096), numbers(devices) {
    fencepost_options options = FENCEPOST_FLEET_OPTIONS_INIT;
    options.conditions = zones.conditions;
    options.store_directory = directory;
    options.durability = FENCEPOST_DURABILITY_RELAXED;
    options.checkpoint_interval_us = INT64_C(1000000000000);
    if (directory) options.name = "bench";
    check(fencepost_fleet_create(&options, &fleet, &error));
    const std::vector<std::string> texts = identifiers(devices);
    const std::vector<const char *> names = pointers(texts);
    check(fencepost_fleet_enter_devices(fleet, names.data(), names.size(), 1, numbers.data(), &error));
  }
  ~Fleets() { fencepost_fleet_destroy(fleet); }
  Fleets(const Fleets &) = delete;

  void feed(const DeviceRows &rows, size_t start, size_t end) {
    constexpr size_t batch = 10000;
    for (size_t i = start; i < end; i += batch) {
      fencepost_fix_columns fixes = FENCEPOST_FIX_COLUMNS_INIT;
      fixes.latitudes = &rows.latitudes[i], fixes.longitudes = &rows.longitudes[i];
      fixes.accuracies_m = &rows.accuracies[i], fixes.times_us = &rows.times[i];
      fencepost_fleet_columns columns = FENCEPOST_FLEET_COLUMNS_INIT;
      columns.devices = &rows.devices[i], columns.device_width = 4, columns.device_stride = 4;
      columns.dictionary = numbers.data(), columns.dictionary_count = numbers.size();
      columns.fixes = &fixes;
      fencepost_feed_result result = {0, 0, 0, 0};
      check(fencepost_fleet_feed_columns(fleet, &columns, std::min(batch, end - i), &result, &error));
      poll();
    }
  }
  void feedAlone(const DeviceRows &rows) {
    for (size_t i = 0; i < rows.count(); i++) {
      fencepost_fix fix = {rows.latitudes[i], rows.longitudes[i], rows.accuracies[i], rows.times[i]};
      check(fencepost_fleet_feed_fix(fleet, numbers[rows.devices[i]], &fix, &error));
      if (i % 1000 == 999) poll();
    }
    poll();
  }
  void advance(int64_t time) { check(fencepost_fleet_advance(fleet, FENCEPOST_ALL_DEVICES, time, 0, &error)); }
  std::vector<uint8_t> exported(std::vector<uint64_t> &offsets) {
    offsets.resize(numbers.size() + 1);
    size_t size = 0;
    std::vector<uint8_t> bytes(numbers.size() * 4096);
    check(fencepost_fleet_export_devices(fleet, numbers.data(), numbers.size(), 0, bytes.data(), bytes.size(),
                                         offsets.data(), &size, &error));
    bytes.resize(size);
    return bytes;
  }
  // Returns nanoseconds.
  double imported(const std::vector<uint8_t> &bytes, const std::vector<uint64_t> &offsets) {
    const size_t count = offsets.size() - 1;
    const std::vector<std::string> texts = identifiers(uint32_t(count));
    const std::vector<const char *> names = pointers(texts);
    std::vector<fencepost_device> taken(count);
    auto start = ThreadClock::now();
    check(fencepost_fleet_import_devices(fleet, names.data(), bytes.data(), offsets.data(), count, 0, taken.data(),
                                         &error));
    return std::chrono::duration<double, std::nano>(ThreadClock::now() - start).count();
  }
  void checkpoint() { check(fencepost_fleet_checkpoint(fleet, &error)); }
  void close() { check(fencepost_fleet_close(fleet, &error)); }

 private:
  fencepost_error error = FENCEPOST_ERROR_INIT;
  std::vector<fencepost_event> taken;
  std::vector<fencepost_device> numbers;

  // Returns one identifier of 16 bytes for each device.
  static std::vector<std::string> identifiers(uint32_t count) {
    std::vector<std::string> texts;
    for (uint32_t d = 0; d < count; d++) texts.push_back("device-" + std::to_string(100000000 + d));
    return texts;
  }
  static std::vector<const char *> pointers(const std::vector<std::string> &texts) {
    std::vector<const char *> names;
    for (const std::string &text : texts) names.push_back(text.c_str());
    return names;
  }
  void check(fencepost_status status) {
    if (status != FENCEPOST_OK) fail(error.message);
  }
  void poll() {
    size_t count;
    do {
      check(fencepost_fleet_poll_events(fleet, taken.data(), taken.size(), &count, &error));
      events += count;
    } while (count == taken.size());
    check(fencepost_fleet_acknowledge(fleet, &error));
  }
};

// Returns the bytes that the process has allocated and not freed.
inline double allocated() {
  const struct mallinfo2 info = mallinfo2();
  return double(info.uordblks) + double(info.hblkhd);
}

// Lets a thread run on any core, even if the process was bound to one core.
inline void onEveryCore() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  for (unsigned core = 0; core < std::thread::hardware_concurrency(); core++) CPU_SET(core, &cores);
  sched_setaffinity(0, sizeof cores, &cores);
}

// Runs the shared programs on the same rows and reads their output: one line from limit_fleet, and one line from
// boost_peer.
struct FleetPeers {
  std::string limitProgram, boostProgram, data;

  bool isPresent() const { return !limitProgram.empty(); }

  Limit::Figure limit(size_t devices, size_t each, int repetitions) const {
    std::string line = lineOf("NOCHECK=1 BENCH_DATA='" + data + "' '" + limitProgram + "' " + std::to_string(devices) +
                                  " " + std::to_string(each) + " " + std::to_string(repetitions),
                              "batch, 32");
    return {figure(line.c_str(), " all "), eventsOf(line)};
  }
  // Returns the nanoseconds per fix with Boost's rtree, which compares the sets before and after each fix.
  double boost(int repetitions) const {
    std::string line = lineOf("BENCH_DATA='" + data + "' BENCH_ONLY=delta BENCH_REPS=" + std::to_string(repetitions) +
                                  " '" + boostProgram + "' W2",
                              "ns_med");
    return figure(line.c_str(), "\"ns_med\":");
  }

 private:
  static uint64_t eventsOf(const std::string &line) {
    size_t end = line.find(" events"), start = line.rfind(' ', end - 1);
    return std::strtoull(line.c_str() + start, nullptr, 10);
  }
  static std::string lineOf(const std::string &command, const std::string &mark) {
    FILE *pipe = popen((command + " 2>/dev/null").c_str(), "r");
    if (!pipe) fail("cannot run " + command);
    char line[4096];
    std::string found;
    while (std::fgets(line, sizeof line, pipe))
      if (std::strstr(line, mark.c_str())) found = line;
    if (pclose(pipe) != 0 || found.empty()) fail("no figure from: " + command);
    return found;
  }
};
