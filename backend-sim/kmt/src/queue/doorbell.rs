//! A doorbell: a page that the application stores to, and a queue's thread that sleeps until it does.
//!
//! While the thread sleeps the page is write-protected by userfaultfd: the store that rings waits until the thread is
//! awake and has opened the page. Where the system refuses userfaultfd the thread looks at its queue now and then.

use crate::kernels::QueueFault;
use kreplay_core::ids::Address;
use linux_raw_sys::general::{
    UFFD_API, UFFD_FEATURE_PAGEFAULT_FLAG_WP, UFFD_USER_MODE_ONLY, UFFDIO_REGISTER_MODE_WP, uffdio_api,
    uffdio_range, uffdio_register, uffdio_writeprotect,
};
use linux_raw_sys::ioctl::{UFFDIO_API, UFFDIO_REGISTER, UFFDIO_WRITEPROTECT};
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::fd::OwnedFd;
use rustix::io;
use rustix::ioctl::{Opcode, Updater, ioctl};
use rustix::mm::{self, Advice, MapFlags, ProtFlags, UserfaultfdFlags};
use std::ffi::c_void;
use std::ptr::NonNull;

const PAGE: usize = 4096;
const API: Opcode = UFFDIO_API as Opcode;
const REGISTER: Opcode = UFFDIO_REGISTER as Opcode;
const WRITE_PROTECT: Opcode = UFFDIO_WRITEPROTECT as Opcode;
/// `UFFDIO_WRITEPROTECT_MODE_WP`.
const PROTECT: u64 = 1;
/// How often an unwatched queue is looked at.
const GLANCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 5_000_000 };

/// A doorbell.
#[derive(Debug)]
pub(crate) struct Doorbell {
    page: Page,
    watch: Option<OwnedFd>,
    kicked: OwnedFd,
}

impl Doorbell {
    pub(crate) fn new() -> io::Result<Self> {
        let page = Page::new()?;
        let watch = watch(&page).ok();
        Ok(Self { page, watch, kicked: eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)? })
    }

    /// Where the application stores to.
    pub(crate) fn address(&self) -> Address {
        self.page.0.as_ptr().expose_provenance() as Address
    }

    /// Whether the system tells of a store.
    pub(crate) const fn is_watched(&self) -> bool {
        self.watch.is_some()
    }

    /// Wakes the thread that waits, or the next one.
    pub(crate) fn kick(&self) {
        // A full counter is a kick, too.
        let _ = io::write(&self.kicked, &1_u64.to_ne_bytes());
    }

    /// Sleeps until the doorbell rings, or a kick, unless there is work.
    pub(crate) fn wait(&self, has_work: impl Fn() -> Result<bool, QueueFault>) -> Result<(), QueueFault> {
        let _closed = self.watch.as_ref().map(|watch| Closed::new(&self.page, watch));
        if !has_work()? {
            self.sleep(self.watch.as_ref(), self.watch.is_none().then_some(&GLANCE));
        }
        Ok(())
    }

    /// Sleeps until a kick.
    pub(crate) fn wait_for_kick(&self) {
        self.sleep(None, None);
    }

    fn sleep(&self, watch: Option<&OwnedFd>, limit: Option<&Timespec>) {
        let mut fds = vec![PollFd::new(&self.kicked, PollFlags::IN)];
        fds.extend(watch.map(|watch| PollFd::new(watch, PollFlags::IN)));
        // An interrupted sleep is a short one: the caller looks for work and sleeps again.
        let _ = poll(&mut fds, limit);
        let _ = io::read(&self.kicked, &mut [0; 8]);
    }
}

/// The page, protected for as long as this lives.
struct Closed<'a> {
    page: &'a Page,
    watch: &'a OwnedFd,
}

impl<'a> Closed<'a> {
    fn new(page: &'a Page, watch: &'a OwnedFd) -> Self {
        protect(page, watch, PROTECT);
        Self { page, watch }
    }
}

impl Drop for Closed<'_> {
    fn drop(&mut self) {
        protect(self.page, self.watch, 0);
    }
}

/// Has a page watched for stores.
fn watch(page: &Page) -> io::Result<OwnedFd> {
    let user_mode_only = UserfaultfdFlags::from_bits_retain(UFFD_USER_MODE_ONLY);
    let flags = UserfaultfdFlags::CLOEXEC | UserfaultfdFlags::NONBLOCK | user_mode_only;
    // SAFETY: the descriptor stays in this file, which uses it for a page of its own.
    let watch = unsafe { mm::userfaultfd(flags) }?;
    let features = UFFD_FEATURE_PAGEFAULT_FLAG_WP.into();
    control::<API, _>(&watch, uffdio_api { api: UFFD_API.into(), features, ioctls: 0 })?;
    let mode = UFFDIO_REGISTER_MODE_WP.into();
    control::<REGISTER, _>(&watch, uffdio_register { range: page.range(), mode, ioctls: 0 })?;
    Ok(watch)
}

/// Closes or opens a page for stores; opening wakes those that wait.
fn protect(page: &Page, watch: &OwnedFd, mode: u64) {
    let done = control::<WRITE_PROTECT, _>(watch, uffdio_writeprotect { range: page.range(), mode });
    debug_assert_eq!(done, Ok(()), "the page is registered");
}

/// Makes a request with the struct that the kernel declares for it.
fn control<const REQUEST: Opcode, T>(watch: &OwnedFd, mut argument: T) -> io::Result<()> {
    // SAFETY: the three callers name a request of userfaultfd and its struct.
    let request = unsafe { Updater::<REQUEST, T>::new(&mut argument) };
    // SAFETY: as above; the requests are about a page of our own.
    unsafe { ioctl(watch, request) }
}

/// A page of its own, not inherited by children.
#[derive(Debug)]
struct Page(NonNull<c_void>);

// SAFETY: the page is an address here; nothing in this process reads or writes it through `self`.
unsafe impl Send for Page {}
// SAFETY: as above.
unsafe impl Sync for Page {}

impl Page {
    fn new() -> io::Result<Self> {
        let (access, flags) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE | MapFlags::POPULATE);
        // SAFETY: without `FIXED`, a mapping replaces no other one.
        let page = unsafe { mm::mmap_anonymous(std::ptr::null_mut(), PAGE, access, flags) }?;
        // SAFETY: the page has just been mapped; the advice is about children only.
        unsafe { mm::madvise(page, PAGE, Advice::LinuxDontFork) }?;
        Ok(Self(NonNull::new(page).ok_or(io::Errno::NOMEM)?))
    }

    fn range(&self) -> uffdio_range {
        uffdio_range { start: self.0.as_ptr().expose_provenance() as u64, len: PAGE as u64 }
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // SAFETY: `new` mapped it, and the queue that gave its address away is gone.
        let _ = unsafe { mm::munmap(self.0.as_ptr(), PAGE) };
    }
}

#[cfg(test)]
mod tests;
