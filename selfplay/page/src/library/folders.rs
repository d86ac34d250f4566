//! The folders that are served, and what lies in them.

use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use darkqi_format::{Dataset, MANIFEST_FILE, read_file};
use darkqi_play::studies::STUDY_PAGE;

use crate::answer::Refusal;
use crate::studies::QUESTION_FILE;

/// How deep below a served folder is looked.
const DEPTH: usize = 5;

/// How many folders are looked into, so that a page about `/` is slow and not endless.
const MOST: usize = 20_000;

/// Characters of the name of a new dataset.
const MAX_NAME: usize = 100;

/// The folders given on the command line.
#[derive(Clone, Debug)]
pub(crate) struct Folders(Vec<PathBuf>);

/// A folder with something to show.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The number of the served folder, and the path from there: `0/data/jieqi`.
    pub(crate) id: String,
    pub(crate) path: PathBuf,
}

impl Folders {
    pub(crate) fn new(folders: Vec<PathBuf>) -> Self {
        Self(folders)
    }

    /// The folders as they were given.
    pub(crate) fn given(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|folder| folder.display().to_string())
    }

    /// All folders below that hold a file of this name, by path. Folders of hidden names, links and the
    /// insides of what is found are left out. Once `stop` is set, no more are looked into.
    pub(crate) fn find(&self, file: &str, stop: &AtomicBool) -> Vec<Place> {
        let mut found = Vec::new();
        let mut left = MOST;
        for (number, root) in self.0.iter().enumerate() {
            let place = Place { id: number.to_string(), path: root.clone() };
            collect(place, file, DEPTH, &mut left, &mut found, stop);
        }
        found
    }

    /// Opens a dataset by its id.
    ///
    /// # Errors
    /// If it does not lie in a served folder or cannot be opened.
    pub(crate) fn dataset(&self, id: &str) -> Result<Dataset, Refusal> {
        let path = self.path(id).ok_or_else(|| missing("dataset", id))?;
        Dataset::open(path).map_err(|error| Refusal::missing(error.to_string()))
    }

    /// The page of a study, by the id of its folder.
    ///
    /// # Errors
    /// If there is none in a served folder.
    pub(crate) fn study_page(&self, id: &str) -> Result<Vec<u8>, Refusal> {
        let path = self.path(&format!("{id}/{STUDY_PAGE}")).ok_or_else(|| missing("study", id))?;
        read_file(&path).map_err(|error| Refusal::missing(error.to_string()))
    }

    /// Where a new dataset of this name is written: in the first served folder that is none itself.
    ///
    /// # Errors
    /// If there is no such folder, or the name is not that of a folder in it.
    pub(crate) fn new_dataset(&self, name: &str) -> Result<Place, Refusal> {
        self.new_place(name, |path| path.join(MANIFEST_FILE).is_file() || is_empty(path))
    }

    /// Where a new study of this name is played, as [`Folders::new_dataset`].
    ///
    /// # Errors
    /// If there is no such folder, or the name is not that of a free one in it.
    pub(crate) fn new_study(&self, name: &str) -> Result<Place, Refusal> {
        self.new_place(name, is_empty)
    }

    fn new_place(&self, name: &str, is_free: impl Fn(&Path) -> bool) -> Result<Place, Refusal> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if name.is_empty()
            || name.len() > MAX_NAME
            || !name.chars().all(is_plain)
            || !is_listed(name)
            || name == MANIFEST_FILE
        {
            let expected = format!(
                "1 to {MAX_NAME} letters, digits, `-`, `_` and `.`, not first and no name that \
                 is left out of lists"
            );
            return Err(Refusal::faulty(format!("name: expected {expected}, got `{name}`")));
        }
        let Some(number) = self.for_new() else {
            return Err(Refusal::impossible("every served folder is a dataset itself"));
        };
        let path = self.0[number].join(name);
        // A link may lead elsewhere, and what is in another folder would no longer be listed.
        let is_free = match path.symlink_metadata() {
            Err(error) => error.kind() == ErrorKind::NotFound,
            Ok(found) => found.is_dir() && is_free(&path),
        };
        if !is_free {
            let reason = format!("name: `{name}` is there already; expected another");
            return Err(Refusal::faulty(reason));
        }
        Ok(Place { id: format!("{number}/{name}"), path })
    }

    /// The folder of a study.
    ///
    /// # Errors
    /// If there is none in a served folder.
    pub(crate) fn study(&self, id: &str) -> Result<Place, Refusal> {
        let path = self.path(id).filter(|path| path.join(QUESTION_FILE).is_file());
        Ok(Place { id: id.to_owned(), path: path.ok_or_else(|| missing("study", id))? })
    }

    /// Whether there is a folder for new datasets.
    pub(crate) fn can_grow(&self) -> bool {
        self.for_new().is_some()
    }

    fn for_new(&self) -> Option<usize> {
        self.0.iter().position(|root| !root.join(MANIFEST_FILE).is_file())
    }

    /// The path of an id. It lies in a served folder, also after links are followed.
    fn path(&self, id: &str) -> Option<PathBuf> {
        let (number, rest) = id.split_once('/').unwrap_or((id, ""));
        let root = self.0.get(number.parse::<usize>().ok()?)?;
        let below = Path::new(rest);
        if !below.components().all(|part| matches!(part, Component::Normal(_))) {
            return None;
        }
        let path = root.join(below);
        let is_inside = path.canonicalize().ok()?.starts_with(root.canonicalize().ok()?);
        is_inside.then_some(path)
    }
}

