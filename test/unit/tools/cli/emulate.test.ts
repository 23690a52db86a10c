import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { readArray, readArrays, writeArray, writeArrays } from "../../../../src/tools/arrays/index.ts";
import { runCommand } from "./run-command.ts";

const folder = mkdtempSync(join(tmpdir(), "emulate-"));
const file = join(folder, "twice.ptx");
writeFileSync(
  file,
  `.version 8.0
.target sm_90a
.address_size 64
.extern .shared .align 16 .b8 smem[];
.visible .entry twice(.param .u64 x, .param .u64 y)
{
  .reg .b32 %r<8>;
  .reg .b64 %d<8>;
  mov.u32 %r0, %tid.x;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mad.lo.u32 %r0, %r1, %r2, %r0;
  mul.wide.u32 %d2, %r0, 4;
  ld.param.u64 %d0, [x];
  ld.param.u64 %d1, [y];
  add.u64 %d0, %d0, %d2;
  add.u64 %d1, %d1, %d2;
  ld.global.u32 %r3, [%d0];
  mov.u32 %r4, smem;
  st.shared.u32 [%r4], %r3;
  ld.shared.u32 %r3, [%r4];
  add.u32 %r3, %r3, %r3;
  st.global.u32 [%d1], %r3;
  ret;
}
`,
);
// The command loads what it runs.
beforeAll(async () => void (await import("../../../../src/tools/cli/emulate.ts")), 60_000);
let printed = "";
afterEach(() => {
  printed = "";
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the command; what it says where it fails is the error. */
async function emulate(argv: readonly string[]): Promise<void> {
  const { status, out, err } = await runCommand("emulate", ...argv);
  printed += out;
  if (status !== 0) throw new Error(`${status}: ${err}`);
}

const lines = (): string[] => printed.trimEnd().split("\n");
const words = (path: string): number[] => {
  const bytes = readFileSync(path);
  return [...new Int32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))];
};

// One thread in each block: they share one word.
const shape = ["--grid", "10", "--block", "1", "--smem", "16"];

