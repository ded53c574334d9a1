//! The process's address space as the device sees it: what is allocated, registered and mapped to which node.

mod space;
mod table;
mod view;
mod window;

pub(crate) use space::Space;
pub(crate) use table::{Info, Kind};
pub use view::View;
pub(crate) use window::Window;
