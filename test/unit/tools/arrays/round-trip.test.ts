import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DType } from "../../../../src/base/types.ts";
import { type Device, openDevice } from "../../../../src/index.ts";
import { elementBytes } from "../../../../src/runtime/index.ts";
import {
  type HostElements,
  listArrays,
  loadArray,
  loadArrays,
  readArray,
  readArrays,
  writeArray,
  writeArrays,
} from "../../../../src/tools/arrays/index.ts";
import { extent, ofProperty } from "../../../support/amount.ts";

const folder = mkdtempSync(join(tmpdir(), "arrays-"));
const path = (name: string): string => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true }));
let gpu: Device;
beforeAll(async () => {
  gpu = await openDevice("emulator");
});
afterAll(() => gpu.dispose());

const dtypes: readonly DType[] = [
  ...(["f64", "f32", "f16", "bf16", "e4m3", "e5m2"] as const),
  ...(["i64", "u64", "i32", "u32", "i16", "u16", "i8", "u8", "bool"] as const),
];

/** An array of any bytes; those of bools are 0 and 1. */
const anyArray = (dtype: DType) =>
  fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 4 }).chain((shape) => {
    const count = shape.reduce((n, extent) => n * extent, 1) * elementBytes(dtype);
    const byte = fc.integer({ min: 0, max: dtype === "bool" ? 1 : 255 });
    return fc
      .array(byte, { minLength: count, maxLength: count })
      .map((bytes) => ({ dtype, shape, bytes: Uint8Array.from(bytes) }));
  });
const anyArrays = fc.dictionary(
  fc.string({ minLength: 1, maxLength: 12, unit: "grapheme" }).filter((name) => name !== "__metadata__"),
  fc.constantFrom(...dtypes).chain(anyArray),
  { maxKeys: 5, noNullPrototype: true },
);

type Any = { readonly dtype: DType; readonly shape: readonly number[]; readonly bytes: Uint8Array };
const plain = ({ dtype, shape, bytes }: Any): Any => ({ dtype, shape, bytes });

describe("what is written is read again, bit for bit", () => {
  it.each([
    ["a.safetensors", {}],
    ["a.npz", {}],
    ["b.npz", { compress: true }],
  ])("%s %j", async (file, options) => {
    await fc.assert(
      fc.asyncProperty(anyArrays, async (arrays) => {
        await writeArrays(path(file), arrays as never, options);
        const list = await listArrays(path(file));
        expect([...list.keys()].sort()).toEqual(Object.keys(arrays).sort());
        for (const [name, array] of Object.entries(arrays)) {
          const raw = file.endsWith(".npz") && array.dtype === "e4m3";
          expect(list.get(name)?.dtype).toBe(raw ? undefined : array.dtype);
          expect(plain(await readArray(path(file), { name, dtype: array.dtype }))).toEqual(array);
        }
      }),
      ofProperty(200, 4),
    );
  });

  it.each(dtypes)("a .npy of %s", async (dtype) => {
    await fc.assert(
      fc.asyncProperty(anyArray(dtype), async (array) => {
        await writeArray(path("a.npy"), array as never);
        expect(plain(await readArray(path("a.npy"), { dtype }))).toEqual(array);
      }),
      ofProperty(50, 2),
    );
  });
});

