// The programs of ../shared/bench are compiled with this header before their own text (-include), so that they use our
// clock.
#pragma once
#include <bits/stdc++.h> // includes every standard header before the macro below renames the clock

#include "clock.hpp"
#define steady_clock ThreadClock
