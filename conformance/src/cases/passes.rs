//! What a loop delivers, in which order.

mod threads;
mod user_data;

use crate::case::Case;
use crate::failure::Checked;
use crate::rig::tool::{
    CONFIG_ENTER, CONFIG_EXIT, CONTINUE, Call, PASS_ENTER, PASS_EXIT, ReplayView, Script, Seen, story,
};
use crate::rig::{Launch, Rig, Tool};
use crate::{ensure, ensure_eq};
use kreplay_core::event::{self, Event};
use kreplay_core::fixture::{FaultPoint, FaultRule, Need, Verdict};
use kreplay_core::ids::Ticket;
use kreplay_core::services::Service;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

const RECORD: event::Call = event::Call::Record(Service::DispatchCounting);
const EVERY: &[&str] = &["pass-once", "pass-exit-every-pass", "current-pass-zero-based", "pass-order"];
const TOTAL: &[&str] = &["total-passes-fixed", "current-pass-zero-based"];
const ENDLESS: &[&str] = &["total-passes-indefinite", "current-pass-zero-based"];

/// Every case of the area.
pub(super) fn cases() -> Vec<Case> {
    [CASES, threads::CASES, user_data::CASES].concat()
}

const CASES: &[Case] = &[
    Case::new("passes/every:fixed", EVERY, |rig| {
        every(rig, Tool::builder().passes(4), "count pass0{ }0 pass1{ }1 pass2{ }2 pass3{ }3")
    }),
    Case::new("passes/every:early-exit", EVERY, |rig| {
        let told = "count pass0{ }0 continue0 pass1{ }1 continue1";
        every(rig, Tool::builder().passes(4).until(1), told)
    }),
    Case::new("passes/every:indefinite", EVERY, |rig| {
        let told = "count pass0{ }0 continue0 pass1{ }1 continue1 pass2{ }2 continue2";
        every(rig, Tool::builder().passes(0).until(2), told)
    }),
    Case::new("passes/every:indefinite-once", EVERY, |rig| {
        every(rig, Tool::builder().passes(0).until(0), "count pass0{ }0 continue0")
    }),
    Case::new("passes/order-of-services", &["pass-order"], order_of_services).needs(&[Need::Counters]),
    Case::new("passes/total:fixed", TOTAL, |rig| total(rig, Tool::builder().passes(3), 3, 3)),
    Case::new("passes/total:early-exit", TOTAL, |rig| total(rig, Tool::builder().passes(9).until(1), 2, 9)),
    Case::new("passes/total:huge", TOTAL, |rig| {
        total(rig, Tool::builder().passes(u64::MAX).until(1), 2, u64::MAX)
    }),
    Case::new("passes/total:indefinite", ENDLESS, |rig| total(rig, Tool::builder().passes(0).until(3), 4, 0)),
    Case::new("passes/config-exit", &["config-exit-after-passes"], config_exit),
    Case::new("passes/writes:fixed", &["pass-writes-ignored"], |rig| {
        writes(rig, Tool::builder().passes(2), "config{ count pass0{ }0 pass1{ }1 }config")
    }),
    Case::new("passes/writes:early-exit", &["pass-writes-ignored"], |rig| {
        let told = "config{ count pass0{ }0 continue0 pass1{ }1 continue1 }config";
        writes(rig, Tool::builder().passes(3).until(1), told)
    }),
    Case::new("passes/writes:indefinite", &["pass-writes-ignored"], |rig| {
        let told = "config{ count pass0{ }0 continue0 pass1{ }1 continue1 }config";
        writes(rig, Tool::builder().passes(0).until(1), told)
    }),
    Case::new("passes/number-writes:fixed", &["pass-number-writes-ignored"], |rig| {
        number_writes(rig, Tool::builder().passes(3), 3)
    })
    .needs(&[Need::Counters]),
    Case::new("passes/number-writes:indefinite", &["pass-number-writes-ignored"], |rig| {
        number_writes(rig, Tool::builder().passes(0).until(2), 0)
    })
    .needs(&[Need::Counters]),
    Case::new("passes/whole-kernel", &["pass-runs-whole-kernel"], whole_kernel)
        .needs(&[Need::Counters, Need::CounterGroups]),
    Case::new("passes/serial", &["pass-serial"], |rig| serial(rig, Launch::bump)),
    Case::new("passes/serial:overlapping", &["pass-serial"], |rig| {
        serial(rig, |counter, times| Launch::bump(counter, times).overlapping())
    }),
    Case::new("passes/serial:late-handlers", &["pass-serial"], |rig| {
        let verdict = Verdict::Delay(20_000);
        rig.fixture().inject(FaultRule { point: FaultPoint::Handler, skip: 0, times: 3, verdict });
        serial(rig, Launch::bump)
    })
    .needs(&[Need::Faults]),
];

