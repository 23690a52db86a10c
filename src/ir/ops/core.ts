import { bitsOf, isInteger, isScalar, sameType, typeName } from "../types.ts";
import { operandType, operandValues, type RawOp } from "../value.ts";
import { defineOps } from "./define-ops.ts";

const ofTwo = { operands: { a: "T", b: "T" }, result: "=a", effects: [] } as const;
const fused = { ptx: "9.7.3.6", operands: { a: "float", b: "float", c: "float" }, result: "=a", effects: [] } as const;
const ofBits = {
  operands: { a: "any", b: "any" },
  result: "=a",
  effects: [],
  commutative: true,
  verify: (op: RawOp) => bitwise(op),
} as const;

const along = <const N extends string>(name: N) => [`${name}.x`, `${name}.y`, `${name}.z`] as const;

/** Arithmetic, conversions, special registers and structured control flow. */
export const coreOps = defineOps({
  const: {
    doc: "A literal of the result's type.",
    operands: {},
    attrs: { value: "literal" },
    result: "given",
    effects: [],
    verify: (op) => (op.results[0] && isScalar(op.results[0].type) ? undefined : "gives one scalar"),
  },
  add: {
    doc: "a + b; integers wrap.",
    ptx: "9.7.1.1",
    ...ofTwo,
    commutative: true,
  },
  sub: { doc: "a - b; integers wrap.", ptx: "9.7.1.2", ...ofTwo },
  mul: {
    doc: "a * b; the low half of integers.",
    ptx: "9.7.1.3",
    ...ofTwo,
    commutative: true,
  },
  "mul.hi": {
    doc: "The high half of the product.",
    ptx: "9.7.1.3",
    operands: { a: "int", b: "int" },
    result: "=a",
    effects: [],
    commutative: true,
  },
  fma: {
    doc: "a * b + c in one rounding.",
    ...fused,
  },
  "fma.sat": {
    doc: "a * b + c in one rounding, kept from 0 to 1; 0 where it is NaN. On f32.",
    ...fused,
  },
  div: {
    doc: "a / b: floats to nearest even, integers towards zero; they wrap, and a / 0 is 0.",
    ptx: "9.7.1.8",
    ...ofTwo,
    cost: "expensive",
  },
  rem: {
    doc: "a - trunc(a / b) * b, with the sign of a: integers, of which a % 0 is 0, and floats exactly as JavaScript's %.",
    ptx: "9.7.1.9",
    ...ofTwo,
    cost: "expensive",
  },
  neg: { doc: "-a.", ptx: "9.7.1.12", operands: { a: "T" }, result: "=a", effects: [] },
  abs: { doc: "|a|; integers wrap.", ptx: "9.7.1.11", operands: { a: "T" }, result: "=a", effects: [] },
  min: {
    doc: "The lesser one; floats as Math.min: NaN wins, -0 is less than 0.",
    ptx: "9.7.3.11",
    ...ofTwo,
    commutative: true,
    idempotent: true,
  },
  max: {
    doc: "The greater one; floats as Math.max: NaN wins, 0 is greater than -0.",
    ptx: "9.7.3.12",
    ...ofTwo,
    commutative: true,
    idempotent: true,
  },
  and: {
    doc: "Bitwise and; logical on predicates.",
    ptx: "9.7.8.1",
    ...ofBits,
    idempotent: true,
  },
  or: {
    doc: "Bitwise or; logical on predicates.",
    ptx: "9.7.8.2",
    ...ofBits,
    idempotent: true,
  },
  xor: {
    doc: "Bitwise exclusive or; logical on predicates.",
    ptx: "9.7.8.3",
    ...ofBits,
  },
  not: {
    doc: "Bitwise complement; logical on predicates.",
    ptx: "9.7.8.4",
    operands: { a: "any" },
    result: "=a",
    effects: [],
    verify: (op) => bitwise(op),
  },
  shl: {
    doc: "a << by, by taken modulo the width as in JavaScript.",
    ptx: "9.7.8.8",
    operands: { a: "int", by: "i32" },
    result: "=a",
    effects: [],
  },
  shr: {
    doc: "a >> by, with sign for signed types; by taken modulo the width as in JavaScript.",
    ptx: "9.7.8.9",
    operands: { a: "int", by: "i32" },
    result: "=a",
    effects: [],
  },
  cmp: {
    doc: "A comparison, IEEE on floats: with NaN all are false but ne.",
    ptx: "9.7.6.1",
    operands: { a: "any but acc", b: "any but acc" },
    attrs: { is: ["eq", "ne", "lt", "le", "gt", "ge"] },
    result: "pred",
    effects: [],
    verify: (op) => sameOperands(op),
  },
  select: {
    doc: "yes where condition, else no.",
    ptx: "9.7.6.3",
    operands: { condition: "pred", yes: "any but acc", no: "any but acc" },
    result: "=yes",
    effects: [],
    verify: (op) => sameOperands(op, "yes", "no"),
  },
  convert: {
    doc: "To another scalar type. Float to float: nearest even (fp8 saturates). Float to integer: towards zero, saturating, NaN gives 0. Integer to integer: wraps. pred to number: 0 or 1.",
    ptx: "9.7.9.22",
    operands: { a: "scalar" },
    result: "given",
    effects: [],
    verify: (op) => oneScalar(op),
  },
  bitcast: {
    doc: "The same bits as another type of the same width.",
    ptx: "9.7.9.1",
    operands: { a: "scalar" },
    result: "given",
    effects: [],
    verify: (op) => oneScalar(op) ?? sameWidth(op),
  },
  "pair.pack": {
    doc: "Two elements of 16 bits in one word, `low` in its lower half. f32 is rounded to the elements' type as by `convert`.",
    ptx: "9.7.9.22",
    operands: { low: "float", high: "float" },
    attrs: { type: ["f16", "bf16"] },
    result: "u32",
    effects: [],
    level: "machine",
    verify: (op) => packs(op),
  },
  "pair.unpack": {
    doc: "The two elements of a word, the one in its lower half first.",
    ptx: "9.7.9.1",
    operands: { pair: "scalar" },
    result: "given",
    effects: [],
    level: "machine",
    verify: (op) => unpacks(op),
  },
  round: {
    doc: "To an integral value in the same type: ni nearest even, zi towards zero, mi down, pi up.",
    ptx: "9.7.9.22",
    operands: { a: "float" },
    attrs: { mode: ["ni", "zi", "mi", "pi"] },
    result: "=a",
    effects: [],
  },
  sqrt: {
    doc: "Rounded to nearest even.",
    ptx: "9.7.3.16",
    operands: { a: "float" },
    result: "=a",
    effects: [],
    cost: "expensive",
  },
  approx: {
    doc: "A hardware approximation on f32 (tanh and ex2 on f16 too); errors in ulp stand in the PTX ISA. With ftz subnormal numbers are zeros.",
    ptx: "9.7.3",
    operands: { a: "float" },
    attrs: { fn: ["rcp", "rcp.ftz", "rsqrt", "rsqrt.ftz", "sqrt", "sin", "cos", "lg2", "ex2", "ex2.ftz", "tanh"] },
    result: "=a",
    effects: [],
    cost: "expensive",
  },
  "div.approx": {
    doc: "a / b within 2 ulp for |b| in [2^-126, 2^126].",
    ptx: "9.7.3.8",
    operands: { a: "float", b: "float" },
    result: "=a",
    effects: [],
    cost: "expensive",
  },
  popc: { doc: "Bits that are set.", ptx: "9.7.1.15", operands: { a: "int" }, result: "i32", effects: [] },
  clz: { doc: "Leading zeros.", ptx: "9.7.1.16", operands: { a: "int" }, result: "i32", effects: [] },
  brev: { doc: "The bits in reverse order.", ptx: "9.7.1.19", operands: { a: "int" }, result: "=a", effects: [] },
  shf: {
    doc: "Funnel shift: 32 bits of high:low, shifted right by (by & 31).",
    ptx: "9.7.8.7",
    operands: { low: "int", high: "int", by: "i32" },
    attrs: { direction: ["l", "r"] },
    result: "=low",
    effects: [],
  },
  sreg: {
    doc: "A special register.",
    ptx: "10",
    operands: {},
    attrs: {
      reg: [...along("tid"), ...along("ctaid"), ...along("nctaid"), "laneid", "cluster_ctarank", ...along("clusterid")],
    },
    result: "i32",
    effects: [],
  },
  "warp.index": {
    doc: "The warp's number in the block, known to be the same in all its lanes (through a shuffle).",
    operands: {},
    result: "i32",
    effects: [],
    participants: "warp",
    called: "the warp's number",
  },
  "elect.sync": {
    doc: "True in one lane of the converged warp.",
    ptx: "9.7.13.14",
    operands: {},
    result: "pred",
    effects: ["sync"],
    participants: "warp",
    called: "the choice of one thread (elect)",
  },
  "vote.ballot": {
    doc: "One bit for each lane of the warp, set where the condition is true there; all 32 lanes take part.",
    ptx: "9.7.13.9",
    operands: { condition: "pred" },
    result: "u32",
    effects: ["sync"],
    participants: "warp",
    called: "a vote",
  },
  shfl: {
    doc: "The value that another lane of the warp has; all 32 lanes take part. A lane whose source is none of them keeps its own.",
    ptx: "9.7.9.6",
    operands: { value: "scalar", by: "i32" },
    attrs: { mode: ["idx", "bfly", "up", "down"] },
    result: "=value",
    effects: ["sync"],
    participants: "warp",
    called: "a shuffle",
  },
  setmaxnreg: {
    doc: "Registers per thread of this warpgroup from here on.",
    ptx: "9.7.19.5",
    operands: {},
    attrs: { count: "number", action: ["inc", "dec"] },
    effects: ["sync"],
    participants: "warpgroup",
    called: "a change of registers",
    waits: ({ attrs }) => (attrs.action === "inc" ? { until: "registers" } : undefined),
    target: "sm_90a",
  },

  if: {
    doc: "Runs `yes` or `no`; the results are what they yield.",
    operands: { condition: "pred" },
    result: "given",
    regions: ["yes", "no"],
    flow: "branch",
    effects: ["control"],
  },
  for: {
    doc: "For i = start; i < stop (step > 0) or i > stop (step < 0); i += step. The body's parameters are i and what is carried; it yields what is carried on. Neither i nor the trip count overflows; a step of 0 is undefined.",
    operands: { start: "int", stop: "int", step: "int", carried: "any*" },
    attrs: { unroll: "number?" },
    result: "given",
    regions: ["body"],
    flow: "counted loop",
    effects: ["control"],
  },
  while: {
    doc: "Runs `test` on what is carried; its `condition` decides and passes values to `body` (and out, as the results); `body` yields what is carried next.",
    operands: { carried: "any*" },
    result: "given",
    regions: ["test", "body"],
    flow: "loop",
    effects: ["control"],
  },
  yield: {
    doc: "Ends a region and gives values to the op around it.",
    operands: { values: "any*" },
    effects: ["control"],
    terminator: "yields",
  },
  condition: {
    doc: "Ends the `test` of a while: go on where `go` is true.",
    operands: { go: "pred", values: "any*" },
    effects: ["control"],
    terminator: "yields",
  },
  exit: {
    doc: "Ends the thread. Ends its region.",
    ptx: "9.7.12.6",
    operands: {},
    effects: ["control", "sync"],
    terminator: "ends thread",
  },
  trap: { doc: "Aborts the launch.", ptx: "9.7.19.4", operands: {}, effects: ["io"], level: "machine" },
  log: {
    doc: "Records the values for the host, which prints them as log site `site` says. `pred`: only where true.",
    operands: { values: "scalar*", pred: "pred?" },
    attrs: { site: "number" },
    effects: ["io"],
    references: { site: "logs" },
  },
  mark: {
    doc: "The first of the lanes that are here records for the host when that is, on which multiprocessor, and the values: log site `site`.",
    ptx: "10",
    operands: { values: "scalar*" },
    attrs: { site: "number" },
    effects: ["io"],
    references: { site: "logs" },
  },
  assert: {
    doc: "Where `condition` is false: records log site `site` with at most three values and traps.",
    operands: { condition: "pred", values: "scalar*" },
    attrs: { site: "number" },
    effects: ["io"],
    references: { site: "logs" },
    verify: (op) => (operandValues(op, "values").length > 3 ? "records more than three values" : undefined),
  },
});

