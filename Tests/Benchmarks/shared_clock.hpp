// The option -include puts this header in front of the programs of ../shared/bench, so that they use the same clock as
// our benchmarks.
#pragma once
#include <bits/stdc++.h> // includes every standard header before steady_clock becomes a macro

#include "clock.hpp"
#define steady_clock ThreadClock
