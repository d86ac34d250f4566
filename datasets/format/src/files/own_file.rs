//! Files that a forked process does not share.
//!
//! The lock of a file lasts as long as any process has the file open, and a process that is forked has
//! all files of its parent. Its copies of these files become empty ones when it begins, so that a lock
//! ends with the process that took it.

use std::fs::File;
use std::io;
use std::ops::Deref;

/// An open file that is this process's alone: one that it forks finds an empty file in its place.
///
/// The child of a program that is started is no such process. It has none of these files in the end,
/// but may have them for a moment before, so who wants a lock released says so.
#[derive(Debug)]
pub struct OwnFile(
    /// None once it is being closed.
    Option<File>,
);

impl OwnFile {
    /// Opens a file.
    ///
    /// # Errors
    /// The errors of `open`.
    pub fn open(open: impl FnOnce() -> io::Result<File>) -> io::Result<Self> {
        table::add(open).map(|file| Self(Some(file)))
    }
}

impl Deref for OwnFile {
    type Target = File;

    fn deref(&self) -> &File {
        self.0.as_ref().expect("it is open until it is dropped")
    }
}

impl Drop for OwnFile {
    fn drop(&mut self) {
        self.0.take().into_iter().for_each(table::close);
    }
}

#[cfg(not(unix))]
mod table {
    use std::fs::File;
    use std::io;

    /// There is no fork.
    pub(super) fn add(open: impl FnOnce() -> io::Result<File>) -> io::Result<File> {
        open()
    }

    pub(super) fn close(file: File) {
        drop(file);
    }
}

#[cfg(unix)]
mod table {
    #![expect(unsafe_code, reason = "no crate tells of forks")]

    use std::cell::RefCell;
    use std::fs::File;
    use std::io;
    use std::os::fd::{AsRawFd, RawFd};
    use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

    /// The descriptors of all such files. It is locked while one is opened or closed and while the
    /// process forks, so that a fork has either all of a file or nothing.
    static OPEN: Mutex<Vec<RawFd>> = Mutex::new(Vec::new());

    /// The file that replaces them in a forked process. It is open once there was one of them.
    static EMPTY: OnceLock<File> = OnceLock::new();

    thread_local! {
        /// The table of a thread that is forking.
        static FORKING: RefCell<Option<MutexGuard<'static, Vec<RawFd>>>> =
            const { RefCell::new(None) };
    }

    fn open_files() -> MutexGuard<'static, Vec<RawFd>> {
        // A change of the list is one step.
        OPEN.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn add(open: impl FnOnce() -> io::Result<File>) -> io::Result<File> {
        let mut files = open_files();
        if EMPTY.get().is_none() {
            // Nobody else sets it while the table is locked.
            let _ = EMPTY.set(prepare()?);
        }
        let file = open()?;
        files.push(file.as_raw_fd());
        Ok(file)
    }

    pub(super) fn close(file: File) {
        let mut files = open_files();
        files.retain(|&open| open != file.as_raw_fd());
        drop(file);
    }

    fn prepare() -> io::Result<File> {
        let empty = File::open("/dev/null")?;
        // SAFETY: the functions are those of this module, which stay where they are.
        match unsafe { libc::pthread_atfork(Some(before), Some(in_parent), Some(in_child)) } {
            0 => Ok(empty),
            code => Err(io::Error::from_raw_os_error(code)),
        }
    }

    extern "C" fn before() {
        // A thread whose memory is being given up forks no more.
        let _ = FORKING.try_with(|forking| forking.replace(Some(open_files())));
    }

    extern "C" fn in_parent() {
        let _ = FORKING.try_with(RefCell::take);
    }

    extern "C" fn in_child() {
        let Ok(Some(mut files)) = FORKING.try_with(RefCell::take) else { return };
        let Some(empty) = EMPTY.get() else { return };
        for file in files.drain(..) {
            // SAFETY: both are open. What owns `file` in this process owns an empty file from now on.
            let _ = unsafe { libc::dup2(empty.as_raw_fd(), file) };
        }
    }
}
