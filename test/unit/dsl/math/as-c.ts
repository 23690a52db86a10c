import { StagedScalar } from "../../../../src/dsl/trace/scalar.ts";
import { ex2Table, rcpTable, rsqrtTable, type Table } from "../../../../src/emulator/machine/numerics/special-tables.ts";
import { type AnyOp, anyOp, isFloat, type Literal, type Op, type ScalarType, type Value } from "../../../../src/ir/index.ts";
import { traced } from "./evaluate.ts";

/** The function of a fraction: coefficients, and x² as the hardware has it. */
const tableOfC = (of: string, { coefficients, bits, constant, square, bias, dropped }: Table): string => `
static const int ${of}_coefficients[] = {${coefficients.join()}};
static int ${of}_all[1 << ${of === "rsqrt" ? 24 : 23}];
static inline int ${of}_table(int fraction) { return ${of}_all[fraction]; }
static void ${of}_fill(void) {
  for (int i = 0; i < sizeof ${of}_all / sizeof *${of}_all; i++) {
    const int *c = ${of}_coefficients + 3 * (i >> ${bits}); int64_t x = i & ${2 ** bits - 1};
    ${of}_all[i] = (int)((c[0] * ${constant}ll + c[1] * x + c[2] * ${square}ll * squares[x << ${17 - bits}] + ${bias}) >> ${dropped});
  }
}`;

/** What `as-c.ts` writes begins with this: the names of the types, and what C has no operator for. */
export const preamble = `#include <stdint.h>
#include <string.h>
#include <math.h>
static inline float minf(float a, float b) { return a != a || b != b ? NAN : a < b ? a : b < a ? b : signbit(a) ? a : b; }
static inline float maxf(float a, float b) { return a != a || b != b ? NAN : a > b ? a : b > a ? b : signbit(a) ? b : a; }
static inline float saturated(float x) { return x > 0 ? x < 1 ? x : 1 : 0; }
static inline uint32_t shf(uint32_t low, uint32_t high, int32_t by, int left) {
  uint64_t both = (uint64_t)high << 32 | low;
  return left ? (uint32_t)(both << (by & 31) >> 32) : (uint32_t)(both >> (by & 31));
}
#define CAST(from, to) static inline to##_t from##_as_##to(from##_t x) { to##_t y; memcpy(&y, &x, sizeof y); return y; }
typedef float f32_t; typedef double f64_t; typedef int32_t i32_t; typedef uint32_t u32_t; typedef int64_t i64_t; typedef uint64_t u64_t;
CAST(f32, i32) CAST(f32, u32) CAST(i32, f32) CAST(u32, f32) CAST(f64, i64) CAST(i64, f64) CAST(i32, u32) CAST(u32, i32)
CAST(i64, u64) CAST(u64, i64)
static uint32_t squares[1 << 17];
${tableOfC("ex2", ex2Table)}${tableOfC("rcp", rcpTable)}${tableOfC("rsqrt", rsqrtTable)}
__attribute__((constructor)) static void square(void) {
  for (int x = 0; x < 1 << 17; x++) { for (int i = 0; i < 17; i++) if (x >> i & 1) squares[x] += x >> (18 - i); squares[x] >>= 1; }
  ex2_fill(); rcp_fill(); rsqrt_fill();
}
static inline float ex2_ftz(float x) {
  float size = fabsf(x);
  if (!(size < 256)) return isnan(x) ? x : x > 0 ? INFINITY : 0;
  int64_t all = (int64_t)((double)size * 0x1p23); int fraction = all & 0x7fffff, whole = all >> 23;
  if (x < 0) { whole = -whole - (fraction != 0); if (fraction) fraction ^= 0x7fffff; }
  double y = ldexp(ex2_table(fraction), whole - 23);
  return y < 0x1p-126 ? 0 : (float)y;
}
static inline float ex2(float x) { if (!(x < -126)) return ex2_ftz(x); float root = ex2_ftz(x / 2); return root * root; }
static inline float rcp(float x) {
  if (x == 0 || !isfinite(x)) return 1 / x;
  int e; float m = frexpf(fabsf(x), &e);
  return (float)copysign(ldexp(rcp_table((int)((m * 2 - 1) * 0x1p23f)), -23 - e), x);
}
static inline float rcp_ftz(float x) {
  float y = rcp(fabsf(x) < 0x1p-126f ? copysignf(0, x) : x);
  return fabsf(y) < 0x1p-126f ? copysignf(0, y) : y;
}
static inline float rsqrt_ftz(float x) {
  if (!(x >= 0x1p-126f) || isinf(x)) return (float)(1 / sqrt(fabsf(x) < 0x1p-126f ? copysignf(0, x) : x));
  int e; float m = frexpf(x, &e) * 2; e--;
  int both = (int)((m - 1) * 0x1p23f) | (e & 1) << 23;
  return (float)ldexp(both ? rsqrt_table(both) : 1 << 24, -24 - (e >> 1));
}
`;

