//! What the command line prints, and its exit codes.

#[test]
fn commands() {
    trycmd::TestCases::new().case("tests/cmd/*.md");
}
