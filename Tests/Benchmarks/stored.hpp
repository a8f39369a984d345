// Measures the cost of a monitor in a store. The benchmark uses wall-clock time, because the time spent on the disk
// counts.
#pragma once
#include "monitored.hpp"

#include <chrono>
#include <filesystem>
#include <sqlite3.h>

inline double elapsed(const std::function<void()> &work) {
  auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

// Creates an empty directory for stores, on the disk of the build folder.
class StoreDirectory {
 public:
  StoreDirectory() : path(std::filesystem::absolute(".build/bench/store")) {
    std::filesystem::remove_all(path);
    std::filesystem::create_directories(path);
  }
  ~StoreDirectory() { std::filesystem::remove_all(path); }
  std::string text() const { return path.string(); }
  double size(const std::string &name) const {
    return double(std::filesystem::file_size(path / (name + ".fencepost")));
  }

 private:
  std::filesystem::path path;
};

// Measures SQLite without Fencepost: one changed row per transaction, as durable as in a store.
class BareCommit {
 public:
  explicit BareCommit(const std::string &directory) {
    check(sqlite3_open((directory + "/bare.db").c_str(), &database));
    run("PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
        "CREATE TABLE t(id INTEGER PRIMARY KEY, data BLOB)");
    check(sqlite3_prepare_v2(database, "INSERT OR REPLACE INTO t VALUES(?1, zeroblob(120))", -1, &statement, nullptr));
  }
  ~BareCommit() {
    sqlite3_finalize(statement);
    sqlite3_close(database);
  }
  void operator()(int64_t key) {
    run("BEGIN IMMEDIATE");
    sqlite3_bind_int64(statement, 1, key);
    if (sqlite3_step(statement) != SQLITE_DONE) fail(sqlite3_errmsg(database));
    sqlite3_reset(statement);
    run("COMMIT");
  }

 private:
  sqlite3 *database = nullptr;
  sqlite3_stmt *statement = nullptr;

  void check(int code) {
    if (code != SQLITE_OK) fail(database ? sqlite3_errmsg(database) : "SQLite cannot be opened");
  }
  void run(const char *sql) { check(sqlite3_exec(database, sql, nullptr, nullptr, nullptr)); }
};
