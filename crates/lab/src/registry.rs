//! Which labs there are, and whether their supervisors live.

use crate::dirs::{self, Dirs};
use crate::errors::LabError;
use crate::leftovers;
use nix::fcntl::{Flock, FlockArg};
use std::fs::{self, DirBuilder, File, Metadata};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::Path;

pub(crate) type Lock = Flock<File>;

/// Takes the name: makes the lab's directories and locks them. What is left of a broken lab of that name is removed before.
/// `check` looks at the place where labs are kept before anything is made in it.
pub(crate) fn take(dirs: &Dirs, check: impl FnOnce(&Path) -> Result<(), LabError>) -> Result<Lock, LabError> {
    let labs = place(dirs);
    fs::create_dir_all(labs).map_err(LabError::io("cannot make the directory", labs))?;
    let _one_at_a_time = alone(labs)?;
    if alive(dirs) {
        return Err(LabError::NameTaken { name: dirs.name.clone() });
    }
    // Also where its directory is gone: its processes, devices and links may be there.
    leftovers::clear(dirs)?;
    check(labs)?;
    private(&dirs.dir)?;
    let made = fill(dirs);
    if made.is_err() {
        let _ = fs::remove_dir_all(&dirs.dir);
    }
    made
}

fn private(path: &Path) -> Result<(), LabError> {
    DirBuilder::new().mode(0o700).create(path).map_err(LabError::io("cannot make the directory", path))
}

/// The lock, and the directories in the lab's.
fn fill(dirs: &Dirs) -> Result<Lock, LabError> {
    let lock = lock(dirs)?;
    [dirs.run(), dirs.logs(), dirs.dir.join("crash")].iter().try_for_each(|dir| private(dir))?;
    Ok(lock)
}

/// Between looking and making, no other lab of this place is begun or cleared away.
pub(crate) fn alone(labs: &Path) -> Result<Lock, LabError> {
    let failed = LabError::io("cannot lock", labs);
    let file = File::open(labs).map_err(LabError::io("cannot open", labs))?;
    Flock::lock(file, FlockArg::LockExclusive).map_err(|(_, errno)| failed(errno.into()))
}

/// Removes all of the lab that holds this lock. Its name is free as soon as the lock is removed, and may not be taken before the rest is
/// removed, too.
pub(crate) fn clear_own(dirs: &Dirs, own: &Lock) -> Result<(), LabError> {
    // Where the place of labs is gone, nobody makes another one in it.
    let _alone = alone(place(dirs));
    let file = |found: io::Result<Metadata>| found.ok().map(|found| (found.dev(), found.ino()));
    let there = file(fs::metadata(dirs.lock()));
    if there.is_some() && there != file(own.metadata()) {
        // The directory was removed by hand, and another lab has taken the name.
        return Ok(());
    }
    leftovers::clear(dirs)
}

/// The directory in which the lab's is.
pub(crate) fn place(dirs: &Dirs) -> &Path {
    dirs.dir.parent().unwrap_or(&dirs.dir)
}

/// [`alone`] is held: nobody has this lock but whoever looks for an instant whether it is held.
fn lock(dirs: &Dirs) -> Result<Lock, LabError> {
    let path = dirs.lock();
    let mut file = File::create(&path).map_err(LabError::io("cannot write", &path))?;
    file.write_all(std::process::id().to_string().as_bytes()).map_err(LabError::io("cannot write", &path))?;
    Flock::lock(file, FlockArg::LockExclusive)
        .map_err(|(_, errno)| LabError::io("cannot lock", &path)(io::Error::from(errno)))
}

/// Whether the lab's supervisor lives. To be sure that it is not just beginning, hold [`alone`].
pub(crate) fn alive(dirs: &Dirs) -> bool {
    let Ok(file) = File::open(dirs.lock()) else { return false };
    // A lock that is got here is released at once: the file is closed at the end of this function.
    Flock::lock(file, FlockArg::LockSharedNonblock).is_err()
}

/// The process id of the supervisor.
pub(crate) fn supervisor_pid(dirs: &Dirs) -> Option<i32> {
    fs::read_to_string(dirs.lock()).ok()?.trim().parse().ok()
}

