// The archive inside a Rust program, whose own runtime, allocator and unwinder are at work beside it.
use std::collections::BTreeMap;
use std::ffi::{c_char, c_void, CStr, CString};
use std::ptr::{null, null_mut};

#[repr(C)]
struct Fix {
    latitude: f64,
    longitude: f64,
    accuracy_m: f64,
    time_us: i64,
}

#[repr(C)]
struct Event {
    sequence: u64,
    position: u64,
    device: u64,
    row: u64,
    generation: u64,
    tag: u64,
    date_us: i64,
    evidence_date_us: i64,
    place: [f64; 4],
    state: i32,
    cause: i32,
    diagnostics: u32,
    flags: u32,
    beacon: [u8; 20],
    identifier_length: u32,
    probability: f64,
    vertical_distance_m: f64,
    reserved: [u64; 2],
    identifier: [c_char; 264],
}

extern "C" {
    fn fencepost_version_string() -> *const c_char;
    fn fencepost_monitor_create(name: *const c_char, options: *const c_void, out: *mut *mut c_void, error: *mut c_void) -> i32;
    fn fencepost_monitor_add_circular_condition(
        monitor: *mut c_void, identifier: *const c_char, latitude: f64, longitude: f64, radius_m: f64, options: *const c_void,
        error: *mut c_void,
    ) -> i32;
    fn fencepost_monitor_feed_fix(monitor: *mut c_void, fix: *const Fix, error: *mut c_void) -> i32;
    fn fencepost_monitor_poll_event(monitor: *mut c_void, event: *mut Event, available: *mut u32, error: *mut c_void) -> i32;
    fn fencepost_monitor_destroy(monitor: *mut c_void);
}

fn states() -> BTreeMap<String, i32> {
    let mut states = BTreeMap::new();
    unsafe {
        assert!(!CStr::from_ptr(fencepost_version_string()).to_bytes().is_empty());
        let mut monitor = null_mut();
        assert_eq!(fencepost_monitor_create(null(), null(), &mut monitor, null_mut()), 0);
        let office = CString::new("office").unwrap();
        let added = fencepost_monitor_add_circular_condition(
            monitor, office.as_ptr(), 37.3349, -122.0090, 200.0, null(), null_mut());
        assert_eq!(added, 0);
        let fix = Fix { latitude: 37.3349, longitude: -122.0091, accuracy_m: 5.0, time_us: 1_700_000_000_000_000 };
        assert_eq!(fencepost_monitor_feed_fix(monitor, &fix, null_mut()), 0);
        let mut event: Event = std::mem::zeroed();
        let mut available = 0;
        while fencepost_monitor_poll_event(monitor, &mut event, &mut available, null_mut()) == 0 && available != 0 {
            states.insert(CStr::from_ptr(event.identifier.as_ptr()).to_str().unwrap().to_owned(), event.state);
        }
        fencepost_monitor_destroy(monitor);
    }
    states
}

fn main() {
    // On threads of Rust's too, and after a panic was unwound.
    std::panic::set_hook(Box::new(|_| {}));
    assert!(std::panic::catch_unwind(|| panic!("expected")).is_err());
    let threads: Vec<_> = (0..4).map(|_| std::thread::spawn(states)).collect();
    let all: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    assert!(all.iter().all(|each| *each == states()));
    println!("{:?}", all[0]);
}
