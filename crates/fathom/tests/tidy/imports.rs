//! Which file of a crate needs which: by what its paths name, wherever they lead through re-exports; and circles of that.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, UseTree};

/// Files by what they hold.
pub type Texts = BTreeMap<PathBuf, String>;

/// `["judge", "expect"]` from the crate's root.
type ModulePath = Vec<String>;

#[derive(Default)]
struct Module {
    file: PathBuf,
    /// Names of what is defined here.
    items: BTreeSet<String>,
    /// What a `use` gives a name here, re-exports too.
    named: BTreeMap<String, Vec<String>>,
    /// `use some::path::*`
    globs: Vec<Vec<String>>,
    /// All paths in its code, but those that only re-export.
    needs: Vec<Vec<String>>,
}

/// The modules below one root file, without tests.
pub struct Crate {
    modules: BTreeMap<ModulePath, Module>,
}

/// Does a crate's module tree begin with this file?
pub fn is_root(path: &Path) -> bool {
    let folder = path.parent().and_then(Path::file_name).and_then(|name| name.to_str());
    match path.file_name().and_then(|name| name.to_str()) {
        Some("lib.rs" | "main.rs") => folder == Some("src"),
        _ => folder == Some("bin"),
    }
}

impl Crate {
    pub fn read(root: &Path, texts: &Texts) -> Crate {
        let mut read = Crate { modules: BTreeMap::new() };
        let below = root.parent().unwrap_or(root).to_path_buf();
        read.file(root, &below, Vec::new(), texts);
        read
    }

    /// `below`: where the files of its child modules are.
    fn file(&mut self, file: &Path, below: &Path, at: ModulePath, texts: &Texts) {
        let text = texts.get(file).unwrap_or_else(|| panic!("{} is not there", file.display()));
        let parsed = syn::parse_file(text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        self.items(parsed.items, file, below, at, texts);
    }

    fn items(&mut self, items: Vec<Item>, file: &Path, below: &Path, at: ModulePath, texts: &Texts) {
        let mut module = Module { file: file.to_path_buf(), ..Module::default() };
        for item in items {
            if of_tests(attributes(&item)) {
                continue;
            }
            if let Item::Mod(child) = item {
                let name = child.ident.to_string();
                let inner = below.join(&name);
                let path = [at.clone(), vec![name.clone()]].concat();
                match child.content {
                    Some((_, items)) => self.items(items, file, &inner, path, texts),
                    None => {
                        let flat = below.join(format!("{name}.rs"));
                        let file = if texts.contains_key(&flat) { flat } else { inner.join("mod.rs") };
                        self.file(&file, &inner, path, texts);
                    }
                }
                continue;
            }
            module.items.extend(name_of(&item));
            Reader(&mut module).visit_item(&item);
        }
        self.modules.insert(at, module);
    }

    /// The file that defines what `path` names in this module.
    fn defines(&self, at: &[String], path: &[String], steps: u32) -> Option<&Path> {
        let (first, rest) = path.split_first()?;
        let (module, steps) = (self.modules.get(at)?, steps.checked_sub(1)?);
        let child = [at, std::slice::from_ref(first)].concat();
        match first.as_str() {
            "crate" => self.defines(&[], rest, steps),
            "self" => self.defines(at, rest, steps),
            "super" => self.defines(&at[..at.len().checked_sub(1)?], rest, steps),
            _ if module.items.contains(first) => Some(&module.file),
            _ if self.modules.contains_key(&child) => self.defines(&child, rest, steps),
            _ => match module.named.get(first) {
                // `use model::…` in a crate without such a module: another crate's.
                Some(target) if target.first() == Some(first) => None,
                Some(target) => self.defines(at, &[target, rest].concat(), steps),
                None => module.globs.iter().find_map(|glob| self.defines(at, &[glob.as_slice(), path].concat(), steps)),
            },
        }
    }

    /// Which files each file needs.
    fn needs(&self) -> BTreeMap<&Path, BTreeSet<&Path>> {
        const STEPS_MOST: u32 = 30;
        let mut needs: BTreeMap<&Path, BTreeSet<&Path>> = BTreeMap::new();
        for (at, module) in &self.modules {
            let found = module.needs.iter().filter_map(|path| self.defines(at, path, STEPS_MOST));
            needs.entry(&module.file).or_default().extend(found.filter(|file| *file != module.file));
        }
        needs
    }

    /// Circles of files that are not all in one folder: for each import that leaves a folder the shortest way back.
    pub fn circles(&self) -> Vec<String> {
        let needs = self.needs();
        let leaving = needs.iter().flat_map(|(from, direct)| direct.iter().map(move |to| (*from, *to)));
        let leaving = leaving.filter(|(from, to)| from.parent() != to.parent());
        let circles = leaving.filter_map(|(from, to)| way(&needs, to, from));
        let each: BTreeMap<BTreeSet<&Path>, Vec<&Path>> =
            circles.map(|circle| (circle.iter().copied().collect(), circle)).collect();
        let names = |circle: &Vec<&Path>| {
            let files = circle.iter().chain(&circle[..1]).map(|file| file.display().to_string());
            files.collect::<Vec<_>>().join(" -> ")
        };
        each.values().map(names).collect()
    }
}

/// The shortest way.
fn way<'a>(needs: &BTreeMap<&'a Path, BTreeSet<&'a Path>>, from: &'a Path, to: &'a Path) -> Option<Vec<&'a Path>> {
    let mut ways = vec![vec![from]];
    let mut seen = BTreeSet::from([from]);
    let mut next = 0;
    while let Some(so_far) = ways.get(next).cloned() {
        let last = so_far[so_far.len() - 1];
        if last == to {
            return Some(so_far);
        }
        let further = needs.get(last).into_iter().flatten().filter(|file| seen.insert(file));
        ways.extend(further.map(|file| [so_far.as_slice(), &[*file]].concat()));
        next += 1;
    }
    None
}

/// Gathers the paths of one item.
struct Reader<'m>(&'m mut Module);

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let exported = !matches!(item.vis, syn::Visibility::Inherited);
        for (name, path) in leaves(&item.tree, &[]) {
            match name {
                Some(name) => {
                    if !exported {
                        self.0.needs.push(path.clone());
                    }
                    self.0.named.insert(name, path);
                }
                None => self.0.globs.push(path),
            }
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.0.needs.push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    /// Of `format!`, `vec!` and the like, whose parts are expressions.
    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        let parts = syn::punctuated::Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated;
        for part in called.parse_body_with(parts).into_iter().flatten() {
            Reader(self.0).visit_expr(&part);
        }
    }
}

