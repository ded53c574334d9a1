//! The kernel driver's marks on a machine, for programs that look for them: `/dev/kfd`, and `amdgpu` among the modules.
//!
//! They are made in a mount namespace of the calling process, so the machine itself stays as it is.

use rustix::fs::CWD;
use rustix::io;
use rustix::mount::{
    MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, mount, mount_change, move_mount,
    open_tree,
};
use rustix::process::{getegid, geteuid};
use rustix::thread::{UnshareFlags, unshare_unsafe};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

const DEVICE: &str = "/dev/kfd";
/// Where the machine's own devices are in the private `/dev`.
const HOST: &str = "/dev/.host";
/// Where the programs are that answer for the driver.
const PROGRAMS: &str = "/dev/.kreplay";
const LSMOD: &str = "#!/bin/sh\necho 'amdgpu 8192 0'\n";

/// Shows this process, and what it executes, a machine with the driver. Returns the folder to put first on `PATH`; none
/// if the machine has the driver. The process must have one thread only.
pub fn present() -> std::io::Result<Option<PathBuf>> {
    if Path::new(DEVICE).exists() {
        return Ok(None);
    }
    separate()?;
    move_devices()?;
    fs::write(DEVICE, [])?;
    let lsmod = Path::new(PROGRAMS).join("lsmod");
    fs::create_dir(PROGRAMS)?;
    fs::write(&lsmod, LSMOD)?;
    fs::set_permissions(&lsmod, fs::Permissions::from_mode(0o755))?;
    Ok(Some(PROGRAMS.into()))
}

/// Gets a mount namespace, with a user namespace around it where only that is allowed.
fn separate() -> std::io::Result<()> {
    if unshare(UnshareFlags::NEWNS).is_err() {
        let (user, group) = (geteuid().as_raw(), getegid().as_raw());
        unshare(UnshareFlags::NEWUSER | UnshareFlags::NEWNS)?;
        fs::write("/proc/self/setgroups", "deny")?;
        fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
        fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    }
    Ok(mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?)
}

fn unshare(flags: UnshareFlags) -> io::Result<()> {
    // SAFETY: the flags leave the file descriptors shared.
    unsafe { unshare_unsafe(flags) }
}

/// Puts an empty `/dev` in the place of the machine's, with links to all devices.
fn move_devices() -> std::io::Result<()> {
    let clone =
        OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::AT_RECURSIVE | OpenTreeFlags::OPEN_TREE_CLOEXEC;
    let devices = open_tree(CWD, "/dev", clone)?;
    mount("kreplay", "/dev", "tmpfs", MountFlags::NOSUID, Some(c"mode=755"))?;
    fs::create_dir(HOST)?;
    move_mount(devices, "", CWD, HOST, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?;
    for device in fs::read_dir(HOST)? {
        let name = device?.file_name();
        symlink(Path::new(HOST).join(&name), Path::new("/dev").join(&name))?;
    }
    Ok(())
}