const name = (v: Value | undefined): string => `v${v?.id}`;
const typeOf = (v: Value | undefined): ScalarType => v?.type as ScalarType;
const typeName = (type: ScalarType): string => (type === "pred" ? "int" : `${type}_t`);

function literal(type: ScalarType, x: Literal): string {
  if (typeof x === "boolean") return x ? "1" : "0";
  if (!isFloat(type)) return type.endsWith("64") ? `(${typeName(type)})${x}LL` : `(${typeName(type)})${x}LL`;
  const value = Number(x);
  if (Number.isNaN(value)) return "NAN";
  if (!Number.isFinite(value)) return value > 0 ? "INFINITY" : "-INFINITY";
  const text = Object.is(value, -0) ? "-0" : String(value);
  const float = /[.e]/.test(text) ? text : `${text}.0`;
  return type === "f32" ? `(float)${float}` : float;
}

const signs: Readonly<Record<string, string>> = { add: "+", sub: "-", mul: "*", div: "/", and: "&", or: "|", xor: "^" };
const relations = { eq: "==", ne: "!=", lt: "<", le: "<=", gt: ">", ge: ">=" } as const;

function ofTwo(op: string, type: ScalarType, a: string, b: string): string {
  const bits = type.endsWith("64") ? 64 : 32;
  if (op === "shl") return `(${typeName(type)})((uint${bits}_t)${a} << (${b} & ${bits - 1}))`;
  if (op === "shr") return `${a} >> (${b} & ${bits - 1})`;
  if (op === "mul.hi") return `(${typeName(type)})(((${type === "u32" ? "uint64_t" : "int64_t"})${a} * ${b}) >> 32)`;
  if (op === "min" || op === "max")
    return isFloat(type) ? `${op}f(${a}, ${b})` : `(${a} ${op === "min" ? "<" : ">"} ${b} ? ${a} : ${b})`;
  const sign = signs[op];
  if (!sign) throw new Error(`'${op}' has no C`);
  return isFloat(type) || type === "pred"
    ? `${a} ${sign} ${b}`
    : `(${typeName(type)})((uint${bits}_t)${a} ${sign} (uint${bits}_t)${b})`;
}

function expression(op: AnyOp): string {
  const to = typeOf(op.results[0]);
  const o = op.operands as Record<string, Value>;
  const a = name(o.a);
  const from = typeOf(o.a);
  switch (op.name) {
    case "const":
      return literal(to, op.attrs.value);
    case "fma":
      return `fma${to === "f32" ? "f" : ""}(${a}, ${name(o.b)}, ${name(o.c)})`;
    case "fma.sat":
      return `saturated(fmaf(${a}, ${name(o.b)}, ${name(o.c)}))`;
    case "cmp":
      return `${a} ${relations[op.attrs.is]} ${name(o.b)}`;
    case "select":
      return `${name(o.condition)} ? ${name(o.yes)} : ${name(o.no)}`;
    case "convert":
      return `(${typeName(to)})${a}`;
    case "bitcast":
      return `${from}_as_${to}(${a})`;
    case "round":
      return `truncf(${a})`;
    case "sqrt":
      return `sqrtf(${a})`;
    case "neg":
      return isFloat(to) ? `-${a}` : `(${typeName(to)})(0 - (uint32_t)${a})`;
    case "abs":
      return `fabsf(${a})`;
    case "not":
      return from === "pred" ? `!${a}` : `~${a}`;
    case "shf":
      return `shf(${name(o.low)}, ${name(o.high)}, ${name(o.by)}, ${op.attrs.direction === "l" ? 1 : 0})`;
    case "approx":
      return `${op.attrs.fn.replace(".", "_")}(${a})`;
    default:
      return ofTwo(op.name, from, a, name(o.b ?? o.by));
  }
}

const declared = (v: Value): string => `${typeName(typeOf(v))} ${name(v)}`;

function statements(ops: readonly Op[]): string {
  return ops
    .map((raw) => {
      const op = anyOp(raw);
      if (op.name !== "if") return op.results.map((r) => `  ${declared(r)} = ${expression(op)};`).join("");
      const branch = (i: number): string => {
        const all = op.regions[i]?.ops ?? [];
        const yielded = (all.at(-1)?.operands as { values?: readonly Value[] } | undefined)?.values ?? [];
        return `{\n${statements(all.slice(0, -1))}\n${op.results.map((r, k) => `${name(r)} = ${name(yielded[k])};`).join(" ")} }`;
      };
      const results = op.results.map((r) => `${declared(r)};`).join(" ");
      return `  ${results} if (${name(op.operands.condition)}) ${branch(0)} else ${branch(1)}`;
    })
    .join("\n");
}

/** What `run` records, as a function of C on numbers of these types: the same operations with the same roundings, of an f32 in the end. */
export function asC(called: string, types: readonly ScalarType[], run: (...args: never[]) => unknown): string {
  const { ops, params, result } = traced(types, run);
  if (!(result instanceof StagedScalar)) throw new Error(`${called} is not on the GPU`);
  return `static inline float ${called}(${params.map(declared).join(", ")}) {\n${statements(ops)}\n  return ${name(result.value)};\n}\n`;
}
