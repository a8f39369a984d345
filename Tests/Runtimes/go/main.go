// The archive inside a Go program: calls come from goroutines, on stacks that Go switches.
package main

/*
#include <stdlib.h>
#include "fencepost.h"
*/
import "C"

import (
	"fmt"
	"unsafe"
)

func states() string {
	var monitor *C.fencepost_monitor
	if C.fencepost_monitor_create(nil, nil, &monitor, nil) != C.FENCEPOST_OK {
		panic("create")
	}
	defer C.fencepost_monitor_destroy(monitor)
	office := C.CString("office")
	defer C.free(unsafe.Pointer(office))
	if C.fencepost_monitor_add_circular_condition(monitor, office, 37.3349, -122.0090, 200, nil, nil) != C.FENCEPOST_OK {
		panic("add")
	}
	fix := C.fencepost_fix{latitude: 37.3349, longitude: -122.0091, accuracy_m: 5, time_us: 1700000000000000}
	if C.fencepost_monitor_feed_fix(monitor, &fix, nil) != C.FENCEPOST_OK {
		panic("feed")
	}
	found := map[string]int{}
	var event C.fencepost_event
	var available C.uint32_t
	for C.fencepost_monitor_poll_event(monitor, &event, &available, nil) == C.FENCEPOST_OK && available != 0 {
		found[C.GoString(&event.identifier[0])] = int(event.state)
	}
	return fmt.Sprint(found)
}

func main() {
	results := make(chan string)
	for range [8]int{} {
		go func() { results <- states() }()
	}
	first := <-results
	for i := 1; i < 8; i++ {
		if other := <-results; other != first {
			panic(other)
		}
	}
	fmt.Println(first)
}
