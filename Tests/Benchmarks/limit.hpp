// Runs a hand-written program that estimates the possible speed, if the program's sources are present
// (../shared/bench). The hand-written program reads its own workloads from flat files, and this benchmark reads the
// same files.
#pragma once
#include "monitored.hpp"

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

// Returns the number after a key in a line of JSON.
inline double figure(const char *line, const char *key) {
  const char *at = std::strstr(line, key);
  if (!at) fail(std::string("no ") + key + " in: " + line);
  return std::strtod(at + std::strlen(key), nullptr);
}

class Limit {
 public:
  struct Figure {
    double nanoseconds;
    uint64_t events;
  };

  Limit(std::string program, std::string data) : program(std::move(program)), data(std::move(data)) {}
  bool isPresent() const { return !program.empty(); }

  std::vector<Circle> circles(size_t count) const { return load<Circle>("circles_" + std::to_string(count) + ".bin"); }
  // A fix in the format of the workload files.
  struct Sample {
    double latitude, longitude;
    float accuracy;
    uint32_t device;
    int64_t milliseconds;
  };
  static_assert(sizeof(Sample) == 32);
  std::vector<Sample> samples(const std::string &workload) const {
    return load<Sample>(workload == "W1" ? "w1_fixes.bin" : workload == "W2" ? "w2_fixes.bin" : "w4_fixes.bin");
  }
  std::vector<fencepost_fix> fixes(const std::string &workload) const {
    std::vector<fencepost_fix> fixes;
    for (const Sample &sample : samples(workload))
      fixes.push_back({sample.latitude, sample.longitude, sample.accuracy, sample.milliseconds * 1000});
    return fixes;
  }

  // Returns the median of `repetitions` runs of one loop of the hand-written program. For a moving device (workload
  // W1), this is the anchored loop C; for unrelated points, it is the stateless grid B16, which returns sets.
  Figure run(const std::string &workload, size_t count, int repetitions) const {
    std::string command = "BENCH_DATA='" + data + "' BENCH_N=" + std::to_string(count) +
                          " BENCH_REPS=" + std::to_string(repetitions) + " BENCH_ONLY='" +
                          (workload == "W1" ? "limit C:" : "limit B16") + "' '" + program + "' " + workload +
                          " 2>/dev/null";
    FILE *pipe = popen(command.c_str(), "r");
    if (!pipe) fail("cannot run " + program);
    char line[4096] = "";
    bool isRead = std::fgets(line, sizeof line, pipe) != nullptr;
    if (pclose(pipe) != 0 || !isRead) fail("no figure from: " + command);
    return {figure(line, "\"ns_med\":"), uint64_t(figure(line, "\"answers\":"))};
  }

 private:
  std::string program, data;

  template <class Element>
  std::vector<Element> load(const std::string &name) const {
    std::string path = data + "/" + name;
    FILE *file = std::fopen(path.c_str(), "rb");
    if (!file) fail("cannot read " + path);
    std::fseek(file, 0, SEEK_END);
    std::vector<Element> elements(size_t(std::ftell(file)) / sizeof(Element));
    std::rewind(file);
    if (std::fread(elements.data(), sizeof(Element), elements.size(), file) != elements.size())
      fail("cannot read " + path);
    std::fclose(file);
    return elements;
  }
};
