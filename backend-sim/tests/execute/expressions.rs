//! Random expressions: what they are on the host and on the GPU, bit for bit.

use std::fmt::Write;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::code_object::CodeObject;
use crate::compiler::{Device, build_text};
use crate::data::Kind;
use crate::kernels::{little_endian, on_host};
use crate::machine::{Machine, Shape};

/// An expression, which is C once its type is known.
#[derive(Clone, Debug)]
enum Tree {
    /// A variable, or a constant.
    Leaf(u8),
    /// An operation on as many of these as it takes.
    Node(u8, [Box<Tree>; 3]),
}

/// The types, with the names that functions of `expressions.h` have them under.
const TYPES: [(&str, &str, Kind); 6] = [
    ("i32", "int", Kind::U32),
    ("u32", "uint", Kind::U32),
    ("i64", "long", Kind::U64),
    ("u64", "ulong", Kind::U64),
    ("f32", "float", Kind::F32),
    ("f64", "double", Kind::F64),
];

/// The operations that give integers, with a digit for the type of each operand; `t` is the type of the result.
const ON_INTEGERS: &str = "is:t add:tt sub:tt mul:tt neg:t not:t and:tt or:tt xor:tt shl:t1 shr:t1 rotate:t1 \
    field:t1 min:tt max:tt less:tt equal:tt carry:tt div:tt rem:tt select:1tt ones:t zeros_above:t zeros_below:t \
    reversed:t swapped:t byte:t short:t less_f32:44 less_f64:55 equal_f32:44 equal_f64:55 unordered_f32:44 \
    not_above_f64:55 from_i32:0 from_u32:1 from_i64:2 from_u64:3 from_f32:4 from_f64:5 bits:b";

/// The operations that give floating point numbers.
const ON_FLOATS: &str = "is:t add:tt sub:tt mul:tt div:tt fma:ttt min:tt max:tt neg:t abs:t sqrt:t floor:t ceil:t \
    trunc:t rint:t select:1tt from_i32:0 from_u32:1 from_i64:2 from_u64:3 from_f32:4 from_f64:5 bits:b";

/// The type with the bits of each type: floats for integers, and the other way round.
const BITS: [usize; 6] = [4, 4, 5, 5, 1, 3];

/// Variables of a type, `i32_0` and so on.
const VARIABLES: usize = 3;

const CONSTANTS: [&str; 5] = ["0", "1", "2", "77", "1000003"];

impl Tree {
    /// The expression in C.
    fn print(&self, ty: usize) -> String {
        let suffix = TYPES[ty].0;
        match self {
            Tree::Leaf(choice) => match usize::from(*choice) % (VARIABLES + CONSTANTS.len()) {
                variable @ 0..VARIABLES => format!("{suffix}_{variable}"),
                constant => CONSTANTS[constant - VARIABLES].to_owned(),
            },
            Tree::Node(choice, operands) => {
                let table = if ty < 4 { ON_INTEGERS } else { ON_FLOATS };
                let operations = table.split_whitespace().collect::<Vec<_>>();
                let operation = operations[usize::from(*choice) % operations.len()];
                let (name, types) = operation.split_once(':').expect("a name and types");
                let operands = types.chars().zip(operands).map(|(letter, operand)| match letter {
                    't' => operand.print(ty),
                    'b' => operand.print(BITS[ty]),
                    digit => operand.print(digit as usize - '0' as usize),
                });
                let operands = operands.collect::<Vec<_>>().join(", ");
                if name == "is" { operands } else { format!("{name}_{suffix}({operands})") }
            }
        }
    }
}

/// An expression and the number of its type.
type Expression = (usize, Tree);

fn expressions() -> impl Strategy<Value = Expression> {
    let tree = any::<u8>().prop_map(Tree::Leaf).prop_recursive(5, 40, 3, |inner| {
        let operands =
            [inner.clone().prop_map(Box::new), inner.clone().prop_map(Box::new), inner.prop_map(Box::new)];
        (any::<u8>(), operands).prop_map(|(choice, operands)| Tree::Node(choice, operands))
    });
    (0..TYPES.len(), tree)
}

/// Expressions of one kernel.
const BATCH: usize = 32;

const BATCHES: usize = 8;

/// Compilations in search of a small expression.
const SEARCHES: usize = 100;

#[test]
fn random_expressions() {
    let mut runner = TestRunner::deterministic();
    for _ in 0..BATCHES {
        let mut trees: Vec<_> =
            (0..BATCH).map(|_| expressions().new_tree(&mut runner).expect("an expression")).collect();
        let batch: Vec<_> = trees.iter().map(ValueTree::current).collect();
        if let Some((number, report)) = first_difference(&batch) {
            panic!("{}", smallest(trees.swap_remove(number), report));
        }
    }
}

