import { StagedScalar } from "../../../../src/dsl/trace/scalar.ts";
import { type AnyOp, anyOp, isFloat, type Literal, type Op, type ScalarType, type Value } from "../../../../src/ir/index.ts";
import { traced } from "./evaluate.ts";

/** What `as-c.ts` writes begins with this: the names of the types, and what C has no operator for. */
export const preamble = `#include <stdint.h>
#include <string.h>
#include <math.h>
static inline float minf(float a, float b) { return a != a || b != b ? NAN : a < b ? a : b < a ? b : signbit(a) ? a : b; }
static inline float maxf(float a, float b) { return a != a || b != b ? NAN : a > b ? a : b > a ? b : signbit(a) ? b : a; }
static inline uint32_t shf(uint32_t low, uint32_t high, int32_t by, int left) {
  uint64_t both = (uint64_t)high << 32 | low;
  return left ? (uint32_t)(both << (by & 31) >> 32) : (uint32_t)(both >> (by & 31));
}
#define CAST(from, to) static inline to##_t from##_as_##to(from##_t x) { to##_t y; memcpy(&y, &x, sizeof y); return y; }
typedef float f32_t; typedef double f64_t; typedef int32_t i32_t; typedef uint32_t u32_t; typedef int64_t i64_t; typedef uint64_t u64_t;
CAST(f32, i32) CAST(f32, u32) CAST(i32, f32) CAST(u32, f32) CAST(f64, i64) CAST(i64, f64) CAST(i32, u32) CAST(u32, i32)
CAST(i64, u64) CAST(u64, i64)
#ifndef RCP
#define RCP(x) (1.0f / (x))
#define RSQRT(x) ((float)(1.0 / sqrt(x)))
#endif
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
  const a = name(o["a"]);
  const from = typeOf(o["a"]);
  switch (op.name) {
    case "const":
      return literal(to, op.attrs.value);
    case "fma":
      return `fma${to === "f32" ? "f" : ""}(${a}, ${name(o["b"])}, ${name(o["c"])})`;
    case "cmp":
      return `${a} ${relations[op.attrs.is]} ${name(o["b"])}`;
    case "select":
      return `${name(o["condition"])} ? ${name(o["yes"])} : ${name(o["no"])}`;
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
      return `shf(${name(o["low"])}, ${name(o["high"])}, ${name(o["by"])}, ${op.attrs.direction === "l" ? 1 : 0})`;
    case "approx":
      return `${op.attrs.fn === "rcp.ftz" ? "RCP" : "RSQRT"}(${a})`;
    default:
      return ofTwo(op.name, from, a, name(o["b"] ?? o["by"]));
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
