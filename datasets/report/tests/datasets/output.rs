//! Files that commands write: what is replaced, written to and refused.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::thread;

use darkqi_format::{DatasetWriter, Error, check_output, write_output};
use tempfile::{TempDir, tempdir};

use crate::samples::{games, metadata};

fn folder() -> TempDir {
    tempdir().unwrap()
}

fn write(path: &Path, contents: &str) -> Result<(), Error> {
    write_output(path, contents.as_bytes(), &AtomicBool::new(false))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap().flatten();
    let mut names: Vec<_> =
        entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

#[test]
fn a_regular_file_is_replaced() {
    let folder = folder();
    let path = folder.path().join("page.html");
    write(&path, "one").unwrap();
    assert_eq!(read(&path), "one");
    #[cfg(unix)]
    fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o640)).unwrap();
    let opened = fs::File::open(&path).unwrap();
    write(&path, "two").unwrap();
    assert_eq!(read(&path), "two");
    // A reader that has it open still sees the old page.
    let mut old = String::new();
    (&opened).read_to_string(&mut old).unwrap();
    assert_eq!(old, "one");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
    }
    assert_eq!(names(folder.path()), ["page.html"]);
    let missing = write(&folder.path().join("no/page.html"), "x").unwrap_err();
    assert!(matches!(missing, Error::Io { action: "write", .. }), "{missing}");
    assert!(!missing.to_string().contains(".darkqi-"), "{missing}");
    let text = write(folder.path(), "x").unwrap_err().to_string();
    assert!(text.starts_with(&format!("cannot write {}: ", folder.path().display())), "{text}");
}

#[test]
fn files_of_a_dataset_are_refused() {
    let folder = folder();
    let dir = folder.path().join("games");
    let mut writer = DatasetWriter::create(&dir, metadata()).unwrap();
    writer.write_shard(0, &games(0, 10)).unwrap();
    writer.finish().unwrap();
    let before = read(&dir.join("dataset.json"));
    let files = [
        "dataset.json",
        ".dataset.json.tmp",
        "README.md",
        ".dataset.lock",
        "parts/00003-00000-0123456789abcdef.part",
        "games/00000.parquet",
        "plies/new.html",
        "observations/00000.parquet",
        "agents/0123456789abcdef",
    ];
    for name in files {
        fs::create_dir_all(dir.join(name).parent().unwrap()).unwrap();
        for check in [write(&dir.join(name), "x"), check_output(&dir.join(name))] {
            let text = check.unwrap_err().to_string();
            assert!(
                text.contains(&format!("it is a file of the dataset {}", dir.display())),
                "{text}"
            );
        }
    }
    assert_eq!(read(&dir.join("dataset.json")), before);
    write(&dir.join("report.html"), "x").unwrap();
    // The same names elsewhere are nobody's.
    write(&folder.path().join("README.md"), "x").unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        symlink(dir.join("dataset.json"), folder.path().join("link")).unwrap();
        symlink(&dir, folder.path().join("other")).unwrap();
        for name in ["link", "other/dataset.json", "other/games/../dataset.json"] {
            let error = write(&folder.path().join(name), "x").unwrap_err();
            assert!(matches!(error, Error::OutputInDataset { .. }), "{error}");
        }
    }
    assert_eq!(read(&dir.join("dataset.json")), before);
}

#[cfg(unix)]
#[test]
fn what_a_link_points_to_is_written() {
    use std::os::unix::fs::symlink;

    let (folder, elsewhere) = (folder(), folder());
    let target = elsewhere.path().join("target");
    let [link, second] = ["link", "second"].map(|name| folder.path().join(name));
    symlink(&target, &link).unwrap();
    symlink("link", &second).unwrap();
    write(&second, "new").unwrap();
    write(&second, "newer").unwrap();
    assert_eq!(read(&target), "newer");
    assert_eq!(names(folder.path()), ["link", "second"]);
    assert_eq!(names(elsewhere.path()), ["target"]);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());

    let circle = folder.path().join("circle");
    symlink("circle", &circle).unwrap();
    let text = write(&circle, "x").unwrap_err().to_string();
    assert!(text.contains("links that lead in a circle"), "{text}");
}

#[cfg(target_os = "linux")]
#[test]
fn devices_and_pipes_are_written_to() {
    use std::os::unix::fs::FileTypeExt;

    let folder = folder();
    let null = folder.path().join("null");
    std::os::unix::fs::symlink("/dev/null", &null).unwrap();
    write(&null, "x").unwrap();
    assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    let full = write(Path::new("/dev/full"), "x").unwrap_err().to_string();
    assert!(full.starts_with("cannot write /dev/full: No space left"), "{full}");

    let pipe = folder.path().join("pipe");
    let (kind, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU);
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, kind, mode, 0).unwrap();
    let stopped = write_output(&pipe, b"x", &AtomicBool::new(true));
    assert!(matches!(stopped, Err(Error::Stopped)), "{stopped:?}");
    // More than a pipe holds.
    let text = "board ".repeat(100_000);
    let reader = thread::spawn({
        let pipe = pipe.clone();
        move || read(&pipe)
    });
    write(&pipe, &text).unwrap();
    assert!(reader.join().unwrap() == text);
    assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
}
