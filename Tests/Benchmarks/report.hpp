// Reports one row for each target, as a table for people and as a list for programs.
#pragma once
#include <cstdio>
#include <string>
#include <vector>

struct Row {
  enum class Sense {
    atMost,
    atLeast
  };
  std::string name, baseline; // `baseline` is empty if the target is an absolute value
  double ours, baselineTime;  // times in nanoseconds; negative if not measured
  double ratio;               // the measured value, in `unit`, to compare with the target; negative if not measured
  Sense sense;
  double target;
  std::string unit;

  bool isMeasured() const { return ratio >= 0; }
  bool holds() const { return sense == Sense::atMost ? ratio <= target : ratio >= target; }
};

class Report {
 public:
  void add(const Row &row) {
    std::fprintf(stderr, "  %s%s%s\n", row.name.c_str(), row.baseline.empty() ? "" : " against ", row.baseline.c_str());
    rows.push_back(row);
  }
  void note(const std::string &text) { notes.push_back(text); }

  void print() const {
    std::printf("%-22s %12s  %-15s %12s %10s  %-19s %s\n", "", "ours (ns)", "baseline", "its (ns)", "measured",
                "target", "holds");
    for (const Row &row : rows)
      std::printf("%-22s %12s  %-15s %12s %10s  %-8s %-10s %s\n", row.name.c_str(), text(row.ours, "-").c_str(),
                  row.baseline.empty() ? "-" : row.baseline.c_str(), text(row.baselineTime, "-").c_str(),
                  text(row.ratio, "-").c_str(),
                  ((row.sense == Row::Sense::atMost ? "<= " : ">= ") + number(row.target)).c_str(), row.unit.c_str(),
                  !row.isMeasured() ? "not measured"
                  : row.holds()     ? "yes"
                                    : "NO");
    for (const std::string &note : notes) std::printf("%s\n", note.c_str());
  }

  bool write(const std::string &path) const {
    FILE *file = std::fopen(path.c_str(), "w");
    if (!file) return false;
    std::fputs("[", file);
    for (size_t i = 0; i < rows.size(); i++) {
      const Row &row = rows[i];
      std::fprintf(file,
                   "%s\n  {\"name\": \"%s\", \"ours_ns\": %s, \"baseline\": %s, \"baseline_ns\": %s, \"ratio\": %s, "
                   "\"target\": %s, \"holds\": %s, \"unit\": \"%s\"}",
                   i ? "," : "", row.name.c_str(), text(row.ours, "null").c_str(),
                   row.baseline.empty() || !row.isMeasured() ? "null" : ('"' + row.baseline + '"').c_str(),
                   text(row.baselineTime, "null").c_str(), text(row.ratio, "null").c_str(), number(row.target).c_str(),
                   !row.isMeasured() ? "null"
                   : row.holds()     ? "true"
                                     : "false",
                   row.unit.c_str());
    }
    std::fputs("\n]\n", file);
    return std::fclose(file) == 0;
  }

 private:
  std::vector<Row> rows;
  std::vector<std::string> notes;

  static std::string number(double value) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, value >= 1e5 ? "%.0f" : "%.4g", value);
    return buffer;
  }
  static std::string text(double value, const char *none) { return value < 0 ? none : number(value); }
};
