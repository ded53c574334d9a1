//! What files and variables give.

use super::{Gpu, Topology, parse};

fn with_gpus(gpus: &str) -> Result<Topology, String> {
    Topology::new(None, Some(gpus.into())).map_err(|error| error.to_string())
}

#[test]
fn one_gpu_unless_more_are_asked_for() {
    assert_eq!(Topology::new(None, None).unwrap().gpus, [Gpu::default()]);
    assert_eq!(with_gpus("8").unwrap().gpus.len(), 8);
    assert_eq!(with_gpus("8").unwrap().nodes(), 9);
}

#[test]
fn counts_out_of_range_are_refused() {
    for bad in ["0", "9", "-1", "two", ""] {
        let expected = format!("KREPLAY_GPUS: expected a number from 1 to 8, got '{bad}'");
        assert_eq!(with_gpus(bad).unwrap_err(), expected);
    }
}

#[test]
fn a_file_may_leave_out_what_is_usual() {
    let file = parse("[[gpu]]\ncompute_units = 8\n[[gpu]]\n").unwrap();
    assert_eq!(file.gpu, [Gpu { compute_units: 8, ..Gpu::default() }, Gpu::default()]);
}

#[test]
fn what_is_wrong_with_a_file_fits_a_line_and_names_it() {
    let cases = [
        (
            "[cpu]\ncore = 2",
            "line 2: unknown field `core`, expected one of `name`, `cores`, `clock_mhz`, `memory_mib`",
        ),
        ("[[gpu]]\ncompute_units = 0", "gpu.compute_units: expected 1 to 512, got 0"),
        (
            "[[gpu]]\ncompute_units = 9",
            "gpu.compute_units: expected a multiple of the 8 shader engines, got 9",
        ),
        ("[cpu]\ncores = 0", "cpu.cores: expected 1 to 1024, got 0"),
    ];
    for (text, problem) in cases {
        assert_eq!(parse(text).unwrap_err(), problem);
    }
    assert_eq!(parse(&"[[gpu]]\n".repeat(9)).unwrap_err(), "a machine has at most 8 GPUs, got 9");
}

#[test]
fn a_file_that_lists_several_gpus_admits_no_other_number() {
    let path = std::env::temp_dir().join(format!("kreplay-topology-{}", std::process::id()));
    std::fs::write(&path, "[[gpu]]\n[[gpu]]\n").unwrap();
    let gpus = |count: &str| Topology::new(Some(path.clone().into()), Some(count.into()));
    assert_eq!(gpus("2").unwrap().gpus.len(), 2);
    let error = gpus("3").unwrap_err().to_string();
    assert_eq!(error, "KREPLAY_GPUS is 3, but the topology file lists 2 GPUs: unset it, or list one GPU");
    std::fs::remove_file(path).unwrap();
}

#[test]
fn names_are_cut_to_what_fits() {
    let mut topology = Topology::new(None, None).unwrap();
    topology.gpus[0].name = "x".repeat(100);
    let name = topology.node(1).marketing_name;
    assert_eq!((name[62], name[63]), (u16::from(b'x'), 0));
}
