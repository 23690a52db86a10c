/** Runs one instruction on rows of operands. */
import { runPtx } from "./run-ptx.ts";

export type Value = number | bigint;

const setters: Readonly<Record<string, (v: DataView, x: Value) => void>> = {
  f32: (v, x) => v.setFloat32(0, Number(x), true),
  f64: (v, x) => v.setFloat64(0, Number(x), true),
};
const widths: Readonly<Record<string, number>> = { h: 16, r: 32, d: 64, f: 32, g: 64 };
const fileOf = (type: string): string => {
  if (type === "f32") return "f";
  if (type === "f64") return "g";
  const bits = Number(/\d+/.exec(type)?.[0]) * (type.endsWith("x2") && !type.startsWith("e") ? 2 : 1);
  return type.endsWith("x2") && type.startsWith("e") ? "h" : bits === 64 ? "d" : bits === 32 ? "r" : "h";
};
const bitsType = (file: string): string => `b${widths[file]}`;

/** 8 bytes for each operand. */
function pack(types: readonly string[], rows: readonly (readonly Value[])[]): Uint8Array {
  const bytes = new Uint8Array(8 * types.length * rows.length);
  rows.forEach((row, r) => {
    types.forEach((type, i) => {
      const view = new DataView(bytes.buffer, 8 * (r * types.length + i), 8);
      const set = setters[type];
      if (set) set(view, row[i] ?? 0);
      else view.setBigUint64(0, BigInt.asUintN(64, BigInt(row[i] ?? 0)), true);
    });
  });
  return bytes;
}

/** Runs one instruction on rows of operands, a row for each thread; gives the bits of the results. */
export async function results(
  text: string,
  d: string,
  sources: readonly string[],
  rows: readonly (readonly Value[])[],
): Promise<bigint[]> {
  const file = fileOf(d);
  const loads = sources.map((type, i) => `  ld.global.${bitsType(fileOf(type))} %${fileOf(type)}${i + 1}, [%d31+${8 * i}];`);
  const args = sources.map((type, i) => `%${fileOf(type)}${i + 1}`);
  const view = await runPtx({
    input: pack(sources, rows),
    outputBytes: 8 * rows.length,
    block: [rows.length, 1, 1],
    body: `  mul.wide.u32 %d31, %tid, ${8 * sources.length};
  add.u64 %d31, %in, %d31;
${loads.join("\n")}
  ${text} %${file}0, ${args.join(", ")};
  mul.wide.u32 %d30, %tid, 8;
  add.u64 %d30, %out, %d30;
  st.global.${bitsType(file)} [%d30], %${file}0;`,
  });
  const width = widths[file] ?? 32;
  return rows.map((_, i) => BigInt.asUintN(width, view.getBigUint64(8 * i, true)));
}

export function encoded(type: string, x: Value): bigint {
  const view = new DataView(new ArrayBuffer(8));
  if (setters[type]) setters[type](view, x);
  else return BigInt.asUintN(widths[fileOf(type)] ?? 32, BigInt(x));
  return view.getBigUint64(0, true);
}

/** Integers on which instructions differ, by width. */
export const edges: Readonly<Record<string, readonly bigint[]>> = {
  "16": [0n, 1n, 2n, 3n, 100n, 0x7fffn, 0x8000n, 0x8001n, 0xfffen, 0xffffn],
  "32": [0n, 1n, 2n, 7n, 12345n, 0x7fffffffn, 0x80000000n, 0x80000001n, 0xdeadbeefn, 0xffffffffn],
  "64": [0n, 1n, 3n, 0xffffffffn, 0x100000000n, 0x7fffffffffffffffn, 2n ** 63n, 0xdeadbeefcafebaben, 2n ** 64n - 1n],
};
export const bitsOf = (type: string): number => Number(/\d+/.exec(type)?.[0]);
export const signedValue = (type: string, x: bigint): bigint =>
  type.startsWith("s") ? BigInt.asIntN(bitsOf(type), x) : BigInt.asUintN(bitsOf(type), x);
export const pairs = (xs: readonly bigint[]): bigint[][] => xs.flatMap((a) => xs.map((b) => [a, b]));
