#pragma once
#include <cstddef>
#include <cstdint>

// The number of allocations since the process began.
uint64_t allocations();
