//! The arithmetic against the host's, `libm`, `half` and a software implementation.

#![expect(clippy::float_cmp, reason = "results are exact")]
#![expect(clippy::many_single_char_names, reason = "operands have the letters of the functions they go to")]

mod approximate;
mod arithmetic;
mod bits;
mod convert;
mod division;
mod integer;
mod integral;
mod modifier;
mod order;
mod samples;
mod trig_preop;