/// The passes of the submissions that ran, in the order in which their kernels began.
fn kernels(rig: &Rig) -> Vec<Option<u64>> {
    let submitted = tickets(rig);
    let pass = |ticket| submitted.iter().find(|(known, _)| *known == ticket).map(|(_, pass)| *pass);
    rig.events(|event| match event {
        Event::KernelBegan { ticket, .. } => ticket.and_then(pass),
        _ => None,
    })
}

fn tickets(rig: &Rig) -> Vec<(Ticket, Option<u64>)> {
    rig.events(|event| match event {
        Event::Submitted { ticket, pass, .. } => Some((ticket, pass)),
        _ => None,
    })
}

fn every(rig: &Rig, script: Script, told: &str) -> Checked {
    let tool = script.attach(rig)?;
    rig.bump()?;
    ensure_eq!(tool.story(), format!("config{{ {told} }}config"), "replay callbacks");
    let exited: Vec<_> = tool.calls_of(PASS_EXIT).iter().map(Call::pass).collect();
    ensure_eq!(kernels(rig), exited, "passes whose kernel ran");
    tool.forget();
    rig.bump()?;
    ensure_eq!(tool.story(), format!("config{{ {told} }}config"), "replay callbacks of the next dispatch");
    Ok(())
}

fn order_of_services(rig: &Rig) -> Checked {
    let tool = Tool::builder().passes(2).continuing(|_| 1).attach(rig)?;
    let config = tool.counters(rig.agent(), &["SQ_WAVES"])?;
    tool.count(tool.context(), move |_| Some(config))?;
    tool.correlate(tool.context(), |_| 0)?;
    rig.bump()?;
    let told: Vec<String> = tool
        .calls()
        .iter()
        .map(|call| match call.what {
            event::Call::ExternalCorrelation => "external".into(),
            event::Call::Dispatch(_) => "choose".into(),
            event::Call::Record(_) => "record".into(),
            _ => story(std::slice::from_ref(call)),
        })
        .collect();
    let expected = "config{ count pass0{ external choose record }0 continue0 \
                    pass1{ external choose record }1 }config";
    ensure_eq!(told.join(" "), expected, "every call of the tool");
    Ok(())
}

fn total(rig: &Rig, script: Script, executed: u64, total: u64) -> Checked {
    let tool = script.attach(rig)?;
    rig.bump()?;
    let numbers = |view: ReplayView| (view.current_pass, view.total_passes);
    let expected: Vec<_> = (0..executed).map(|pass| (pass, total)).collect();
    for what in [PASS_ENTER, PASS_EXIT] {
        let seen: Vec<_> = tool.calls_of(what).iter().filter_map(Call::replay).map(numbers).collect();
        ensure_eq!(seen, expected, "current and total passes in {what:?}");
    }
    for call in tool.calls_of(CONTINUE) {
        ensure!(
            matches!(call.seen, Seen::Continue { total: t, .. } if t == total),
            "total in {:?}",
            call.seen
        );
    }
    Ok(())
}

fn config_exit(rig: &Rig) -> Checked {
    let (signal, counter) = (rig.signal(1), Arc::<AtomicU32>::default());
    let tool = Tool::builder().passes(3);
    let tool = [CONFIG_ENTER, PASS_ENTER, PASS_EXIT, CONFIG_EXIT].into_iter().fold(tool, |tool, what| {
        let (signal, pending) = (signal.clone(), Arc::clone(&counter));
        tool.on(what, move |_| {
            pending.fetch_add(u32::from(matches!(signal.value(), Ok(1))), Ordering::Relaxed);
        })
    });
    let tool = tool.attach(rig)?;
    let (queue, sum) = (rig.queue(rig.agent())?, rig.buffer(rig.agent(), 1)?);
    rig.run(&queue, Launch::bump(&sum, 5).on(&signal))?;
    ensure_eq!((signal.value()?, sum.get(0)?), (0, 5), "the application's signal and sum");
    ensure_eq!(counter.load(Ordering::Relaxed), 8, "callbacks, of 8, that found the signal untouched");
    let told = "config{ count pass0{ }0 pass1{ }1 pass2{ }2 }config";
    ensure_eq!(tool.story(), told, "replay callbacks");
    Ok(())
}