describe("writing", () => {
  it("takes tensors of a device, views of them, typed arrays and lists of numbers", async () => {
    using t = gpu.tensor("bf16", [2, 3], [1, 2, 3, 4, 5, 6]);
    const elements: HostElements<"f16"> = { dtype: "f16", shape: [2], data: [0.5, 1 / 3] };
    for (const file of ["all.npz", "all.safetensors"]) {
      await writeArrays(path(file), { t, turned: t.transpose(), typed: Int32Array.of(7, 8), elements });
      const read = await readArrays(path(file));
      const said = Object.fromEntries([...read].map(([name, { dtype, shape, data }]) => [name, [dtype, shape, [...data]]]));
      expect(said).toEqual({
        t: ["bf16", [2, 3], [1, 2, 3, 4, 5, 6]],
        turned: ["bf16", [3, 2], [1, 4, 2, 5, 3, 6]],
        typed: ["i32", [2], [7, 8]],
        elements: ["f16", [2], [0.5, 0.333251953125]],
      });
    }
    await writeArrays(path("again.npz"), await readArrays(path("all.npz")));
    expect(readFileSync(path("again.npz"))).toEqual(readFileSync(path("all.npz")));
    await writeArray(pathToFileURL(path("one.npy")), t);
    expect((await readArray(pathToFileURL(path("one.npy")))).shape).toEqual([2, 3]);
    await writeArrays(path("one.npy"), { t });
    expect((await readArrays(path("one.npy"))).has("one")).toBe(true);
  });

  it("keeps texts beside the arrays, larger elements first, so that all are aligned", async () => {
    await writeArrays(path("m.safetensors"), { a: Uint8Array.of(1), b: Float64Array.of(2) }, { metadata: { model: "ä" } });
    expect((await readArrays(path("m.safetensors"))).metadata).toEqual({ model: "ä" });
    const bytes = readFileSync(path("m.safetensors"));
    expect((8 + Number(bytes.readBigUInt64LE(0))) % 8).toBe(0);
    expect([...(await listArrays(path("m.safetensors"))).keys()]).toEqual(["b", "a"]);
  });

  it("takes tf32 for the f32 that it is", async () => {
    using t = gpu.tensor("tf32", [2], [0.5, 2]);
    for (const file of ["t.npy", "t.safetensors"]) {
      await writeArrays(path(file), { t });
      expect((await readArray(path(file))).dtype).toBe("f32");
      expect((await readArray(path(file), { dtype: "tf32" })).dtype).toBe("tf32");
    }
  });

  it("leaves what was there where it fails, and nothing beside it", async () => {
    await writeArray(path("kept.npy"), Float32Array.of(1));
    const before = readdirSync(folder);
    const t = gpu.zeros("f32", [4]);
    const other = gpu.zeros("f32", [4]);
    const writing = writeArrays(path("kept.npz"), { t, other });
    other.dispose();
    await expect(writing).rejects.toThrow("W7006");
    expect(existsSync(path("kept.npz"))).toBe(false);
    expect(readdirSync(folder)).toEqual(before);
    symlinkSync(path("kept.npy"), path("link.npy"));
    await writeArray(path("link.npy"), Float32Array.of(2));
    expect((await readArray(path("kept.npy"))).data).toEqual(Float32Array.of(2));
  });

  it("refuses what has no place in the file", async () => {
    const x = Float32Array.of(1);
    const refused = async (act: Promise<void>, message: RegExp): Promise<void> => await expect(act).rejects.toThrow(message);
    await refused(writeArrays(path("x.npy"), { x, y: x }), /W7107.*one array, and there are 2/s);
    await refused(writeArrays(path("x.npy"), {}), /W7107.*one array, and there are 0/s);
    await refused(writeArray(path("x.npz"), x), /W7107.*use writeArrays/s);
    await refused(writeArrays(path("x.bin"), { x }), /W7106/);
    await refused(writeArrays(path("no/x.npz"), { x }), /W7101.*not there/s);
    await refused(writeArrays(path("x.npz"), { x: {} as never }), /W7107.*no dtype and shape/s);
    await refused(writeArrays(path("x.npz"), { x: { dtype: "f32", shape: [2], data: [1] } }), /W7004/);
    await refused(writeArrays(path("x.npz"), { x: { dtype: "f32", shape: [-2], data: [1] } }), /W7107.*-2 is no extent/s);
    await refused(writeArrays(path("x.npz"), { x: { dtype: "u8", shape: [1], data: [256] } }), /W7005/);
    await refused(writeArrays(path("x.npz"), [x] as never), /W7107.*by name/s);
    await refused(writeArrays(path("x.npz"), new Map([[1, x]]) as never), /W7107.*no text/s);
    await refused(writeArrays(path("x.safetensors"), { __metadata__: x }), /W7107/);
    await refused(writeArrays(path("x.safetensors"), { x }, { compress: true }), /W7046.*compress/s);
    await refused(writeArrays(path("x.npz"), { x }, { metadata: { a: "b" } }), /W7046.*metadata/s);
    await refused(writeArrays(path("x.safetensors"), { x }, { metadata: { a: 1 as never } }), /W7046.*metadata/s);
    await refused(writeArrays(3 as never, { x }), /W7109/);
  });
});