function sameOperands(op: RawOp, first = "a", second = "b"): string | undefined {
  const a = operandType(op, first);
  const b = operandType(op, second);
  return !a || !b || sameType(a, b) ? undefined : `both sides have one type, not ${typeName(a)} and ${typeName(b)}`;
}

function oneScalar(op: RawOp): string | undefined {
  const [result, ...more] = op.results;
  return result && isScalar(result.type) && more.length === 0 ? undefined : "gives one scalar";
}

function sameWidth(op: RawOp): string | undefined {
  const from = operandType(op, "a");
  const to = op.results[0]?.type;
  if (!from || !to || !isScalar(from) || !isScalar(to) || bitsOf(from) === bitsOf(to)) return undefined;
  return `keeps the width: ${from} has ${bitsOf(from)} bits, ${to} has ${bitsOf(to)}`;
}

function packs(op: RawOp): string | undefined {
  const from = operandType(op, "low");
  const { type } = op.attrs;
  return !from || from === "f32" || from === type ? undefined : `packs f32 or ${String(type)}, not ${typeName(from)}`;
}

function unpacks(op: RawOp): string | undefined {
  const [low, high, ...more] = op.results.map((v) => v.type);
  if (operandType(op, "pair") !== "u32") return "takes a word: u32";
  const halves = (low === "f16" || low === "bf16") && high === low && more.length === 0;
  return halves ? undefined : "gives two elements of f16 or of bf16";
}

function bitwise(op: RawOp): string | undefined {
  const a = operandType(op, "a");
  return a && (a === "pred" || isInteger(a))
    ? sameOperands(op)
    : `works on integers and predicates, not ${a ? typeName(a) : "nothing"}`;
}