describe("warpsmith emulate", () => {
  it("prints what is marked", async () => {
    await emulate([file, ...shape, "--args", "i32[10]:arange", "y=i32[10]:zeros:out"]);
    expect(lines()).toEqual(["y  i32[10]  0, 2, 4, 6, 8, 10, 12, 14, …"]);
  });

  it("runs under a schedule and checks", async () => {
    const args = ["--args", "i32[10]:arange", "y=i32[10]:zeros:out"];
    for (const rest of [
      ["--check", "strict"],
      ["--check", "off"],
      ["--seed", "lazy"],
      ["--seed", "7"],
    ])
      await emulate([file, ...shape, ...rest, ...args]);
    expect(new Set(lines())).toEqual(new Set(["y  i32[10]  0, 2, 4, 6, 8, 10, 12, 14, …"]));
    // Two threads of a block share the word: a race.
    const racing = [file, "--grid", "5", "--block", "2", "--smem", "16", ...args];
    await expect(emulate(["--check", "strict", ...racing])).rejects.toThrow("W9");
  });

  it("writes files, by name and all of them", async () => {
    const save = join(folder, "results");
    const y = join(folder, "y.bin");
    await emulate([file, ...shape, "--out", `y=${y}`, "--save", save, "--args", "i32[10]:value=21", "y=i32[10]:zeros"]);
    expect(words(y)).toEqual(new Array(10).fill(42));
    expect(words(join(save, "y.bin"))).toEqual(words(y));
  });

  it("takes arrays out of files, and writes them, by the ends of their names", async () => {
    const at = (name: string): string => join(folder, name);
    const data = Int32Array.from({ length: 10 }, (_, i) => i);
    await writeArray(at("x.npy"), data);
    await writeArrays(at("x.npz"), { "a:b/c": data, other: Float32Array.of(1) });
    await writeArrays(at("one.safetensors"), { x: { dtype: "i32", shape: [2, 5], data } });
    for (const from of [
      `i32[10]:npy=${at("x.npy")}`,
      `i32[10]:npz=${at("x.npz")}:a:b/c`,
      `i32[2x5]:safetensors=${at("one.safetensors")}`,
    ])
      await emulate([file, ...shape, "--args", from, "y=i32[10]:zeros:out"]);
    expect(new Set(lines())).toEqual(new Set(["y  i32[10]  0, 2, 4, 6, 8, 10, 12, 14, …"]));

    const outs = ["y.npy", "y.npz", "y.safetensors", "y.bin"].flatMap((name) => ["--out", `y=${at(name)}`]);
    const both = ["--out", `x=${at("both.npz")}`, "--out", `y=${at("both.npz")}`];
    const args = ["--args", "x=i32[2x5]:arange:out", "y=i32[5x2]:zeros:out"];
    await emulate([file, ...shape, ...outs, ...both, "--save", at("all.safetensors"), ...args]);
    for (const name of ["y.npy", "y.npz", "y.safetensors"])
      expect(await readArray(at(name))).toMatchObject({ dtype: "i32", shape: [5, 2], data: data.map((x) => 2 * x) });
    expect(words(at("y.bin"))).toEqual([...data].map((x) => 2 * x));
    for (const name of ["both.npz", "all.safetensors"])
      expect([...(await readArrays(at(name))).keys()].sort()).toEqual(["x", "y"]);
    // Paths of a launch file are as seen from there.
    writeFileSync(at("arrays.json"), JSON.stringify({ args: ["i32[10]:npy=x.npy", "y=i32[10]:zeros:out"] }));
    await emulate([file, ...shape, "--launch", at("arrays.json")]);
    expect(lines().at(-1)).toBe(lines()[0]);
  });

  it.each([
    ["f32[10]:npy=x.npy", /W7105.*is i32 \[10\], and it was to be f32 \[10\]/s],
    ["i32[5x2]:npy=x.npy", /W7105.*to be i32 \[5, 2\]/s],
    ["i32[10]:npz=x.npz:b", /W7104.*no array b/s],
    ["i32[10]:npz=x.npz", /W7104.*2 arrays/s],
    ["i32[10]:npy=none.npy", /W7101.*not there/s],
    ["i32[10]:npz=x.npy:a", /W7801.*does not end in \.npz/s],
  ])("refuses the contents %s", async (contents, message) => {
    const from = contents.replace(/=/, `=${folder}/`);
    await expect(emulate([file, ...shape, "--args", from, "y=i32[10]:zeros:out"])).rejects.toThrow(message);
  });

  it("prints JSON, every value of it", async () => {
    await emulate([file, ...shape, "--json", "--args", "i32[10]:arange", "y=i32[10]:zeros:out"]);
    expect(JSON.parse(printed)).toEqual({
      results: [{ name: "y", dtype: "i32", values: [0, 2, 4, 6, 8, 10, 12, 14, 16, 18] }],
    });
  });

  it("tells errors as JSON", async () => {
    const { status, err } = await runCommand("emulate", file, ...shape, "--json", "--args", "i32[10]:arange");
    expect([status, JSON.parse(err)]).toEqual([
      2,
      { error: expect.objectContaining({ code: "W7805", fix: expect.any(String) }) },
    ]);
  });

  it("launches cooperatively where it is asked to, by an option or a launch file", async () => {
    const grid = join(folder, "grid.ptx");
    writeFileSync(
      grid,
      `.version 8.0
.target sm_90a
.address_size 64
.visible .entry grid(.param .u64 y)
{
  .reg .b32 %r<4>;
  .reg .b64 %d<2>;
  .reg .pred %p<2>;
  ld.param.u64 %d0, [y];
  mov.u32 %r0, %envreg1;
  mov.u32 %r1, %envreg2;
  or.b32 %r0, %r0, %r1;
  setp.ne.u32 %p0, %r0, 0;
  selp.u32 %r2, 1, 0, %p0;
  st.global.u32 [%d0], %r2;
  ret;
}
`,
    );
    const path = join(folder, "grid.json");
    writeFileSync(path, JSON.stringify({ cooperative: true }));
    const args = ["--block", "1", "--args", "y=u32[1]:zeros:out"];
    for (const asked of [[], ["--cooperative"], ["--launch", path]]) await emulate([grid, ...asked, ...args]);
    expect(lines().map((line) => line.slice(-1))).toEqual(["0", "1", "1"]);
    await expect(emulate([grid, "--cooperative", "--grid", "5000", ...args])).rejects.toThrow(/W8007.*at the same time/s);
  });

  it("takes a launch file, with paths as seen from it, and options over it", async () => {
    writeFileSync(join(folder, "in.bin"), new Uint8Array(Int32Array.of(5, 6, 7).buffer));
    const launch = {
      entry: "twice",
      grid: [3],
      block: [1],
      smem: 16,
      buffers: ["x=i32[3]:file=in.bin"],
      args: ["@x", "y=i32[3]:zeros:out"],
    };
    const path = join(folder, "launch.json");
    writeFileSync(path, JSON.stringify(launch));
    await emulate([file, "--launch", path]);
    await emulate([file, "--launch", path, "--grid", "2,1,1"]);
    expect(lines()).toEqual(["y  i32[3]  10, 12, 14", "y  i32[3]  10, 12, 0"]);
  });

  it.each([
    ["3", "no object"],
    ['{"grid":4}', "grid is 4"],
    ['{"args":[1]}', "args is [1]"],
    ['{"cooperative":1}', "cooperative is 1"],
    ["{", "no launch file"],
  ])("refuses the launch file %s", async (text, why) => {
    const path = join(folder, "wrong.json");
    writeFileSync(path, text);
    await expect(emulate([file, "--launch", path])).rejects.toThrow(why);
  });

  it.each([
    [[], "missing required argument 'file'"],
    [[file, "other.ptx"], "takes one file"],
    [["nowhere.ptx"], "cannot be read"],
    [[file, "--colour", "red"], "--colour"],
    [[file, "--grid", "0", "--block", "1", "--args", "i32[1]:zeros", "i32[1]:zeros"], "--grid takes"],
    [[file, "--block", "1,2,3,4", "--args", "i32[1]:zeros", "i32[1]:zeros"], "--block takes"],
    [[file, "--args", "i32[1]:zeros", "i32[1]:zeros"], "--block"],
    [[file, ...shape, "--smem", "-1", "--args", "i32[1]:zeros", "i32[1]:zeros"], "--smem"],
    [[file, ...shape, "--out", "z=f", "--args", "i32[1]:zeros", "i32[1]:zeros"], "no buffer"],
    [[file, ...shape, "--launch", file], "no launch file"],
    [[file, ...shape, "--save", file, "--args", "i32[1]:zeros", "i32[1]:zeros"], "--save takes a folder"],
    [[file, ...shape, "--save", "x.npy", "--args", "i32[1]:zeros", "i32[1]:zeros"], "room for one array"],
    [[file, ...shape, "--out", "x=z.npy", "--out", "y=z.npy", "--args", "x=i32[1]:zeros", "y=i32[1]:zeros"], "room for one"],
    [[file, ...shape, "--save", join(file, "in"), "--args", "i32[1]:zeros", "i32[1]:zeros"], "cannot be made"],
    [[file, ...shape, "--args", "i32[1]:file=nothing", "i32[1]:zeros"], "cannot be read"],
  ])("refuses %j", async (argv, why) => {
    const { status, out, err } = await runCommand("emulate", ...argv);
    expect(err).toContain(why);
    expect([status, out, err.trimEnd().split("\n").length]).toEqual([2, "", 1]);
  });

  it("says how CUDA C++ becomes PTX", async () => {
    const source = join(folder, "r.cu");
    writeFileSync(source, "// nothing yet\n");
    const { status, err } = await runCommand("emulate", source);
    expect([status, err]).toEqual([2, expect.stringContaining(`nvcc -ptx -arch=sm_90a -lineinfo ${source}`)]);
  });

  it.each([
    [["--args", "i32[10]:arange"], "x of 8 bytes, y of 8 bytes"],
    [["--args", "i32[10]:arange"], "W7805"],
    [["--args", "i32[10]:arange", "i32:1"], "W7806"],
    [["--args", "i32[10]:arrange", "i32:1"], "W7801"],
    [["--check", "some", "--args", "i32[1]:zeros", "i32[1]:zeros"], "W7025"],
    [["--seed", "-3", "--args", "i32[1]:zeros", "i32[1]:zeros"], "W7025"],
    [["--device", "gpu", "--args", "i32[1]:zeros", "i32[1]:zeros"], "W7022"],
    [["--entry", "thrice", "--args", "i32[1]:zeros", "i32[1]:zeros"], "W7804"],
  ])("tells of %j in words of its own", async (rest, code) => {
    await expect(emulate([file, ...shape, ...rest])).rejects.toThrow(code);
  });
});

describe("--warn", () => {
  const flag = join(folder, "flag.ptx");
  const head = ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry flag(.param .u64 y)\n{\n  .reg .b64 %d<1>;";
  writeFileSync(flag, `${head}\n  ld.param.u64 %d0, [y];\n  st.global.u32 [%d0], 7;\n  ret;\n}\n`);
  const words = [flag, "--block", "2", "--args", "y=i32[1]:zeros:out"];

  it("warns of what the manual does not promise, which passes without it", async () => {
    expect((await runCommand("emulate", ...words)).err).toBe("");
    const { status, out, err } = await runCommand("emulate", ...words, "--warn");
    expect([status, out]).toEqual([0, "y  i32[1]  7\n"]);
    expect(err).toMatch(/^warning W9201 {2}A race in flag: /);
  });
  it("is a line of JSON beside JSON", async () => {
    const elsewhere = join(folder, "elsewhere.ptx");
    writeFileSync(elsewhere, readFileSync(flag, "utf8"));
    const { err } = await runCommand("emulate", elsewhere, ...words.slice(1), "--warn", "--json");
    expect(JSON.parse(err)).toMatchObject({ warning: { code: "W9201", spans: [{ line: 8 }, { line: 8 }] } });
  });
});