describe("on a device", () => {
  it("loads arrays as tensors, which are freed together", async () => {
    const w = { dtype: "bf16", shape: [2, 3], data: [1, 2, 3, 4, 5, 6] } as const;
    const one = { dtype: "f32", shape: [], data: [7] } as const;
    for (const file of ["d.npz", "d.safetensors"]) {
      await writeArrays(path(file), { w, one, bytes: Uint8Array.of(1, 2) });
      let kept: unknown;
      {
        using loaded = await loadArrays(gpu, path(file));
        expect([...(await loaded.tensor("w", "bf16", 2).read())]).toEqual(w.data);
        expect([loaded.tensor("one").shape, ...(await loaded.tensor("one").read())]).toEqual([[1], 7]);
        expect(() => loaded.tensor("v")).toThrow(/W7104.*did you mean w/s);
        expect(() => loaded.tensor("w", "f16")).toThrow(/W7105.*bf16 \[2, 3\], and it was to be f16/s);
        expect(() => loaded.tensor("w", "bf16", 3)).toThrow(/W7105.*of 3 dimensions/s);
        kept = loaded.get("w");
      }
      expect(() => (kept as { address(): bigint }).address()).toThrow("W7006");
      using only = await loadArrays(gpu, path(file), { names: ["bytes", "bytes"] });
      expect([...only.keys()]).toEqual(["bytes"]);
      using single = await loadArray(gpu, path(file), { name: "w", dtype: "bf16", rank: 2 });
      expect([...(await single.read())]).toEqual(w.data);
      await expect(loadArrays(gpu, path(file), { names: ["x"] })).rejects.toThrow("W7104");
      await expect(loadArray(gpu, path(file), { name: "w", rank: 1 })).rejects.toThrow("W7105");
    }
  });

  it("refuses what has no elements, and devices that are none", async () => {
    await writeArrays(path("e.npz"), { e: { dtype: "f32", shape: [0, 2], data: [] } });
    await expect(loadArrays(gpu, path("e.npz"))).rejects.toThrow(/W7108.*\[0, 2\]/s);
    const closed = await openDevice("emulator");
    await closed.dispose();
    await expect(loadArrays(closed, path("e.npz"))).rejects.toThrow("W7007");
    await expect(loadArray({} as Device, path("e.npz"))).rejects.toThrow("W7023");
  });

  it("says which option is none", async () => {
    for (const wrong of [{ name: 3 }, { dtype: "x" }, { rank: -1 }])
      await expect(readArray(path("e.npz"), wrong as never)).rejects.toThrow(/W7046|W7002/);
    await expect(readArrays(path("e.npz"), { names: "e" as never })).rejects.toThrow("W7046");
    await expect(readArrays(path("e.npz"), { name: "e" } as never)).rejects.toThrow("W2601");
  });
});

/** Python with these modules, where it is. */
function python(modules: string): boolean {
  try {
    execFileSync("python3", ["-c", `import ${modules}`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

describe.skipIf(extent === "quick" || !python("numpy"))("numpy reads what is written", () => {
  it("a .npy and a .npz of every type of its own", async () => {
    const own = dtypes.filter((dtype) => !["bf16", "e4m3", "e5m2"].includes(dtype));
    const arrays = Object.fromEntries(
      own.map((dtype) => [dtype, { dtype, shape: [2, 2], bytes: new Uint8Array(4 * elementBytes(dtype)).fill(1) }]),
    );
    await writeArrays(path("n.npz"), arrays as never, { compress: true });
    await writeArray(path("n.npy"), { dtype: "f32", shape: [], data: [2.5] });
    writeFileSync(
      path("read.py"),
      "import numpy as np, sys\nwith np.load(sys.argv[1]) as f:\n  print(sorted((k, f[k].dtype.str, f[k].shape, f[k].tobytes() == b'\\x01' * f[k].nbytes) for k in f))\nprint(np.load(sys.argv[2]))\n",
    );
    const said = execFileSync("python3", [path("read.py"), path("n.npz"), path("n.npy")], { encoding: "utf8" });
    expect(said.match(/\(2, 2\), True/g)).toHaveLength(own.length);
    expect(said).toContain("('bool', '|b1'");
    expect(said).toContain("('f16', '<f2'");
    expect(said.trimEnd().endsWith("2.5")).toBe(true);
  });
});
