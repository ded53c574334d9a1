use super::*;
use crate::ids::AgentId;
use crate::testing::silent;

const AGENT: AgentId = AgentId(1);
const BUFFER: BufferId = BufferId(1);

fn consumes(configure: impl FnOnce(&mut Services) -> Result<(), Status>) -> bool {
    let mut services = Services::default();
    configure(&mut services).unwrap();
    services.consume_dispatches()
}

fn subscribed(kind: CallbackKind) -> bool {
    consumes(|services| services.subscribe(kind, Subscription::new(kind, &[], silent(), 0)?))
}

#[test]
fn each_service_that_acts_on_dispatches_does_so_alone() {
    let sink = DispatchSink::Buffer(BUFFER);
    assert!(consumes(|services| services.add_counting(Counting {
        choose: Arc::new(|_, _, _| None),
        args: 0,
        sink
    })));
    assert!(subscribed(CallbackKind::KernelDispatch));
    assert!(consumes(|services| once(&mut services.dispatch_buffer, BUFFER)));
    let (choose, record) = (Arc::new(|_, _: &mut _, _| None), Arc::new(|_, _: &[_], _, _| {}));
    assert!(consumes(|services| once(&mut services.spm, Arc::new(Spm { choose, record, args: 0 }))));
    let (choose, shader_data) =
        (Arc::new(|_, _: &mut _, _| TraceControl::None), Arc::new(|_, _, _: &[u8], _, _| {}));
    let trace = ThreadTrace { agent: AGENT, choose, shader_data, args: 0 };
    assert!(consumes(|services| once(&mut services.thread_trace, Arc::new(trace))));
    assert!(consumes(|services| services.add_pc_sampling(PcSampling { agent: AGENT, buffer: BUFFER })));
    assert!(consumes(|services| once(&mut services.external, (Arc::new(|_, _, _, _| UserData(0)), 0))));
}

#[test]
fn replay_and_device_counting_act_on_no_dispatch_by_themselves() {
    assert!(!consumes(|_| Ok(())));
    assert!(!subscribed(CallbackKind::KernelReplay));
    assert!(!consumes(|services| services.add_device_counting(DeviceCounting::new(AGENT, Vec::new()))));
}
