//! The instruction decoder against LLVM's.

mod isa {
    mod kernels;
    mod llvm;
    mod opcodes;
    mod samples;
    mod words;
}
