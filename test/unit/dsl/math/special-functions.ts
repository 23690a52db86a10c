import {
  bitcast,
  blockIdx,
  type Device,
  f32,
  f64,
  i32,
  kernel,
  ptx,
  type Static,
  staticRange,
  type Tensor,
  threadIdx,
  u32,
} from "warpsmith";
import { ex2Table, rcpTable, rsqrtTable, type Table } from "../../../../src/emulator/machine/numerics/special-tables.ts";

/**
 * `ex2.approx`, `rcp.approx` and `rsqrt.approx` beside the tables that the emulator has of them, in one kernel: it computes what the tables say in integers and exact
 * f64, and counts where the instruction gives other bits.
 */

export const instructions = [
  "ex2.approx.ftz",
  "ex2.approx",
  "rcp.approx.ftz",
  "rcp.approx",
  "rsqrt.approx.ftz",
  "rsqrt.approx",
] as const;
type Instruction = (typeof instructions)[number];
const tableOf = (name: Instruction): Table =>
  name.startsWith("ex2") ? ex2Table : name.startsWith("rcp") ? rcpTable : rsqrtTable;

const NaNs = 0x7fffffff,
  infinity = 0x7f800000,
  block = 256;

/** The function of a fraction, from 2^23 to 2^24. */
function interpolated(table: Table, coefficients: Tensor<"i32", 1>, fraction: i32): f64 {
  "use kernel";
  const at = (fraction >> table.bits) * 3,
    x = fraction & (2 ** table.bits - 1),
    wide = x << (17 - table.bits);
  let square = i32(0);
  for (const i of staticRange(17)) if ((wide >> i) & 1) square += wide >> (18 - i);
  const [c0, c1, c2] = [f64(coefficients[at]!), f64(coefficients[at + 1]!), f64(coefficients[at + 2]!)];
  return Math.floor((c0 * table.constant + c1 * f64(x) + c2 * table.square * f64(square >> 1) + table.bias) / 2 ** table.dropped);
}

/** m · 2^e of m from 2^23 to 2^24 as bits; Infinity, and 0 where it is subnormal. */
function joined(m: f64, e: i32): i32 {
  "use kernel";
  const exponent = e + 150;
  let bits = i32(m) - 2 ** 23 + (exponent << 23);
  if (bits < 2 ** 23) bits = i32(0);
  if (exponent > 254) bits = i32(infinity);
  return bits;
}

function ex2Of(x: f32, table: Static<Table>, coefficients: Tensor<"i32", 1>): f32 {
  "use kernel";
  let bits = i32(NaNs);
  if (Math.abs(x) < 256) {
    const all = i32(Math.trunc(Math.abs(x) * 2 ** 23));
    let fraction = all & 0x7fffff,
      whole = all >> 23;
    if (x < 0) {
      if (fraction !== 0) {
        fraction = 0x7fffff - fraction;
        whole = -whole - 1;
      } else whole = -whole;
    }
    bits = joined(interpolated(table, coefficients, fraction), whole - 23);
  } else if (x > 0) bits = i32(infinity);
  else if (x < 0) bits = i32(0);
  return bitcast("f32", bits);
}

/** A finite number that is not 0; a subnormal one as well. */
function exponentAndFraction(x: f32): readonly [i32, i32] {
  "use kernel";
  const isSmall = Math.abs(x) < 2 ** -126;
  const bits = bitcast("i32", isSmall ? x * 2 ** 24 : x);
  return [((bits >> 23) & 255) - 127 - (isSmall ? 24 : 0), bits & 0x7fffff];
}

function rcpOf(x: f32, isFlushed: boolean, table: Table, coefficients: Tensor<"i32", 1>): f32 {
  "use kernel";
  const sign = bitcast("i32", x) & -(2 ** 31);
  let bits = i32(NaNs);
  if (Math.abs(x) === Infinity) bits = sign;
  else if (x === 0 || (isFlushed && Math.abs(x) < 2 ** -126)) bits = sign | infinity;
  else if (Math.abs(x) < Infinity) {
    const [exponent, fraction] = exponentAndFraction(x);
    const m = interpolated(table, coefficients, fraction);
    bits = joined(m, -24 - exponent);
    if (!isFlushed && exponent >= 126) {
      const scaled = bitcast("f32", joined(m, -24)) * (exponent === 127 ? f32(0.5) : f32(1));
      bits = bitcast("i32", scaled * 2 ** -126);
    }
    bits |= sign;
  }
  return bitcast("f32", bits);
}

function rsqrtOf(x: f32, isFlushed: boolean, table: Table, coefficients: Tensor<"i32", 1>): f32 {
  "use kernel";
  let bits = i32(NaNs);
  if (x === 0 || (isFlushed && Math.abs(x) < 2 ** -126)) bits = (bitcast("i32", x) & -(2 ** 31)) | infinity;
  else if (x === Infinity) bits = i32(0);
  else if (x > 0) {
    const [exponent, fraction] = exponentAndFraction(x);
    const both = fraction | ((exponent & 1) << 23);
    const m = both === 0 ? f64(2 ** 24) : interpolated(table, coefficients, both);
    bits = joined(m, -24 - (exponent >> 1));
  }
  return bitcast("f32", bits);
}

/** Counts the operands first, first + step, … of which the instruction and the table give different bits, and keeps the least of them. */
const compare = kernel(
  { block, grid: (_name, _table, _coefficients, _first, _step, count) => Math.ceil(Number(count) / block) },
  function compare(
    name: Static<Instruction>,
    table: Static<Table>,
    coefficients: Tensor<"i32", 1>,
    first: u32,
    step: u32,
    count: u32,
    wrong: Tensor<"u32", 1>,
  ) {
    const i = u32(blockIdx.x * block + threadIdx.x);
    if (i >= count) return;
    const bits = first + i * step;
    const x = bitcast("f32", bits);
    const isFlushed = name.endsWith(".ftz");
    const got = ptx(`${name}.f32 $0, $1;`, { out: "f32" }, x);
    let want = f32(0);
    if (name === "ex2.approx") {
      if (x < -126) {
        const root = ex2Of(x * 0.5, table, coefficients);
        want = root * root;
      } else want = ex2Of(x, table, coefficients);
    } else if (name === "ex2.approx.ftz") want = ex2Of(x, table, coefficients);
    else if (name.startsWith("rcp")) want = rcpOf(x, isFlushed, table, coefficients);
    else want = rsqrtOf(x, isFlushed, table, coefficients);
    const [found, wanted] = [bitcast("i32", got), bitcast("i32", want)];
    const areNaNs = (found & NaNs) > infinity && (wanted & NaNs) > infinity;
    if (found !== wanted && !areNaNs) {
      wrong.at(0).atomic("add", 1);
      wrong.at(1).atomic("min", bits);
    }
  },
);

/** How many of the operands with the bits `first`, `first + step`, … give other bits than the table, and the least of these. */
export async function differing(gpu: Device, name: Instruction, first: number, step: number, count: number) {
  const { coefficients, ...table } = tableOf(name);
  using given = gpu.tensor("i32", [coefficients.length], Int32Array.from(coefficients));
  using wrong = gpu.tensor("u32", [2], Uint32Array.of(0, 0xffffffff));
  compare.launch({}, name, table as Table, given, first, step, count, wrong);
  const [some = 0, least = 0] = await wrong.read();
  return some === 0 ? { some } : { some, least: least.toString(16) };
}
