//! The processes that an engine has started, wherever they are in the tree of processes.
//!
//! A program may leave the process group of an engine and outlive its parent (`setsid`, daemons). It
//! still has the environment that it was started with, so the engine gets a variable there by which all
//! of them are known.

use std::collections::hash_map::RandomState;
use std::env;
use std::hash::BuildHasher;
use std::process;

/// The variable.
pub(super) const MARK: &str = "DARKQI_ENGINE";

/// Its value for a new engine: within that of this process, which may belong to an engine itself.
pub(super) fn mark() -> String {
    // A forked process draws what its parent does.
    let own = format!("{}-{:016x}", process::id(), RandomState::new().hash_one(0));
    match env::var(MARK) {
        Ok(outer) => format!("{outer}/{own}"),
        Err(_) => own,
    }
}

/// Ends all processes with this mark that this one may end.
#[cfg(target_os = "linux")]
pub(super) fn end(mark: &str) {
    use std::thread;
    use std::time::Duration;

    /// One may start another while they are looked for, and takes a while to end.
    const MAX_ROUNDS: usize = 100;
    const PAUSE: Duration = Duration::from_millis(2);

    for _ in 0..MAX_ROUNDS {
        if !end_some(&format!("{MARK}={mark}")) {
            break;
        }
        thread::sleep(PAUSE);
    }
}

/// Only Linux shows the environment of others.
#[cfg(not(target_os = "linux"))]
pub(super) fn end(_: &str) {}

/// Whether there was one.
#[cfg(target_os = "linux")]
fn end_some(variable: &str) -> bool {
    use std::fs;

    use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};

    // What has ended has no environment, nor has a process of another user.
    let is_marked = |pid: i32| {
        fs::read(format!("/proc/{pid}/environ")).is_ok_and(|environment| {
            environment.split(|&byte| byte == 0).any(|found| {
                let rest = found.strip_prefix(variable.as_bytes());
                rest.is_some_and(|rest| rest.first().is_none_or(|&next| next == b'/'))
            })
        })
    };
    let Ok(entries) = fs::read_dir("/proc") else { return false };
    let numbers = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let mut has_found = false;
    for pid in numbers.filter(|&pid| is_marked(pid)).filter_map(Pid::from_raw) {
        has_found = true;
        // The number may be another's by now, but not that of a process with this mark.
        let _ = match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(process) if is_marked(pid.as_raw_nonzero().get()) => {
                pidfd_send_signal(process, Signal::KILL)
            }
            Ok(_) => continue,
            Err(_) => kill_process(pid, Signal::KILL),
        };
    }
    has_found
}
