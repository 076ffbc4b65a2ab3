//! A C library as a table of the functions used, each with its type, filled when the library is first needed.

use crate::error::CephError;
use std::sync::OnceLock;

/// What came of opening a library; kept, so that a missing one is looked for once.
pub type Slot<T> = OnceLock<Result<T, CephError>>;

/// Opens `file` for the rest of the process's life: its threads may outlive every handle.
pub fn open(file: &'static str, package: &'static str) -> Result<&'static libloading::Library, CephError> {
    // SAFETY: Ceph's libraries have no initializers with conditions; they are made to be opened by any program.
    let library = unsafe { libloading::Library::new(file) };
    match library {
        Ok(library) => Ok(Box::leak(Box::new(library))),
        Err(error) => Err(CephError::LibraryMissing { file, package, why: error.to_string() }),
    }
}

/// Ceph's release, as its libraries have it (`16.2.15`). `None`: they are missing, or do not tell: the function is theirs alone, no part
/// of their interface.
pub fn release() -> Option<String> {
    crate::librados::Librados::get().ok()?;
    let library = open("librados.so.2", "librados2").ok()?;
    // SAFETY: `const char *ceph_version_to_str()` of libceph-common, on which librados depends; it takes nothing and gives a constant.
    unsafe {
        let told =
            library.get::<unsafe extern "C" fn() -> *const std::ffi::c_char>(b"_Z19ceph_version_to_strv\0").ok()?;
        let text = told();
        (!text.is_null()).then(|| std::ffi::CStr::from_ptr(text).to_string_lossy().into_owned())
    }
}

/// The packages of those libraries that this host lacks.
pub fn missing() -> Vec<&'static str> {
    let why = [crate::librados::Librados::get().err(), crate::librbd::Librbd::get().err()];
    let package = |error: CephError| match error {
        CephError::LibraryMissing { package, .. } => Some(package),
        _ => None,
    };
    why.into_iter().flatten().filter_map(package).collect()
}

/// Declares the table `$table` for the library `$file` of package `$package`, and `$table::get`.
macro_rules! functions {
    ($table:ident of $file:literal in $package:literal { $(fn $name:ident($($type:ty),* $(,)?) $(-> $result:ty)?;)* }) => {
        /// One pointer per function used; the types are checked against the library's headers by a test.
        pub struct $table {
            $(pub $name: unsafe extern "C" fn($($type),*) $(-> $result)?,)*
        }

        impl $table {
            /// The table, filled at the first call.
            ///
            /// # Errors
            /// The library, or a function in it, is missing on this host.
            pub fn get() -> Result<&'static $table, $crate::error::CephError> {
                static TABLE: $crate::library::Slot<$table> = std::sync::OnceLock::new();
                TABLE.get_or_init($table::load).as_ref().map_err(Clone::clone)
            }

            fn load() -> Result<$table, $crate::error::CephError> {
                let library = $crate::library::open($file, $package)?;
                Ok($table {
                    $($name: {
                        let name = concat!(stringify!($name), "\0");
                        // SAFETY: the type is the one that the library's header declares; a test compares them.
                        let symbol = unsafe { library.get::<unsafe extern "C" fn($($type),*) $(-> $result)?>(name.as_bytes()) };
                        *symbol.map_err(|error| $crate::error::CephError::LibraryMissing {
                            file: $file, package: $package, why: error.to_string(),
                        })?
                    },)*
                })
            }

            /// Name, argument types and result type of every function, as written here.
            #[cfg(test)]
            pub const SIGNATURES: &[(&str, &[&str], &str)] =
                &[$((stringify!($name), &[$(stringify!($type)),*], concat!($(stringify!($result))?)),)*];
        }
    };
}
pub(crate) use functions;

#[cfg(test)]
mod tests {
    use crate::libcephfs::{BASIC_STATS, Libcephfs, Statx};
    use crate::librados::Librados;
    use crate::librbd::Librbd;
    use std::process::Command;

