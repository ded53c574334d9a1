//! Every command of docs/workloads.md prints what the page says.

#[test]
fn documentation() {
    std::env::set_current_dir("..").expect("the workspace is above the package");
    trycmd::TestCases::new().case("docs/workloads.md");
}
