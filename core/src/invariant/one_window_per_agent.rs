//! At most one window is open on an agent, and no plain submit gets in.

use super::Found;
use crate::gate::Access;
use crate::ids::AgentId;

const ID: &str = "one-window-per-agent";

#[derive(Debug, Default)]
pub(super) struct Checker(Vec<Holders>);

#[derive(Debug)]
struct Holders {
    agent: AgentId,
    shared: u32,
    exclusive: u32,
    intruding: u32,
}

impl Checker {
    pub(super) fn gate(&mut self, agent: AgentId, access: Access, taken: bool, found: &mut Found) {
        let holders = self.holders(agent);
        let count = match access {
            Access::Shared => &mut holders.shared,
            Access::Intruding => &mut holders.intruding,
            Access::Exclusive => &mut holders.exclusive,
        };
        if !taken {
            match count.checked_sub(1) {
                Some(less) => *count = less,
                None => found.add(ID, format!("the gate of {agent} was released {access:?} but not held so")),
            }
            return;
        }
        *count += 1;
        let Holders { shared, exclusive, .. } = *holders;
        if exclusive > 1 || exclusive == 1 && shared > 0 {
            found.add(
                ID,
                format!("the gate of {agent} is held by {exclusive} windows and {shared} plain submits"),
            );
        }
    }

    pub(super) fn finish(&self, found: &mut Found) {
        for holders in self.0.iter().filter(|holders| holders.any()) {
            found.add("no-leak", format!("the gate of {} was never released", holders.agent));
        }
    }

    fn holders(&mut self, agent: AgentId) -> &mut Holders {
        let index = self.0.iter().position(|holders| holders.agent == agent).unwrap_or_else(|| {
            self.0.push(Holders { agent, shared: 0, exclusive: 0, intruding: 0 });
            self.0.len() - 1
        });
        &mut self.0[index]
    }
}

impl Holders {
    const fn any(&self) -> bool {
        self.exclusive + self.shared + self.intruding > 0
    }
}