/// Whether folders of this name are looked into.
fn is_listed(name: &str) -> bool {
    !name.starts_with('.') && name != "node_modules" && name != "target"
}

fn is_empty(dir: &Path) -> bool {
    fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_none())
}

fn missing(field: &str, id: &str) -> Refusal {
    Refusal::missing(format!("{field}: there is no `{id}` in the served folders"))
}

fn collect(
    place: Place,
    file: &str,
    depth: usize,
    left: &mut usize,
    found: &mut Vec<Place>,
    stop: &AtomicBool,
) {
    if place.path.join(file).is_file() {
        found.push(place);
        return;
    }
    if depth == 0 {
        return;
    }
    // What cannot be read has nothing to show.
    let Ok(entries) = fs::read_dir(&place.path) else { return };
    let mut names: Vec<String> = entries
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| is_listed(name))
        .collect();
    names.sort();
    for name in names {
        if *left == 0 || stop.load(Ordering::Relaxed) {
            return;
        }
        *left -= 1;
        let inner = Place { id: format!("{}/{name}", place.id), path: place.path.join(&name) };
        collect(inner, file, depth - 1, left, found, stop);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::sync::atomic::AtomicBool;

    use tempfile::tempdir;

    use super::Folders;

    #[test]
    fn only_what_lies_in_served_folders_has_a_path() {
        let dir = tempdir().expect("a folder");
        let served = dir.path().join("served");
        fs::create_dir_all(served.join("a/b")).expect("folders");
        fs::create_dir(dir.path().join("other")).expect("a folder");
        symlink(dir.path().join("other"), served.join("link")).expect("a link");
        let folders = Folders::new(vec![served.clone()]);
        assert_eq!(folders.path("0/a/b"), Some(served.join("a/b")));
        assert_eq!(folders.path("0"), Some(served.join("")));
        let outside =
            ["1/a", "0/../other", "0//etc", "0/a/../../other", "0/link", "0/none", "x", ""];
        for id in outside {
            assert_eq!(folders.path(id), None, "{id}");
        }
    }

    #[test]
    fn datasets_are_found_below_and_not_inside_one_another() {
        let dir = tempdir().expect("a folder");
        for path in ["z", "a/one", "a/one/inner", ".hidden", "a/target/deep"] {
            fs::create_dir_all(dir.path().join(path)).expect("folders");
            fs::write(dir.path().join(path).join("dataset.json"), "{}").expect("a file");
        }
        let folders = Folders::new(vec![dir.path().to_owned()]);
        let find = |stop| folders.find("dataset.json", &AtomicBool::new(stop)).into_iter();
        let ids: Vec<String> = find(false).map(|at| at.id).collect();
        assert_eq!(ids, ["0/a/one", "0/z"]);
        assert_eq!(find(true).count(), 0);
    }

    #[test]
    fn new_datasets_have_plain_names() {
        let dir = tempdir().expect("a folder");
        let folders = Folders::new(vec![dir.path().to_owned()]);
        assert_eq!(folders.new_dataset("my-games_2").expect("a name").id, "0/my-games_2");
        let long = "a".repeat(101);
        let refused = ["", ".", "..", "../x", "a/b", ".x", "a b", "a\\b", "é", "target", &long];
        for name in refused.into_iter().chain(["node_modules", "dataset.json"]) {
            assert!(folders.new_dataset(name).is_err(), "{name}");
        }
        // It would hide what is below it, or lead elsewhere.
        fs::create_dir_all(dir.path().join("data/inner")).expect("folders");
        fs::create_dir(dir.path().join("empty")).expect("a folder");
        fs::write(dir.path().join("file"), "").expect("a file");
        symlink(dir.path().join("empty"), dir.path().join("link")).expect("a link");
        for name in ["data", "file", "link"] {
            assert!(folders.new_dataset(name).is_err(), "{name}");
        }
        assert!(folders.new_dataset("empty").is_ok());
        fs::write(dir.path().join("dataset.json"), "{}").expect("a file");
        assert!(folders.new_dataset("x").is_err(), "a dataset holds no other");
    }
}
