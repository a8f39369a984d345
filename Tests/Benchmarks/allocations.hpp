#pragma once
#include <cstddef>
#include <cstdint>

// How often memory was asked for since the process began.
uint64_t allocations();
