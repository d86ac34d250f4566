//! The machine that figures were measured on.

use std::collections::BTreeSet;
use std::fs;
use std::thread;

/// The machine, as far as the system describes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Machine {
    /// The processor's name.
    pub(crate) cpu: Option<String>,
    /// Number of cores.
    pub(crate) cores: Option<usize>,
    /// Number of hardware threads.
    pub(crate) threads: usize,
}

impl Machine {
    /// This machine.
    pub(crate) fn this() -> Self {
        let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let (cpu, cores) = read_cpuinfo(&cpuinfo);
        Self { cpu, cores, threads: threads() }
    }
}

/// The number of hardware threads of this machine.
pub(crate) fn threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// The compiler that built this program.
pub(crate) const RUSTC: &str = env!("DARKQI_RUSTC");

/// How this program was built.
pub(crate) const PROFILE: &str = if cfg!(debug_assertions) { "debug" } else { "release" };

/// Bytes of available memory, if the system says.
pub(super) fn free_memory() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let kilobytes: u64 = field(&text, "MemAvailable")?.strip_suffix(" kB")?.parse().ok()?;
    Some(kilobytes * 1024)
}

fn read_cpuinfo(text: &str) -> (Option<String>, Option<usize>) {
    let model = field(text, "model name").map(str::to_owned);
    let core = |block| Some((field(block, "physical id")?, field(block, "core id")?));
    let cores: BTreeSet<_> = text.split("\n\n").filter_map(core).collect();
    (model, Some(cores.len()).filter(|&count| count > 0))
}

/// The value of the first line `name : value`.
fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let named = |line: &'a str| line.split_once(':').filter(|(key, _)| key.trim() == name);
    text.lines().find_map(named).map(|(_, value)| value.trim())
}

#[cfg(test)]
mod tests {
    use super::read_cpuinfo;

    #[test]
    fn cores_are_distinguished_from_threads() {
        let thread = |socket, core| {
            format!("model name\t: A CPU: fast\nphysical id\t: {socket}\ncore id\t\t: {core}\n\n")
        };
        let text = [thread(0, 0), thread(0, 1), thread(0, 0), thread(1, 0)].concat();
        assert_eq!(read_cpuinfo(&text), (Some("A CPU: fast".into()), Some(3)));
        assert_eq!(read_cpuinfo(""), (None, None));
    }
}
