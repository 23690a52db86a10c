/** Files that numpy, ml_dtypes and safetensors wrote: fixtures/make.py. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { DType } from "../../../../src/base/types.ts";
import { listArrays, readArray, readArrays } from "../../../../src/tools/arrays/index.ts";

const fixture = (name: string): string => join(import.meta.dirname, "fixtures", name);

/** The element type by numpy's name of it, and what make.py has put there. */
const types: Readonly<Record<string, DType>> = {
  ...{ f8: "f64", f4: "f32", f2: "f16", b1: "bool" },
  ...{ i8: "i64", i4: "i32", i2: "i16", i1: "i8", u8: "u64", u4: "u32", u2: "u16", u1: "u8" },
};
const counted = Array.from({ length: 24 }, (_, i) => i);
function expected(name: string): readonly (number | bigint)[] {
  if (name === "b1") return counted.map((i) => i % 2);
  const signed = name.startsWith("u") ? counted : counted.map((i) => i - 5);
  if (name.startsWith("f")) return signed.map((i) => i / 4);
  return name.endsWith("8") ? signed.map(BigInt) : signed;
}
const small = [0, 1, 2, 3, 4, 5];

describe.each(["plain.npz", "deflated.npz", "fortran.npz", "big-endian.npz"])("%s", (file) => {
  it("has the arrays that numpy wrote", async () => {
    const arrays = await readArrays(fixture(file));
    expect([...arrays.keys()].sort()).toEqual(Object.keys(types).sort());
    for (const [name, { dtype, shape, data, bytes }] of arrays) {
      expect([name, dtype, shape]).toEqual([name, types[name], [2, 3, 4]]);
      expect(Array.from(data as Iterable<number | bigint>), name).toEqual(expected(name));
      // One copy: what gives the numbers has no memory of its own.
      expect((data as { readonly buffer: unknown }).buffer).toBe(bytes.buffer);
    }
  });
});

describe("plain.safetensors", () => {
  const stored = { f8: "F64", f4: "F32", f2: "F16", b1: "BOOL", i8: "I64", i4: "I32", i2: "I16", i1: "I8" };

  it("has the tensors that safetensors wrote, and its texts", async () => {
    const arrays = await readArrays(fixture("plain.safetensors"));
    expect(arrays.metadata).toEqual({ from: "numpy" });
    expect(arrays.size).toBe(Object.keys(types).length);
    for (const [name, { dtype, data }] of arrays) {
      expect([name, dtype]).toEqual([name, types[name]]);
      expect(Array.from(data as Iterable<number | bigint>), name).toEqual(expected(name));
    }
  });

  it("is listed without being read", async () => {
    const list = await listArrays(fixture("plain.safetensors"));
    for (const [name, text] of Object.entries(stored))
      expect(list.get(name)).toMatchObject({ dtype: types[name], stored: text, shape: [2, 3, 4] });
    expect(list.get("f8")).toEqual({ dtype: "f64", stored: "F64", shape: [2, 3, 4], bytes: 192 });
  });

  it("has bf16 and fp8", async () => {
    const arrays = await readArrays(fixture("narrow.safetensors"));
    expect([...arrays].map(([name, { dtype, data }]) => [name, dtype, Array.from(data as Iterable<number>)])).toEqual(
      ["bf16", "e4m3", "e5m2"].map((name) => [name, name, small]),
    );
  });
});

describe(".npy", () => {
  it.each(["f4.npy", "version-2.npy", "version-3.npy"])("%s", async (file) => {
    const { dtype, shape, data } = await readArray(fixture(file), { dtype: "f32" });
    expect([dtype, shape, data]).toEqual(["f32", [2, 3], Float32Array.from(small)]);
  });

  it("of a single number, and of none", async () => {
    expect(await readArray(fixture("no-dimensions.npy"))).toMatchObject({ shape: [], data: Float32Array.of(3.5) });
    expect(await readArray(fixture("no-elements.npy"))).toMatchObject({ shape: [3, 0, 2], data: new Float32Array(0) });
  });

  it("of ml_dtypes: what it says plainly, and what it is told", async () => {
    for (const dtype of ["bf16", "e5m2"] as const) {
      const { data } = await readArray(fixture(`${dtype}.npy`), { dtype });
      expect(Array.from(data)).toEqual(small);
      expect((await readArrays(fixture(`${dtype}.npy`))).get(dtype)?.dtype).toBe(dtype);
    }
    expect(Array.from((await readArray(fixture("e4m3.npy"), { dtype: "e4m3" })).data)).toEqual(small);
    await expect(readArray(fixture("e4m3.npy"))).rejects.toThrow(/W7103.*raw bytes of 1 bytes.*say what they are.*"e4m3"/s);
    await expect(readArray(fixture("e4m3.npy"), { dtype: "f32" })).rejects.toThrow("W7103");
    expect((await listArrays(fixture("e4m3.npy"))).get("e4m3")).toEqual({
      dtype: undefined,
      stored: "<V1",
      shape: [2, 3],
      bytes: 6,
    });
  });

  it.each([
    ["complex.npy", /complex numbers \(<c8\)/],
    ["objects.npy", /objects of Python .*pickle/s],
    ["structure.npy", /structures .*each field/s],
    ["texts.npy", /texts \(<U2\)/],
    ["dates.npy", /dates \(<M8\[s\]\)/],
  ])("refuses %s", async (file, message) => {
    const refused = readArray(fixture(file));
    await expect(refused).rejects.toMatchObject({ code: "W7103" });
    await expect(refused).rejects.toThrow(message);
    expect((await listArrays(fixture(file))).size).toBe(1);
  });
});

describe(".npz", () => {
  it("written to a stream, with a member that is no array", async () => {
    const arrays = await readArrays(fixture("streamed.npz"));
    expect([...arrays].map(([name, { data }]) => [name, data])).toEqual([["x", Float32Array.from(small)]]);
  });

  it("with one array needs no name", async () => {
    expect((await readArray(fixture("unnamed.npz"))).shape).toEqual([2, 3, 4]);
    await expect(readArray(fixture("plain.npz"))).rejects.toThrow(/W7104.*12 arrays, and no name/s);
    await expect(readArray(fixture("plain.npz"), { name: "f3" })).rejects.toThrow(/W7104.*no array f3.*did you mean f\d/s);
  });
});