/// The report of the smallest expression that fails as this one does.
fn smallest(mut tree: impl ValueTree<Value = Expression>, mut report: String) -> String {
    let mut moved = tree.simplify();
    for _ in 0..SEARCHES {
        if !moved {
            break;
        }
        match first_difference(&[tree.current()]) {
            Some((_, smaller)) => {
                report = smaller;
                moved = tree.simplify();
            }
            None => moved = tree.complicate(),
        }
    }
    report
}

const LANES: usize = 64;
const SHAPE: Shape = Shape { group: LANES as u16, groups: 1 };
const CODE: u64 = 0x7000_0000_0000;
const OUT: u64 = 0x7300_0000_0000;
const IN: u64 = 0x7400_0000_0000;
const BUDGET: u64 = 10_000_000;

/// The number of the first expression that is not the same everywhere, and what it is.
fn first_difference(batch: &[Expression]) -> Option<(usize, String)> {
    let built = build_text("expressions", &source(batch))?;
    let inputs = inputs();
    let out = vec![0; 8 * LANES * batch.len()];
    let expected = on_host(&built.host, "expressions", SHAPE, [&inputs, &inputs, &out]);
    built.device.iter().find_map(|device| {
        let got = on_device(device, &inputs, out.clone());
        let words = got.chunks_exact(8).zip(expected.chunks_exact(8)).enumerate();
        words.into_iter().find_map(|(at, (got, expected))| {
            let (number, lane) = (at / LANES, at % LANES);
            let (ty, tree) = &batch[number];
            let [got, expected] = [got, expected].map(little_endian);
            let text = tree.print(*ty);
            (!TYPES[*ty].2.same(got, expected, 0)).then(|| {
                let values = variables(&text, &inputs, lane);
                let target = device.target;
                (number, format!("{text} on {target}: expected {expected:#x}, got {got:#x} with {values}"))
            })
        })
    })
}

fn on_device(device: &Device, inputs: &[u8], out: Vec<u8>) -> Vec<u8> {
    let mut machine = Machine::new(device.target);
    let code = CodeObject::load(&mut machine, &std::fs::read(&device.path).expect("a code object"), CODE);
    machine.map(OUT, out);
    machine.map(IN, inputs.to_vec());
    let arguments = [OUT, IN, IN, LANES as u64];
    machine.run(code.kernel("expressions"), SHAPE, arguments, 0, BUDGET).expect("an end");
    machine.bytes(OUT).to_vec()
}

/// A kernel that reads the variables and stores each expression.
fn source(batch: &[Expression]) -> String {
    let mut text = String::from("#include \"expressions.h\"\nKERNEL(expressions, ulong, ulong, ulong) {\n");
    text += "    uint i = ID;\n";
    for (number, (suffix, ty, kind)) in variable_names() {
        let word = format!("a[{} + i]", number * LANES);
        let value = match kind {
            Kind::F32 | Kind::F64 => format!("bits_{suffix}({word})"),
            _ => format!("({ty}){word}"),
        };
        let _ = writeln!(text, "    const {ty} {suffix}_{} = {value};", number % VARIABLES);
    }
    for (number, (ty, tree)) in batch.iter().enumerate() {
        let value = tree.print(*ty);
        let _ = writeln!(text, "    out[{} + i] = store_{}({value});", number * LANES, TYPES[*ty].0);
    }
    text + "}\n"
}

/// Each variable's place among all, and its type.
fn variable_names() -> impl Iterator<Item = (usize, (&'static str, &'static str, Kind))> {
    (0..VARIABLES * TYPES.len()).map(|number| (number, TYPES[number / VARIABLES]))
}

/// 64 bits of each variable in each lane: random ones, and those where arithmetic is hard.
fn inputs() -> Vec<u8> {
    let words = variable_names().flat_map(|(number, (.., kind))| {
        let values = kind.buffer(number as u64);
        let words = values.chunks_exact(kind.bytes()).take(LANES).map(little_endian);
        words.flat_map(u64::to_le_bytes).collect::<Vec<_>>()
    });
    words.collect()
}

/// What a lane's variables are, as far as the text has them.
fn variables(text: &str, inputs: &[u8], lane: usize) -> String {
    let named = variable_names().filter_map(|(number, (suffix, ..))| {
        let name = format!("{suffix}_{}", number % VARIABLES);
        let value = little_endian(&inputs[8 * (number * LANES + lane)..][..8]);
        text.contains(&name).then(|| format!("{name} = {value:#x}"))
    });
    named.collect::<Vec<_>>().join(", ")
}
