import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseArguments } from "../../src/tools/launch-ptx/index.ts";
import { cudaCases } from "./cases.ts";
import { compareBytes, declared } from "./compare-bytes.ts";

const folder = join(import.meta.dirname, "cuda");
const parameters = (source: string, entry: string): number => {
  const list = new RegExp(`\\b${entry}\\(([^{]*?)\\) \\{`, "s").exec(source)?.[1] ?? "";
  return list.split(",").length;
};

describe("cases", () => {
  it("every file of CUDA C++ is launched", () => {
    expect([...new Set(cudaCases.map((c) => c.source))].sort()).toEqual(readdirSync(folder).sort());
  });

  it("have names of their own", () => expect(new Set(cudaCases.map((c) => c.name)).size).toBe(cudaCases.length));

  it.each(cudaCases)("$name: an argument for each parameter, a result, and a reason for each allowance", (c) => {
    const { args, buffers } = parseArguments(c.buffers ?? [], c.args);
    expect(args.length).toBe(parameters(readFileSync(join(folder, c.source), "utf8"), c.entry));
    const results = buffers.filter((b) => b.out).map((b) => b.name);
    expect(results.length).toBeGreaterThan(0);
    expect(declared(c).flatMap((b) => (b.out ? [b.name] : []))).toEqual(results);
    for (const [name, { because }] of Object.entries(c.allowances ?? {})) {
      expect(results).toContain(name);
      expect(because).toMatch(/PTX ISA|Programming Guide/);
    }
  });
});

describe("compareBytes", () => {
  const bytes = (array: { readonly buffer: ArrayBufferLike }): Uint8Array => new Uint8Array(array.buffer);
  const f32 = (...numbers: number[]): Uint8Array => bytes(Float32Array.from(numbers));
  const buffer = { name: "y", dtype: "f32", out: true };
  const allowance = { rtol: 0.1, atol: 1, because: "" };
  const kind = (ours: Uint8Array, theirs: Uint8Array, allowed?: typeof allowance): string =>
    compareBytes(buffer, ours, theirs, allowed).kind;

  it("takes equal bits alone without an allowance", () => {
    expect(kind(f32(1, 2), f32(1, 2))).toBe("same");
    expect(kind(f32(0), f32(-0))).toBe("differs");
    expect(kind(f32(1, 2), f32(1))).toBe("differs");
    expect(compareBytes(buffer, f32(1, 2, 5), f32(1, 3, 4), undefined).said).toBe("2 of 3 elements: y[1] is 2, not 3");
  });

  it("takes a distance with one, never beside infinity or NaN", () => {
    expect(kind(f32(11.9), f32(10), allowance)).toBe("within");
    expect(kind(f32(12.1), f32(10), allowance)).toBe("differs");
    expect(kind(f32(Number.NaN), f32(1), allowance)).toBe("differs");
    expect(kind(f32(1), f32(Number.POSITIVE_INFINITY), allowance)).toBe("differs");
    expect(kind(bytes(Uint32Array.of(0x7fc00000)), bytes(Uint32Array.of(0xffffffff)), allowance)).toBe("within");
  });

  it.each([
    ["f64", bytes(Float64Array.of(0.5)), bytes(Float64Array.of(0.25)), "y[0] is 0.5, not 0.25"],
    ["f16", bytes(Uint16Array.of(0x3c00)), bytes(Uint16Array.of(0xc000)), "y[0] is 1, not -2"],
    ["bf16", bytes(Uint16Array.of(0x3f80)), bytes(Uint16Array.of(0xc000)), "y[0] is 1, not -2"],
    ["e4m3", Uint8Array.of(0x38), Uint8Array.of(0x81), "y[0] is 1, not -0.001953125"],
    ["e5m2", Uint8Array.of(0x3c), Uint8Array.of(0xfc), "y[0] is 1, not -Infinity"],
    ["i32", bytes(Int32Array.of(-2)), bytes(Int32Array.of(16)), "y[0] is 0xfffffffe, not 0x00000010"],
  ])("shows %s", (dtype, ours, theirs, said) => {
    expect(compareBytes({ ...buffer, dtype }, ours, theirs, undefined).said).toBe(`1 of 1 elements: ${said}`);
  });
});
