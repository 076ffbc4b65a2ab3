//! Which file each item of a lane is, and in which folder it lies.

use model::{Bytes, Sizes, Tree, Workload};

/// The files of a workload: as many for each lane.
#[derive(Clone, Debug)]
pub struct Names {
    tree: Tree,
    lanes: u64,
    /// Of each lane.
    items: u64,
    block: Bytes,
    sizes: Option<Sizes>,
}

/// A file or folder, relative to where the lane's tree begins.
pub type Path = String;

impl Names {
    /// `None`: the workload is of no tree, or of one without a file for each lane.
    pub fn of(workload: &Workload) -> Option<Names> {
        let tree = workload.tree?;
        let (items, lanes, sizes) = (workload.lane_items(), workload.jobs.max(1).into(), workload.sizes.clone());
        (items > 0).then_some(Names { tree, lanes, items, block: workload.block, sizes })
    }

    /// Of each lane.
    pub fn items(&self) -> u64 {
        self.items
    }

    /// Bytes of the item.
    pub fn bytes(&self, item: u64) -> usize {
        let bytes = self.sizes.as_ref().map_or(self.block, |sizes| sizes.of(item));
        usize::try_from(bytes).unwrap_or(usize::MAX)
    }

    /// Of the item's content, and unlike that of all others; the same whatever part of the tree is made.
    pub fn number(&self, lane: u64, item: u64) -> u64 {
        if self.tree.shared { item * self.lanes + lane } else { lane << 40 | item }
    }

    /// Where the lane's tree begins, in the run's own folder. Trees of other files, or of other shapes, lie beside it: points of a sweep, and
    /// both sides of a comparison, have each their own.
    pub fn begin(&self, lane: u64) -> String {
        let Tree { levels, folders, files, shared } = self.tree;
        let jobs = if shared { format!(".shared{}", self.lanes) } else { String::new() };
        let own = if shared { String::new() } else { format!("/job{lane}{}", Tree::OWN_ENDING) };
        let sizes = self.sizes.as_ref().map_or(self.block.to_string(), Sizes::to_string);
        format!("{sizes}.{levels}x{folders}x{files}{jobs}{}{own}", Tree::OWN_ENDING)
    }

    /// Folder and file in its tree: jobs that share a tree take its files in turns. What is one too many, so that all jobs
    /// have as many, lies in the last folder.
    fn place(&self, lane: u64, item: u64) -> (u64, u64) {
        let place = if self.tree.shared { item * self.lanes + lane } else { item };
        let folder = (place / self.files()).min(self.tree.lowest() - 1);
        (folder, place - folder * self.files())
    }

    fn files(&self) -> u64 {
        self.tree.files.max(1).into()
    }

    pub fn file(&self, lane: u64, item: u64) -> Path {
        let (folder, file) = self.place(lane, item);
        format!("{}{file}{}", self.folder_at(folder), Tree::OWN_ENDING)
    }

    /// A file of this lane that is not of the tree, beside an item.
    pub fn beside(&self, lane: u64, item: u64, number: u64) -> Path {
        format!("{}new{lane}.{number}{}", self.folder(lane, item), Tree::OWN_ENDING)
    }

    /// The folder of an item, with a slash at its end; empty: where the tree begins.
    pub fn folder(&self, lane: u64, item: u64) -> Path {
        self.folder_at(self.place(lane, item).0)
    }

    fn folder_at(&self, folder: u64) -> Path {
        let each = u64::from(self.tree.folders.max(1));
        let mut path = Path::new();
        for level in (0..self.tree.levels).rev() {
            let digit = folder / each.saturating_pow(level) % each;
            path.push_str(&format!("{digit}{}/", Tree::OWN_ENDING));
        }
        path
    }

    /// Files of the tree in the folder of an item.
    pub fn beside_item(&self, lane: u64, item: u64) -> u64 {
        let all = if self.tree.shared { self.items * self.lanes } else { self.items };
        let folder = self.place(lane, item).0;
        let from_here = all - (folder * self.files()).min(all);
        if folder + 1 == self.tree.lowest() { from_here } else { from_here.min(self.files()) }
    }

    /// All folders that one lane's items need, in the run's own, the outer ones first.
    pub fn folders(&self, lane: u64) -> Vec<String> {
        let begin = self.begin(lane);
        let mut all = std::collections::BTreeSet::new();
        let step = if self.tree.shared { (self.files() / self.lanes).max(1) } else { self.files() };
        for item in (0..self.items).step_by(step as usize).chain([self.items - 1]) {
            let folder = format!("{begin}/{}", self.folder(lane, item));
            let ends = folder.match_indices('/').map(|(at, _)| at);
            all.extend(ends.map(|at| folder[..at].to_string()));
        }
        // Shorter names of the same beginning come first.
        all.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Pattern;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    fn names(tree: Tree, jobs: u32) -> Names {
        let span = tree.bytes(jobs, 4096);
        Names::of(&Workload { jobs, tree: Some(tree), ..Workload::canonical(Pattern::Stat, span, 1) }).unwrap()
    }

    proptest! {
        #[test]
        fn every_item_is_a_file_of_its_own_in_a_folder_that_is_made(
            levels in 0u32..4, folders in 1u32..4, files in 1u32..9, shared: bool, jobs in 1u32..5,
        ) {
            let names = names(Tree { levels, folders, files, shared }, jobs);
            let (mut seen, mut in_folder) = (BTreeSet::new(), BTreeMap::<String, u64>::new());
            let mut made: BTreeSet<String> = BTreeSet::new();
            for lane in 0..names.lanes {
                for folder in names.folders(lane) {
                    let outer = folder.rsplit_once('/').map(|(outer, _)| outer.to_string());
                    prop_assert!(outer.is_none_or(|outer| made.contains(&outer)), "{folder} before what it is in");
                    made.insert(folder);
                }
                for item in 0..names.items() {
                    let whole = |path: String| format!("{}/{path}", names.begin(lane));
                    let (file, folder) = (whole(names.file(lane, item)), whole(names.folder(lane, item)));
                    prop_assert!(file.starts_with(&folder));
                    prop_assert!(folder.is_empty() || made.contains(folder.trim_end_matches('/')), "{folder}");
                    *in_folder.entry(folder).or_default() += 1;
                    prop_assert!(seen.insert(file));
                }
            }
            for lane in 0..names.lanes {
                for item in 0..names.items() {
                    prop_assert_eq!(names.beside_item(lane, item), in_folder[&format!("{}/{}", names.begin(lane), names.folder(lane, item))]);
                }
            }
        }
    }

    #[test]
    fn names_say_where_a_file_is() {
        let own = names(Tree { levels: 2, folders: 3, files: 10, shared: false }, 2);
        assert_eq!(
            (own.items(), own.begin(1), own.file(1, 47)),
            (90, "4096.2x3x10.fathom/job1.fathom".to_string(), "1.fathom/1.fathom/7.fathom".to_string())
        );
        assert_eq!(own.beside(1, 47, 9), "1.fathom/1.fathom/new1.9.fathom");
        let shared = names(Tree { levels: 0, folders: 1, files: 10, shared: true }, 2);
        assert_eq!(
            (shared.begin(1), shared.file(1, 2), shared.folder(1, 2)),
            ("4096.0x1x10.shared2.fathom".to_string(), "5.fathom".to_string(), String::new())
        );
    }
}
