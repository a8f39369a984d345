// Follows a courier's round in C++17 with circles, a beacon at the depot, and events; another monitor continues from a
// snapshot. The output is the same on every machine.
#include <fencepost.hpp>

#include <cstdio>
#include <string>
#include <vector>

namespace {

constexpr std::int64_t start = 1'700'000'000'000'000; // 2023-11-14T22:13:20Z; the library reads no clock

const char *in_words(fencepost_state state) {
  static const char *const words[] = {"unknown", "satisfied", "unsatisfied", "unmonitored"};
  return words[state];
}

// Requesting the next event acknowledges the previous one.
void print_events(fencepost::monitor &monitor) {
  for (const fencepost::event &event : monitor.events())
    std::printf("%4d s: %s is %s\n", static_cast<int>((event.date_us - start) / 1'000'000), event.identifier,
                in_words(event.state));
}

} // namespace

int main() try {
  fencepost::monitor monitor("courier");
  fencepost::condition_definition outside = FENCEPOST_CONDITION_DEFINITION_INIT;
  outside.assuming = FENCEPOST_STATE_UNSATISFIED;
  monitor.add_circular_condition("north gate", 48.1400, 11.5600, 150, outside);
  const fencepost::transition_policy exact = FENCEPOST_TRANSITION_POLICY_EXACT_INIT;
  fencepost::condition_definition line = FENCEPOST_CONDITION_DEFINITION_INIT;
  line.policy = &exact;
  monitor.add_circular_condition("south gate", 48.1300, 11.5600, 150, line);
  const fencepost::uuid uuid = fencepost::parse_uuid("e2c56db5-dffb-48d2-b060-d0f5a71096e0");
  monitor.add_beacon_condition("depot", {uuid, 1, {}});

  // The courier drives due south; the fixes, one every ten seconds, are fed as one batch.
  std::vector<fencepost::fix> track;
  for (int step = 0; step < 70; step++)
    track.push_back({48.1440 - step * 0.00025, 11.5600, 6, start + step * INT64_C(10'000'000)});
  const fencepost::feed_result fed = monitor.feed(track);
  std::printf("%d fixes fed\n", static_cast<int>(fed.accepted));
  print_events(monitor);

  // Export the monitor as bytes: send or store them, and continue elsewhere.
  fencepost::monitor continued = fencepost::monitor::restore(monitor.snapshot());
  fencepost::beacon_sighting sighting{};
  for (std::size_t i = 0; i < uuid.size(); i++) sighting.uuid[i] = uuid[i];
  sighting.major = 1;
  sighting.rssi_dbm = -58;
  continued.feed_sightings({sighting}, start + INT64_C(700'000'000));
  continued.advance(start + INT64_C(760'000'000));
  print_events(continued);
  for (const fencepost::condition_state &condition : continued.list_conditions())
    std::printf("%s: %s\n", condition.identifier, in_words(continued.record(condition.identifier).last_event.state));
  std::puts(fencepost::json(continued.record("north gate").last_event).c_str());

  // Each error is an exception with a message.
  try {
    continued.feed({91, 0, 5, start + INT64_C(800'000'000)});
  } catch (const fencepost::error &error) {
    std::printf("%s: %s\n", error.name(), error.what());
  }
  return 0;
} catch (const fencepost::error &error) {
  std::fprintf(stderr, "%s: %s\n", error.name(), error.what());
  return 1;
}
