//! The log that `docs/simulation.md` shows is the log of this run.

use crate::rig::Rig;
use kreplay_core::event::text;
use kreplay_core::fixture::Fixture;

#[test]
fn the_documented_log_is_real() {
    let rig = Rig::default();
    let dst = rig.buffer(512);
    rig.run(rig.fill(dst, 7, 128));
    let log = text(&rig.sim.log());
    let page = include_str!("../../../docs/simulation.md");
    assert!(page.contains(&log), "docs/simulation.md does not show this log:\n{log}");
}
