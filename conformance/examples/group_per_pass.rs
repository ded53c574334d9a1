//! A tool that collects a different group of counters on every pass of one dispatch, on the simulated GPU.
//!
//! The application updates a vector in place and counts its workgroups on the device: run four times without restoring
//! memory, it would read four times the right answer. `cargo run --release --example group_per_pass` shows that it
//! reads what it would have read anyway, while the tool has seen four groups of counters.

use kreplay_core::aql::{KernelDispatch, Packet};
use kreplay_core::fixture::{Fixture, ToyKernel};
use kreplay_core::ids::{AgentId, CounterConfigId};
use kreplay_core::memory::MemoryClass;
use kreplay_core::services::{CounterRecord, DispatchSink};
use kreplay_core::status::Status;
use kreplay_core::tracing::{CallbackKind, Payload, Phase, ReplayOperation};
use kreplay_core::{Engine, EngineConfig};
use kreplay_sim::{Sim, SimConfig};
use std::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

const GROUPS: [&[&str]; 4] =
    [&["SQ_WAVES"], &["GRBM_COUNT", "GRBM_GUI_ACTIVE"], &["SQ_INSTS_VALU"], &["TCC_HIT", "TCC_MISS"]];

fn main() -> Result<(), Box<dyn Error>> {
    let sim = Sim::new(SimConfig::default());
    let engine = Engine::new(sim.backend(), EngineConfig::default());
    sim.attach(engine.interceptor());
    let agent = sim.backend().agents()[0];

    let records = attach_tool(&engine, agent)?;
    let (y, workgroups) = run_application(&sim, agent)?;

    println!("the application reads y[0] = {y} (3 * 2 + 1 = 7) and {workgroups} workgroups (1024 / 256 = 4)");
    for record in records.lock().expect("no callback panicked").iter() {
        let pass = record.replay_pass.expect("counted in a pass");
        let name = counter_name(&sim, agent, record);
        println!("{} pass {pass}: {name} = {}", record.dispatch_id, record.counter_value);
    }
    println!("{}", engine.outcomes()[0]);
    Ok(())
}

/// One pass for each group that the agent can collect; pass `i` collects group `i`.
fn attach_tool(engine: &Engine, agent: AgentId) -> Result<Arc<Mutex<Vec<CounterRecord>>>, Status> {
    let client = engine.register_client("group-per-pass");
    let context = engine.create_context(client)?;
    let groups: Vec<CounterConfigId> =
        GROUPS.iter().map(|names| group(engine, agent, names)).collect::<Result<_, _>>()?;

    // The loop runs on the submitting thread, so what PASS enter publishes is there when the counting callback asks.
    let current = Arc::new(AtomicUsize::new(0));
    let passes = groups.len() as u64;
    let published = Arc::clone(&current);
    engine.configure_callback_tracing(
        context,
        CallbackKind::KernelReplay,
        &[],
        Arc::new(move |record, _user_data, _args| {
            let Payload::Replay(payload) = record.payload else { return };
            let enter = record.phase == Phase::Enter;
            if enter && record.operation == ReplayOperation::Config as i32 {
                payload.replay_pass_count = Some(Arc::new(move |_info, _user_data| passes));
            } else if enter {
                let pass = usize::try_from(payload.current_pass).expect("few passes");
                published.store(pass, Ordering::Relaxed);
            }
        }),
        0,
    )?;

    let records = Arc::new(Mutex::new(Vec::new()));
    let collected = Arc::clone(&records);
    let choose = move |_data, _user_data: &mut _, _args| Some(groups[current.load(Ordering::Relaxed)]);
    let collect = move |_data, counters: &[CounterRecord], _user_data, _args| {
        collected.lock().expect("no callback panicked").extend_from_slice(counters);
    };
    let sink = DispatchSink::Callback(Arc::new(collect), 0);
    engine.configure_dispatch_counting(context, Arc::new(choose), 0, sink)?;
    engine.start_context(context)?;
    Ok(records)
}

fn group(engine: &Engine, agent: AgentId, names: &[&str]) -> Result<CounterConfigId, Status> {
    let counters: Vec<_> = names.iter().map(|name| engine.counter(agent, name)).collect::<Result<_, _>>()?;
    engine.create_counter_config(agent, &counters)
}

/// `y = 3 * x + y` on 1024 elements, in place, with a counter of workgroups; knows nothing of any tool.
fn run_application(sim: &Sim, agent: AgentId) -> Result<(u32, u32), Box<dyn Error>> {
    let (items, bytes) = (1024, 4096);
    let x = sim.allocate(agent, MemoryClass::Coarse, bytes)?;
    let y = sim.allocate(agent, MemoryClass::Coarse, bytes)?;
    let counter = sim.allocate(agent, MemoryClass::Coarse, 4)?;
    sim.write(x, &2_u32.to_le_bytes().repeat(items))?;
    sim.write(y, &1_u32.to_le_bytes().repeat(items))?;

    let kernarg = sim.allocate(agent, MemoryClass::Kernarg, 40)?;
    let arguments: Vec<u8> =
        [y, x, 3, items as u64, counter].iter().flat_map(|word| word.to_le_bytes()).collect();
    sim.write(kernarg, &arguments)?;
    let queue = sim.create_queue(agent, 64)?;
    let done = sim.create_signal(1);
    let saxpy = KernelDispatch::linear(sim.kernel(agent, ToyKernel::Saxpy), kernarg, 1024, 256);
    sim.submit(queue, &[Packet::from(saxpy).with_completion_signal(Some(done))])?;
    sim.wait_signal(done, 0)?;
    Ok((word(sim, y)?, word(sim, counter)?))
}

fn word(sim: &Sim, address: u64) -> Result<u32, Box<dyn Error>> {
    let bytes: [u8; 4] = sim.read(address, 4)?.try_into().expect("four bytes");
    Ok(u32::from_le_bytes(bytes))
}

fn counter_name(sim: &Sim, agent: AgentId, record: &CounterRecord) -> &'static str {
    let counters = sim.backend().counters(agent);
    counters.iter().find(|counter| counter.id == record.counter_id).map_or("unknown", |counter| counter.name)
}
