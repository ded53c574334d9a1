//! A case in a process of its own, which can be ended.

use super::LOOK;
use crate::case::Case;
use crate::failure::Failure;
use crate::report::json;
use crate::stopwatch::Stopwatch;
use crate::verdict::{Trace, Verdict};
use std::ffi::OsString;
use std::io::{self, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;
use wait_timeout::ChildExt;

/// How to run a case in a process of its own.
#[derive(Clone, Debug)]
pub struct Isolation {
    /// The command that runs one case and reports it as JSON lines; the case's id is its last argument.
    pub program: PathBuf,
    /// Its arguments before the id.
    pub arguments: Vec<OsString>,
    /// When to end it.
    pub timeout: Option<Duration>,
}

/// What became of a process.
struct Ended {
    how: How,
    output: String,
    complaints: String,
}

/// How a process ended.
enum How {
    ByItself(ExitStatus),
    AtTheTimeout,
    /// It was ended because the run is to stop.
    Stopped,
}

impl Isolation {
    /// Runs the case and says how it ended; a process that ends without a verdict is a failure. `None` if the run is to
    /// stop.
    pub(super) fn judge(&self, case: &Case, stop: &AtomicBool) -> Option<Verdict> {
        match self.run(case, stop) {
            Ok(ended) => self.verdict(case, &ended),
            Err(error) => {
                Some(failed(format!("{} could not be run: {error}", self.program.display()), false))
            }
        }
    }

    fn run(&self, case: &Case, stop: &AtomicBool) -> io::Result<Ended> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).arg(case.id);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let (output, complaints) = (child.stdout.take(), child.stderr.take());
        thread::scope(|scope| {
            let output = scope.spawn(|| read_all(output));
            let complaints = scope.spawn(|| read_all(complaints));
            let how = self.wait(&mut child, stop)?;
            let joined = |reader: thread::ScopedJoinHandle<'_, String>| reader.join().unwrap_or_default();
            Ok(Ended { how, output: joined(output), complaints: joined(complaints) })
        })
    }

    fn wait(&self, child: &mut Child, stop: &AtomicBool) -> io::Result<How> {
        let watch = Stopwatch::start();
        loop {
            let left = self.timeout.map_or(LOOK, |timeout| timeout.saturating_sub(watch.elapsed()));
            let ended = child.wait_timeout(left.min(LOOK))?;
            let how = match ended {
                // A signal to the group reaches the child, too.
                _ if stop.load(Ordering::Relaxed) => How::Stopped,
                Some(status) => return Ok(How::ByItself(status)),
                None if self.timeout.is_some_and(|timeout| watch.elapsed() >= timeout) => How::AtTheTimeout,
                None => continue,
            };
            child.kill()?;
            child.wait()?;
            return Ok(how);
        }
    }

    fn verdict(&self, case: &Case, ended: &Ended) -> Option<Verdict> {
        let reported = json::verdict_of(case, &ended.output);
        let last = ended.complaints.lines().last().unwrap_or("nothing on its standard error");
        let status = match ended.how {
            How::Stopped => return None,
            How::AtTheTimeout => {
                let seconds = self.timeout.unwrap_or_default().as_secs_f64();
                return Some(failed(format!("did not end within {seconds} s and was ended"), true));
            }
            How::ByItself(status) => status,
        };
        Some(match (reported, status.signal()) {
            (Some(reported), _) if reported.is_failure() => reported,
            (Some(reported), None) => reported,
            (Some(reported), Some(signal)) => crashed(format!(
                "{} ended its process after it reported '{}': {last}",
                name(signal),
                reported.name()
            )),
            (None, Some(signal)) => crashed(format!("{} ended its process: {last}", name(signal))),
            (None, None) => failed(format!("its process ended ({status}) without a verdict: {last}"), false),
        })
    }
}

fn name(signal: i32) -> String {
    signal_hook::low_level::signal_name(signal).map_or_else(|| format!("signal {signal}"), ToOwned::to_owned)
}

fn read_all(pipe: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        // What was read before an error is all there is to judge by.
        let _ = pipe.read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn failed(why: String, endless: bool) -> Verdict {
    Verdict::Failed(trace(Failure { endless, ..Failure::nowhere(why) }))
}

fn crashed(why: String) -> Verdict {
    Verdict::Crashed(trace(Failure::nowhere(why)))
}

fn trace(failure: Failure) -> Trace {
    Trace { failure, log: String::new() }
}