fn writes(rig: &Rig, script: Script, told: &str) -> Checked {
    let asked = Arc::<AtomicU32>::default();
    let script = [PASS_ENTER, PASS_EXIT].into_iter().fold(script, |script, what| {
        let asked = Arc::clone(&asked);
        script.on(what, move |at| {
            let (counted, continued) = (Arc::clone(&asked), Arc::clone(&asked));
            at.payload.replay_pass_count =
                Some(Arc::new(move |_, _| 5 + u64::from(counted.fetch_add(1, Ordering::Relaxed))));
            at.payload.replay_continue = Some(Arc::new(move |_, pass, _, _| {
                continued.fetch_add(1, Ordering::Relaxed);
                i32::from(pass < 3)
            }));
        })
    });
    let tool = script.attach(rig)?;
    rig.bump()?;
    rig.bump()?;
    ensure_eq!(tool.story(), format!("{told} {told}"), "replay callbacks of two dispatches");
    ensure_eq!(asked.load(Ordering::Relaxed), 0, "calls of what was stored during PASS");
    Ok(())
}

fn number_writes(rig: &Rig, script: Script, total: u64) -> Checked {
    let script = [CONFIG_ENTER, PASS_ENTER, PASS_EXIT].into_iter().fold(script, |script, what| {
        script.on(what, |at| (at.payload.current_pass, at.payload.total_passes) = (77, 1))
    });
    let tool = script.attach(rig)?;
    let config = tool.counters(rig.agent(), &["SQ_WAVES"])?;
    tool.count(tool.context(), move |_| Some(config))?;
    rig.bump()?;
    let numbers = |view: ReplayView| (view.current_pass, view.total_passes);
    let shown: Vec<_> = tool.calls().iter().filter_map(Call::replay).map(numbers).collect();
    let [first, second, third] = [(0, total), (1, total), (2, total)];
    let expected = [(0, 0), first, first, second, second, third, third, (0, 0)];
    ensure_eq!(shown, expected, "current and total passes of every callback");
    let counted: Vec<_> = tool.calls_of(RECORD).iter().map(Call::pass).collect();
    ensure_eq!(counted, [Some(0), Some(1), Some(2)], "passes of the counter records");
    Ok(())
}

fn whole_kernel(rig: &Rig) -> Checked {
    let agent = rig.agent();
    let tool = Tool::builder().count(|call| call.dispatch_id().map_or(0, |id| 2 * id.0 - 1)).attach(rig)?;
    let config = tool.counters(agent, &["SQ_WAVES", "SQ_INSTS_VALU", "GRBM_COUNT"])?;
    tool.count(tool.context(), move |_| Some(config))?;
    let queue = rig.queue(agent)?;
    let (x, y) = (rig.upload(agent, &(0..300).collect::<Vec<_>>())?, rig.upload(agent, &[7; 300])?);
    let groups = rig.buffer(agent, 1)?;
    for run in 1..=2 {
        rig.run(&queue, Launch::saxpy(&y, &x, 3, &groups).workgroup(32))?;
        ensure_eq!(y.read()?, (0..300).map(|i| 7 + 3 * run * i).collect::<Vec<u32>>(), "y after run {run}");
        ensure_eq!(groups.get(0)?, 10 * run, "workgroups counted by the kernel after run {run}");
    }
    rig.fixture().settle();
    let counted = tool.calls_of(RECORD);
    let values = counted.iter().map(|call| match &call.seen {
        Seen::Counters { records, .. } => records.iter().map(|record| record.counter_value).collect(),
        _ => Vec::new(),
    });
    let values: Vec<Vec<f64>> = values.collect();
    ensure_eq!(values.len(), 4, "counter records of a plain run and three passes");
    ensure!(values.iter().all(|pass| *pass == values[0] && pass.len() == 3), "counters differ: {values:?}");
    Ok(())
}

fn serial(rig: &Rig, launch: fn(&crate::rig::Buffer, u32) -> Launch) -> Checked {
    let tool = Tool::builder().passes(3).attach(rig)?;
    let (queue, counter) = (rig.queue(rig.agent())?, rig.buffer(rig.agent(), 1)?);
    rig.run(&queue, launch(&counter, 700))?;
    ensure_eq!(counter.get(0)?, 700, "what the application reads");
    let submitted = tickets(rig);
    let pass = |ticket| submitted.iter().find(|(known, _)| *known == ticket).and_then(|(_, pass)| *pass);
    let moves = rig.events(|event| match event {
        Event::Callback(call) if call.call == PASS_ENTER => call.pass.map(|pass| format!("enter{pass}")),
        Event::KernelBegan { ticket, .. } => ticket.and_then(pass).map(|pass| format!("began{pass}")),
        Event::KernelEnded { ticket, .. } => ticket.and_then(pass).map(|pass| format!("ended{pass}")),
        Event::HandlerEnded { ticket } => pass(ticket).map(|pass| format!("handled{pass}")),
        _ => None,
    });
    let expected = (0..3).map(|pass| format!("enter{pass} began{pass} ended{pass} handled{pass}"));
    ensure_eq!(moves.join(" "), expected.collect::<Vec<_>>().join(" "), "what happened in which order");
    ensure_eq!(tool.calls_of(PASS_EXIT).len(), 3, "PASS EXIT");
    Ok(())
}
