//! A case in a process of its own, which can be ended.

use crate::case::Case;
use crate::failure::Failure;
use crate::report::json;
use crate::verdict::{Trace, Verdict};
use std::ffi::OsString;
use std::io::{self, Read};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
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
    /// `None`: it was ended at the timeout.
    status: Option<ExitStatus>,
    output: String,
    complaints: String,
}

impl Isolation {
    /// Runs the case and says how it ended; a process that ends without a verdict is a failure.
    pub(super) fn judge(&self, case: &Case) -> Verdict {
        match self.run(case) {
            Ok(ended) => self.verdict(case, &ended),
            Err(error) => failed(format!("{} could not be run: {error}", self.program.display()), false),
        }
    }

    fn run(&self, case: &Case) -> io::Result<Ended> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).arg(case.id);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let (output, complaints) = (child.stdout.take(), child.stderr.take());
        thread::scope(|scope| {
            let output = scope.spawn(|| read_all(output));
            let complaints = scope.spawn(|| read_all(complaints));
            let status = self.wait(&mut child)?;
            let joined = |reader: thread::ScopedJoinHandle<'_, String>| reader.join().unwrap_or_default();
            Ok(Ended { status, output: joined(output), complaints: joined(complaints) })
        })
    }

    fn wait(&self, child: &mut Child) -> io::Result<Option<ExitStatus>> {
        let Some(timeout) = self.timeout else { return child.wait().map(Some) };
        let status = child.wait_timeout(timeout)?;
        if status.is_none() {
            child.kill()?;
            child.wait()?;
        }
        Ok(status)
    }

    fn verdict(&self, case: &Case, ended: &Ended) -> Verdict {
        let Some(status) = ended.status else {
            let seconds = self.timeout.unwrap_or_default().as_secs_f64();
            return failed(format!("did not end within {seconds} s and was ended"), true);
        };
        json::verdict_of(case, &ended.output).unwrap_or_else(|| {
            let last = ended.complaints.lines().last().unwrap_or("nothing on its standard error");
            failed(format!("its process ended ({status}) without a verdict: {last}"), false)
        })
    }
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
    Verdict::Failed(Trace { failure: Failure { endless, ..Failure::nowhere(why) }, log: String::new() })
}
