// Included before the programs of ../shared/bench (-include), so that they use our clock.
#pragma once
#include <bits/stdc++.h> // before the name changes, include all of it

#include "clock.hpp"
#define steady_clock ThreadClock
