//! Whether this user may use the GPUs: checked first, since the runtime only says that it finds none.

use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Why the GPUs cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    /// There is no driver.
    #[error(
        "'{}' does not exist: load the amdgpu driver, give the container the device, or run with --simulated",
        .0.display()
    )]
    NoDriver(PathBuf),
    /// There is no GPU.
    #[error(
        "'{}' has no renderD*, so there is no GPU here: give the container the devices, or run with --simulated",
        .0.display()
    )]
    NoRenderNode(PathBuf),
    /// The user is not in the group.
    #[error(
        "'{}' may not be opened by this user: join its group with `sudo usermod -aG {group} \"$USER\"` and log in again",
        .path.display()
    )]
    Denied {
        /// The device.
        path: PathBuf,
        /// Its group.
        group: String,
    },
    /// The system refuses for another reason.
    #[error("'{}' cannot be opened ({error}): `dmesg` shows what the amdgpu driver says", .path.display())]
    Unusable {
        /// The device.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

/// Checks that the driver and at least one GPU can be opened.
pub fn check() -> Result<(), AccessError> {
    check_in(Path::new("/dev"), open)
}

fn open(device: &Path) -> io::Result<()> {
    OpenOptions::new().read(true).write(true).open(device).map(drop)
}

fn check_in(devices: &Path, open: impl Fn(&Path) -> io::Result<()>) -> Result<(), AccessError> {
    let driver = devices.join("kfd");
    open(&driver).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => AccessError::NoDriver(driver.clone()),
        _ => refused(&driver, error),
    })?;
    let folder = devices.join("dri");
    let opened: Vec<_> = render_nodes(&folder).into_iter().map(|node| (open(&node), node)).collect();
    if opened.iter().any(|(opened, _)| opened.is_ok()) {
        return Ok(());
    }
    match opened.into_iter().next() {
        Some((Err(error), node)) => Err(refused(&node, error)),
        _ => Err(AccessError::NoRenderNode(folder)),
    }
}

/// The devices of the GPUs, in the order of their numbers.
fn render_nodes(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let named =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"renderD"));
    let mut nodes: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(named).collect();
    nodes.sort();
    nodes
}

fn refused(path: &Path, error: io::Error) -> AccessError {
    let path = path.to_owned();
    match error.kind() {
        io::ErrorKind::PermissionDenied => AccessError::Denied { group: group_of(&path), path },
        _ => AccessError::Unusable { path, error },
    }
}

/// The name of a file's group; its number if it has no name here.
fn group_of(path: &Path) -> String {
    let Ok(metadata) = fs::metadata(path) else { return "render".to_owned() };
    let groups = fs::read_to_string("/etc/group").unwrap_or_default();
    name_of(metadata.gid(), &groups).unwrap_or_else(|| metadata.gid().to_string())
}

/// The name of a group in the lines of `/etc/group`.
fn name_of(group: u32, groups: &str) -> Option<String> {
    groups.lines().find_map(|line| {
        let mut fields = line.split(':');
        let (name, number) = (fields.next()?, fields.nth(1)?);
        (number.parse() == Ok(group)).then(|| name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::{AccessError, check_in, name_of, open};
    use std::fs;
    use std::io;
    use std::path::{Path, PathBuf};

    /// A folder of devices.
    fn devices(test: &str, names: &[&str]) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("kreplay-access-{}-{test}", std::process::id()));
        for name in names {
            let device = folder.join(name);
            fs::create_dir_all(device.parent().expect("it is in a folder")).expect("it can be made");
            fs::write(device, []).expect("it can be made");
        }
        folder
    }

    /// A user who may open nothing whose name has `denied` in it.
    fn without(denied: &str) -> impl Fn(&Path) -> io::Result<()> {
        move |path| {
            if path.to_string_lossy().contains(denied) {
                Err(io::ErrorKind::PermissionDenied.into())
            } else {
                open(path)
            }
        }
    }

    #[test]
    fn a_driver_and_a_gpu_suffice() {
        let folder = devices("whole", &["kfd", "dri/card0", "dri/renderD128", "dri/renderD129"]);
        assert!(check_in(&folder, open).is_ok());
        assert!(check_in(&folder, without("renderD128")).is_ok());
    }

    #[test]
    fn a_machine_without_driver_or_gpu_is_told_apart() {
        let said = |folder: &Path| check_in(folder, open).unwrap_err().to_string();
        let folder = devices("none", &["null"]);
        assert!(said(&folder).contains("/kfd' does not exist: load the amdgpu driver"), "{}", said(&folder));
        let folder = devices("no-gpu", &["kfd", "dri/card0"]);
        assert!(said(&folder).contains("/dri' has no renderD*"), "{}", said(&folder));
    }

    #[test]
    fn a_missing_group_is_named() {
        let folder = devices("group", &["kfd", "dri/renderD128"]);
        for device in ["kfd", "renderD"] {
            let error = check_in(&folder, without(device)).unwrap_err();
            assert!(
                matches!(&error, AccessError::Denied { path, .. } if path.to_string_lossy().contains(device))
            );
            assert!(error.to_string().contains("usermod -aG "), "{error}");
        }
    }

    #[test]
    fn another_refusal_is_quoted() {
        let folder = devices("busy", &["kfd"]);
        let error = check_in(&folder, |_| Err(io::ErrorKind::ResourceBusy.into())).unwrap_err();
        assert!(error.to_string().contains("cannot be opened (resource busy)"), "{error}");
    }

    #[test]
    fn a_group_is_found_by_its_number() {
        let groups = "root:x:0:\nvideo:x:44:a,b\nrender:x:105:\n";
        assert_eq!(name_of(105, groups).as_deref(), Some("render"));
        assert_eq!(name_of(44, groups).as_deref(), Some("video"));
        assert_eq!(name_of(7, groups), None);
    }
}
