//! The modules of a crate form no dependency cycle. The sources are read as text: a path that
//! begins with `crate`, `self`, `super` or a child module is followed, through re-exports, to the
//! module that defines what it names. A re-export alone is not a dependency: a folder's `mod.rs`
//! may list what its files define. Tests are left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use darkqi_tests::{folder, rust_files};

/// A module's path from the crate's root. The root's own path is empty.
type Module = Vec<String>;

/// The parts of a module's source that matter here.
struct Source {
    /// The text without comments, tests and re-exports.
    code: String,
    /// The path behind each name that is re-exported.
    reexports: BTreeMap<String, String>,
}

#[test]
fn modules_form_no_cycles() {
    for crate_folder in ["env", "datasets", "selfplay", "python"] {
        let sources = read_crate(&folder("..").join(crate_folder).join("src"));
        let uses: BTreeMap<&Module, BTreeSet<Module>> =
            sources.keys().map(|module| (module, dependencies(module, &sources))).collect();
        assert!(uses.values().map(BTreeSet::len).sum::<usize>() > sources.len() / 2);
        for (module, used) in &uses {
            for other in used {
                let path = path_between(other, module, &uses);
                assert_eq!(path, None, "{crate_folder}: {module:?} uses {other:?}, which uses it");
            }
        }
    }
}

/// The modules on a path of dependencies from one to another, if there is one.
fn path_between(
    from: &Module,
    to: &Module,
    uses: &BTreeMap<&Module, BTreeSet<Module>>,
) -> Option<Vec<Module>> {
    let mut paths = vec![vec![from.clone()]];
    let mut seen = BTreeSet::from([from.clone()]);
    while let Some(path) = paths.pop() {
        let last = path.last().expect("a path has modules");
        if last == to {
            return Some(path);
        }
        for next in &uses[last] {
            if seen.insert(next.clone()) {
                paths.push(path.iter().chain([next]).cloned().collect());
            }
        }
    }
    None
}

fn read_crate(root: &Path) -> BTreeMap<Module, Source> {
    let mut sources = BTreeMap::new();
    for file in rust_files(root) {
        let relative = file.strip_prefix(root).expect("it is below").with_extension("");
        let mut module: Module =
            relative.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        if module == ["main"] || module.iter().any(|part| part == "tests") {
            continue;
        }
        if matches!(module.last().map(String::as_str), Some("mod" | "lib")) {
            module.pop();
        }
        let text = fs::read_to_string(&file).expect("sources are text");
        sources.insert(module, read_source(&text));
    }
    sources
}

fn read_source(text: &str) -> Source {
    let text = text.split("#[cfg(test)]\nmod tests {").next().expect("a split gives a part");
    let lines = text.lines().map(|line| line.split("//").next().expect("a split gives a part"));
    let mut code = lines.collect::<Vec<_>>().join("\n");
    let mut reexports = BTreeMap::new();
    for (statement, tree) in use_statements(&code) {
        if statement.starts_with("pub") {
            for path in expand(&tree) {
                let (path, name) = match path.split_once(" as ") {
                    Some((path, name)) => (path.to_owned(), name.to_owned()),
                    None => (path.clone(), last_part(&path)),
                };
                reexports.insert(name, path);
            }
            code = code.replace(&statement, "");
        }
    }
    Source { code, reexports }
}

/// The statements that begin a line with `use`, or with a visibility before it, and what they use.
fn use_statements(code: &str) -> Vec<(String, String)> {
    let statement = |(start, _)| {
        let line = code[..start].rfind('\n').map_or(0, |end| end + 1);
        let before = code[line..start].trim();
        let end = start + code[start..].find(';')?;
        (before.is_empty() || (before.starts_with("pub") && !before.contains(' ')))
            .then(|| (code[line..=end].trim().to_owned(), code[start + 4..end].to_owned()))
    };
    code.match_indices("use ").filter_map(statement).collect()
}

fn last_part(path: &str) -> String {
    path.rsplit("::").next().expect("a split gives a part").to_owned()
}

/// The single paths of a `use` with lists in braces.
fn expand(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    let Some((prefix, list)) = tree.split_once('{') else { return vec![tree.to_owned()] };
    let list = list.strip_suffix('}').expect("braces are closed");
    let mut depth = 0;
    let parts = list.split(|character| {
        depth += i32::from(character == '{') - i32::from(character == '}');
        character == ',' && depth == 0
    });
    let parts = parts.filter(|part| !part.trim().is_empty());
    parts.flat_map(expand).map(|part| format!("{prefix}{part}")).collect()
}

/// The modules that define what a module uses, without the module itself.
fn dependencies(module: &Module, sources: &BTreeMap<Module, Source>) -> BTreeSet<Module> {
    let code = &sources[module].code;
    let mut paths: Vec<String> =
        use_statements(code).iter().flat_map(|(_, tree)| expand(tree)).collect();
    let is_path = |character: char| character.is_alphanumeric() || "_:".contains(character);
    paths.extend(code.split(|character| !is_path(character)).map(str::to_owned));
    let found = paths.iter().filter(|path| path.contains("::"));
    let mut used: BTreeSet<Module> =
        found.filter_map(|path| resolve(path, module, sources, 0)).collect();
    used.remove(module);
    used
}

/// The module that defines what a path names, unless it is in another crate.
fn resolve(
    path: &str,
    from: &Module,
    sources: &BTreeMap<Module, Source>,
    depth: u32,
) -> Option<Module> {
    let mut parts = path.split("::").map(str::trim).peekable();
    let mut module = from.clone();
    match *parts.peek()? {
        "crate" => {
            parts.next();
            module.clear();
        }
        "self" => {
            parts.next();
        }
        "super" => {
            while parts.next_if_eq(&"super").is_some() {
                module.pop()?;
            }
        }
        child => {
            module.push(child.to_owned());
            if !sources.contains_key(&module) {
                return None;
            }
            parts.next();
        }
    }
    for part in parts {
        let child: Module = module.iter().cloned().chain([part.to_owned()]).collect();
        if sources.contains_key(&child) {
            module = child;
            continue;
        }
        // The limit ends the search if re-exports form a cycle.
        let reexport = sources.get(&module)?.reexports.get(part).filter(|_| depth < 5);
        let defined = reexport.and_then(|path| resolve(path, &module, sources, depth + 1));
        return Some(defined.unwrap_or(module));
    }
    Some(module)
}

#[test]
fn cycles_are_found() {
    let source = |text| read_source(text);
    let module = |name: &str| vec![name.to_owned()];
    let sources = BTreeMap::from([
        (vec![], source("mod a;\nmod b;\npub use a::{A, Other};\n")),
        (module("a"), source("use super::b::{\n    B,\n};\npub struct A(B);\n")),
        (module("b"), source("pub fn b(_: crate::A) {}\n#[cfg(test)]\nmod tests {\n}\n")),
    ]);
    assert_eq!(dependencies(&module("a"), &sources), [module("b")].into());
    assert_eq!(dependencies(&module("b"), &sources), [module("a")].into());
    assert_eq!(dependencies(&vec![], &sources), [].into());
}
