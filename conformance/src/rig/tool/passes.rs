//! In which passes a tool got which calls.

use super::{Call, PASS_ENTER, PASS_EXIT, Tool};
use kreplay_core::event;
use kreplay_core::ids::ContextId;
use kreplay_core::services::Service;

impl Tool {
    /// The passes that the wanted calls came in, by the PASS callbacks around them: `0 2`, or `plain` outside a pass.
    /// Only for loops that do not overlap.
    pub fn passes_of(&self, wanted: impl Fn(&Call) -> bool) -> String {
        let mut current = None;
        let mut passes = Vec::new();
        for call in self.calls() {
            match call.what {
                PASS_ENTER => current = call.pass(),
                PASS_EXIT => current = None,
                _ if wanted(&call) => {
                    passes.push(current.map_or_else(|| "plain".to_owned(), |pass| pass.to_string()));
                }
                _ => {}
            }
        }
        passes.join(" ")
    }

    /// The passes whose completion a context traced.
    pub fn traced(&self, context: ContextId) -> String {
        self.passes_of(|call| call.what == event::Call::Complete && call.context == context)
    }

    /// The passes on which a service asked what to collect.
    pub fn asked(&self, service: Service) -> String {
        self.passes_of(|call| call.what == event::Call::Dispatch(service))
    }

    /// The passes of which a service delivered records.
    pub fn recorded(&self, service: Service) -> String {
        self.passes_of(|call| call.what == event::Call::Record(service))
    }
}