    /// The C spelling of a type of the tables.
    fn c_type(rust: &str) -> &'static str {
        match rust.replace(' ', "").as_str() {
            "" => "void",
            "c_int" => "int",
            "u64" => "uint64_t",
            "u32" => "uint32_t",
            "c_uint" => "unsigned int",
            "mode_t" => "mode_t",
            "Mount" => "struct ceph_mount_info *",
            "*mutMount" => "struct ceph_mount_info **",
            "Directory" => "struct ceph_dir_result *",
            "*mutDirectory" => "struct ceph_dir_result **",
            "*mutdirent" => "struct dirent *",
            "*mutStatx" => "struct ceph_statx *",
            "i64" => "int64_t",
            "usize" => "size_t",
            "isize" => "ssize_t",
            "Handle" => "void *",
            "*mutHandle" => "void **",
            "*mutc_void" => "void *",
            "*constc_void" => "const void *",
            "Text" => "const char *",
            "*constText" => "const char **",
            "*mutText" => "const char **",
            "*mutc_char" => "char *",
            "*mut*mutc_char" => "char **",
            "*mutc_int" => "int *",
            "*mutu64" => "uint64_t *",
            "*muti64" => "int64_t *",
            "*mutusize" => "size_t *",
            "*muttime_t" => "time_t *",
            "Option<Callback>" => "rados_callback_t",
            "*muttimespec" => "struct timespec *",
            "*mutImageSpec" => "rbd_image_spec_t *",
            "bool" => "bool",
            "ProgressCallback" => "librbd_progress_fn_t",
            "*mutImageInfo" => "rbd_image_info_t *",
            "*mutSnapInfo" => "rbd_snap_info_t *",
            "*mutImageWatcher" => "rbd_image_watcher_t *",
            other => panic!("no C spelling for {other}"),
        }
    }

    fn declarations(signatures: &[(&str, &[&str], &str)]) -> String {
        let one = |(name, arguments, result): &(&str, &[&str], &str)| {
            let arguments: Vec<_> = arguments.iter().map(|argument| c_type(argument)).collect();
            format!("{} {name}({});\n", c_type(result), arguments.join(", "))
        };
        signatures.iter().map(one).collect()
    }

    /// A C compiler refuses a second declaration with other types than the header's.
    fn compiles(text: &str) -> Result<(), String> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("check.c");
        std::fs::write(&file, text).expect("write the check");
        let out = Command::new("cc").args(["-fsyntax-only", "-w"]).arg(&file).output().expect("a C compiler");
        if out.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&out.stderr).into_owned()) }
    }

    const HEADERS: &str = "#define _FILE_OFFSET_BITS 64\n#include <dirent.h>\n#include <rados/librados.h>\n#include <rbd/librbd.h>\n#include <cephfs/libcephfs.h>\n";

    #[test]
    fn tables_have_the_types_of_the_headers() {
        let tables = [Librados::SIGNATURES, Librbd::SIGNATURES, Libcephfs::SIGNATURES].map(declarations).concat();
        compiles(&format!("{HEADERS}{tables}"))
            .expect("the tables differ from the headers of librados-dev, librbd-dev and libcephfs-dev");
    }

    #[test]
    fn a_wrong_type_in_a_table_is_seen() {
        let wrong = declarations(&[("rados_connect", &["Handle", "u64"], "c_int")]);
        assert!(compiles(&format!("{HEADERS}{wrong}")).is_err());
    }

    #[test]
    fn layouts_and_constants_are_those_of_the_headers() {
        let size = size_of::<crate::librbd::ImageSpec>();
        let name = std::mem::offset_of!(crate::librbd::ImageSpec, name);
        let (statx, bytes) = (size_of::<Statx>(), std::mem::offset_of!(Statx, size));
        compiles(&format!(
            "{HEADERS}#include <stddef.h>\n\
             _Static_assert(sizeof(rbd_image_spec_t) == {size}, \"size\");\n\
             _Static_assert(offsetof(rbd_image_spec_t, name) == {name}, \"name\");\n\
             _Static_assert(sizeof(struct ceph_statx) == {statx}, \"size\");\n\
             _Static_assert(offsetof(struct ceph_statx, stx_size) == {bytes}, \"bytes\");\n\
             _Static_assert(CEPH_STATX_BASIC_STATS == {BASIC_STATS}, \"wanted\");\n\
             _Static_assert(__builtin_types_compatible_p(rados_callback_t, rbd_callback_t), \"callback\");\n"
        ))
        .expect("the headers of librados-dev and librbd-dev");
    }

    #[test]
    fn a_missing_library_names_its_package() {
        let text = super::open("libnothere.so.9", "libnothere9").expect_err("no such library").to_string();
        assert!(text.contains("libnothere9"), "{text}");
    }
}
