//! Where a report goes.

use anstream::{AutoStream, StripStream};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// A list is whole for whoever has stopped to read it.
pub(super) fn listed(written: io::Result<()>) -> io::Result<()> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// The standard output, in colour on a terminal unless `NO_COLOR` is set; or a file, without colour.
pub(super) fn open(path: Option<&Path>) -> io::Result<Box<dyn Write>> {
    match path {
        None => Ok(Box::new(AutoStream::auto(io::stdout()))),
        Some(path) => Ok(Box::new(BufWriter::new(StripStream::new(File::create(path)?)))),
    }
}