/// Each name that a `use` gives, with its path; without a name: all that is in it.
fn leaves(tree: &UseTree, above: &[String]) -> Vec<(Option<String>, Vec<String>)> {
    let with = |name: &syn::Ident| [above, &[name.to_string()]].concat();
    match tree {
        UseTree::Path(path) => leaves(&path.tree, &with(&path.ident)),
        UseTree::Group(group) => group.items.iter().flat_map(|item| leaves(item, above)).collect(),
        UseTree::Glob(_) => vec![(None, above.to_vec())],
        UseTree::Name(name) if name.ident == "self" => vec![(above.last().cloned(), above.to_vec())],
        UseTree::Name(name) => vec![(Some(name.ident.to_string()), with(&name.ident))],
        UseTree::Rename(name) => vec![(Some(name.rename.to_string()), with(&name.ident))],
    }
}

fn of_tests(attributes: &[Attribute]) -> bool {
    attributes
        .iter()
        .any(|one| one.path().is_ident("cfg") && one.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test")))
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Mod(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn name_of(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        _ => return None,
    };
    Some(name.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circles(files: &[(&str, &str)]) -> Vec<String> {
        let texts = files.iter().map(|(path, text)| (PathBuf::from(path), text.to_string())).collect();
        Crate::read(Path::new("src/lib.rs"), &texts).circles()
    }

    const CIRCLE: &str = "src/api.rs -> src/disk/holds.rs -> src/api.rs";
    const DISK: (&str, &str) = ("src/disk/mod.rs", "mod holds; pub use holds::Holds;");

    #[test]
    fn a_circle_through_a_re_export_is_named() {
        let found = circles(&[
            ("src/lib.rs", "mod api; mod disk; pub use api::Context;"),
            ("src/api.rs", "use crate::disk::Holds; pub struct Context(Holds);"),
            DISK,
            ("src/disk/holds.rs", "pub struct Holds; fn open(_: &crate::Context) {}"),
        ]);
        assert_eq!(found, [CIRCLE]);
    }

    #[test]
    fn one_direction_and_one_folder_are_no_circle() {
        let found = circles(&[
            ("src/lib.rs", "mod api; mod disk; mod fleet; pub use api::Context; pub const ALL: [disk::Holds; 0] = [];"),
            ("src/api.rs", "use crate::fleet; pub struct Context; fn f() { vec![fleet::Fleet] }"),
            ("src/fleet.rs", "use super::Context; pub struct Fleet(Context);"),
            DISK,
            (
                "src/disk/holds.rs",
                "pub struct Holds; fn open(_: &crate::Context) {} #[cfg(test)] mod tests { use crate::ALL; }",
            ),
        ]);
        assert_eq!(found, [""; 0]);
    }

    #[test]
    fn a_call_through_a_module_a_glob_or_a_macro_counts() {
        for uses in [
            "use crate::api; fn f() { api::f() }",
            "use crate::api::*; fn f(_: Context) {}",
            "use super::super::api as a; fn f() { format!(\"{}\", a::f()) }",
        ] {
            let found = circles(&[
                ("src/lib.rs", "mod api; mod disk;"),
                ("src/api.rs", "pub struct Context(crate::disk::Holds); pub fn f() {}"),
                DISK,
                ("src/disk/holds.rs", &format!("pub struct Holds; {uses}")),
            ]);
            assert_eq!(found, [CIRCLE], "{uses}");
        }
    }
}