/// The labs of this user, living or broken, by name.
pub(crate) fn all() -> Result<Vec<Dirs>, LabError> {
    let labs = dirs::labs()?;
    let entries = fs::read_dir(&labs).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.retain(|name| crate::spec::check_name(name).is_ok());
    names.sort();
    Ok(names.iter().map(|name| Dirs::in_labs(&labs, name)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn no_check(_: &Path) -> Result<(), LabError> {
        Ok(())
    }

    #[test]
    fn a_name_is_taken_once_and_free_again_when_its_supervisor_is_gone() -> Result<(), LabError> {
        let place = tempfile::tempdir().map_err(LabError::io("cannot make", Path::new("a temporary directory")))?;
        let dirs = Dirs::in_labs(place.path(), "x");
        let lock = take(&dirs, no_check)?;
        assert!(alive(&dirs));
        assert_eq!(supervisor_pid(&dirs), Some(std::process::id() as i32));
        assert_eq!(take(&dirs, no_check).map(drop).map_err(|error| error.exit_code()), Err(3));
        drop(lock);
        assert!(!alive(&dirs));
        let left = dirs.dir.join("left");
        fs::write(&left, "").map_err(LabError::io("cannot write", &left))?;
        let _again = take(&dirs, no_check)?;
        assert!(!left.exists());
        Ok(())
    }

    #[test]
    fn what_is_left_is_removed_although_the_directory_is_gone() -> Result<(), LabError> {
        let place = tempfile::tempdir().map_err(LabError::io("cannot make", Path::new("a temporary directory")))?;
        let dirs = Dirs { memory: place.path().join("memory"), ..Dirs::in_labs(&place.path().join("labs"), "x") };
        fs::create_dir(&dirs.memory).map_err(LabError::io("cannot make", &dirs.memory))?;
        let _lock = take(&dirs, no_check)?;
        assert!(!dirs.memory.exists());
        Ok(())
    }

    #[test]
    fn a_name_is_taken_although_somebody_looks_at_its_lock() -> Result<(), LabError> {
        let place = tempfile::tempdir().map_err(LabError::io("cannot make", Path::new("a temporary directory")))?;
        let dirs = Dirs::in_labs(place.path(), "x");
        private(&dirs.dir)?;
        let file = File::create(dirs.lock()).map_err(LabError::io("cannot write", &dirs.lock()))?;
        let looks = Flock::lock(file, FlockArg::LockShared);
        assert!(looks.is_ok());
        std::thread::scope(|scope| {
            let locked = scope.spawn(|| lock(&dirs).map(drop));
            // Enough for what does not wait.
            std::thread::sleep(Duration::from_millis(200));
            drop(looks);
            assert!(locked.join().is_ok_and(|locked| locked.is_ok()));
        });
        Ok(())
    }

    #[test]
    fn a_name_that_could_not_be_taken_leaves_no_directory() -> Result<(), LabError> {
        let place = tempfile::tempdir().map_err(LabError::io("cannot make", Path::new("a temporary directory")))?;
        // The directory's own path is as long as Linux takes one: nothing in it can be named.
        let mut labs = place.path().to_path_buf();
        while labs.as_os_str().len() < 3900 {
            labs.push("a".repeat(99));
        }
        labs.push("a".repeat(4092 - labs.as_os_str().len() - 1));
        let dirs = Dirs::in_labs(&labs, "x");
        assert!(take(&dirs, no_check).is_err());
        assert!(labs.is_dir() && !dirs.dir.exists());
        Ok(())
    }

    #[test]
    fn a_lab_that_ends_is_not_removed_while_another_is_begun() -> Result<(), LabError> {
        let place = tempfile::tempdir().map_err(LabError::io("cannot make", Path::new("a temporary directory")))?;
        let dirs = Dirs::in_labs(place.path(), "x");
        let lock = take(&dirs, no_check)?;
        let begun = alone(place.path())?;
        std::thread::scope(|scope| {
            let cleared = scope.spawn(|| clear_own(&dirs, &lock));
            // Enough for what does not wait.
            std::thread::sleep(Duration::from_millis(200));
            assert!(dirs.lock().exists());
            drop(begun);
            assert!(cleared.join().is_ok_and(|cleared| cleared.is_ok()) && !dirs.dir.exists());
        });
        Ok(())
    }
    #[test]
    fn a_lab_that_ends_leaves_the_one_that_has_its_name_now() -> Result<(), LabError> {
        let place = tempfile::tempdir().map_err(LabError::io("cannot make", Path::new("a temporary directory")))?;
        let dirs = Dirs::in_labs(place.path(), "x");
        let old = take(&dirs, no_check)?;
        fs::remove_dir_all(&dirs.dir).map_err(LabError::io("cannot remove", &dirs.dir))?;
        let new = take(&dirs, no_check)?;
        clear_own(&dirs, &old)?;
        assert!(alive(&dirs));
        clear_own(&dirs, &new)?;
        assert!(!dirs.dir.exists());
        Ok(())
    }
}
