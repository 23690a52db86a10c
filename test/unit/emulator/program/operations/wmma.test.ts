import { describe, expect, it } from "vitest";
import { decodeFloat, encodeFloat, floatFormats } from "../../../../../src/base/small-floats.ts";
import { runPtx } from "../../run-ptx.ts";

interface Kind {
  readonly shape: readonly [number, number, number];
  readonly ab: string;
  readonly cd: string;
  /** Registers of A, B and of C and D. */
  readonly registers: readonly [number, number, number];
}
const kinds: readonly Kind[] = [
  { shape: [16, 16, 16], ab: "f16", cd: "f32", registers: [8, 8, 8] },
  { shape: [16, 16, 16], ab: "f16", cd: "f16", registers: [8, 8, 4] },
  { shape: [8, 32, 16], ab: "f16", cd: "f32", registers: [8, 8, 8] },
  { shape: [32, 8, 16], ab: "f16", cd: "f32", registers: [8, 8, 8] },
  { shape: [16, 16, 16], ab: "bf16", cd: "f32", registers: [4, 4, 8] },
  { shape: [8, 32, 16], ab: "bf16", cd: "f32", registers: [2, 8, 8] },
  { shape: [16, 16, 8], ab: "tf32", cd: "f32", registers: [4, 4, 8] },
  { shape: [16, 16, 16], ab: "s8", cd: "s32", registers: [2, 2, 8] },
  { shape: [32, 8, 16], ab: "u8", cd: "s32", registers: [4, 1, 8] },
  { shape: [8, 8, 4], ab: "f64", cd: "f64", registers: [1, 1, 2] },
  { shape: [8, 8, 32], ab: "s4", cd: "s32", registers: [1, 1, 2] },
  { shape: [8, 8, 128], ab: "b1", cd: "s32", registers: [1, 1, 2] },
];
const layouts = ["row", "col"] as const;
const bitsOf: Readonly<Record<string, number>> = {
  b1: 1,
  s4: 4,
  s8: 8,
  u8: 8,
  f16: 16,
  bf16: 16,
  tf32: 32,
  f32: 32,
  s32: 32,
  f64: 64,
};

const value = (type: string, i: number, j: number, salt: number): number => {
  const x = (5 * i + 3 * j + salt + ((i * j) >> 2)) % 8;
  return type === "b1" ? x & 1 : type.startsWith("u") ? x : x - 4;
};

function write(view: DataView, type: string, index: number, x: number): void {
  const bits = bitsOf[type] ?? 32;
  const at = (index * bits) >> 3;
  if (bits < 8) view.setUint8(at, view.getUint8(at) | ((x & (2 ** bits - 1)) << ((index * bits) & 7)));
  else if (bits === 8) view.setInt8(at, x);
  else if (type === "f16" || type === "bf16") view.setUint16(at, encodeFloat(floatFormats[type], x), true);
  else if (type === "s32") view.setInt32(at, x, true);
  else if (type === "f64") view.setFloat64(at, x, true);
  else view.setFloat32(at, x, true);
}
function read(view: DataView, type: string, index: number): number {
  if (type === "f16") return decodeFloat(floatFormats.f16, view.getUint16(2 * index, true));
  if (type === "f64") return view.getFloat64(8 * index, true);
  return type === "s32" ? view.getInt32(4 * index, true) : view.getFloat32(4 * index, true);
}

const file = (type: string): string => (type === "f64" ? "%g" : type === "f32" ? "%f" : "%r");
const list = (prefix: string, from: number, count: number): string =>
  `{${Array.from({ length: count }, (_, i) => `${prefix}${from + i}`).join(", ")}}`;

/** A matrix in memory: so many elements from one line to the next. */
const place = (layout: string, stride: number, i: number, j: number): number =>
  layout === "row" ? i * stride + j : j * stride + i;

async function multiply(kind: Kind, a: string, b: string, c: string, space: "" | ".global" | ".shared"): Promise<void> {
  const { shape, ab, cd, registers } = kind;
  const [m, n, k] = shape;
  const narrow = (bitsOf[ab] ?? 8) < 8;
  const pad = narrow ? 0 : 128 / Math.min(16, bitsOf[ab] ?? 8);
  const strides = [(a === "row" ? k : m) + pad, (b === "col" ? k : n) + pad, (c === "row" ? n : m) + 8] as const;
  const [atB, atC] = [4096, 8192];
  const input = new Uint8Array(16384);
  const part = (from: number) => new DataView(input.buffer, from);
  for (let x = 0; x < k; x++) {
    for (let i = 0; i < m; i++) write(part(0), ab, place(a, strides[0], i, x), value(ab, i, x, 1));
    for (let j = 0; j < n; j++) write(part(atB), ab, place(b, strides[1], x, j), value(ab, x, j, 2));
  }
  for (let i = 0; i < m; i++) for (let j = 0; j < n; j++) write(part(atC), cd, place(c, strides[2], i, j), value("s32", i, j, 3));
  const name = `m${m}n${n}k${k}`;
  const [ra, rc] = [file(ab === "f64" ? "f64" : "b32"), file(cd)];
  const half = ab === "f16";
  const types = half ? `.${cd}.${cd}` : `.${cd}.${ab}.${ab}.${cd}`;
  const opcode =
    ab === "b1" ? `wmma.mma.xor.popc.sync.aligned.row.col.${name}${types}` : `wmma.mma.sync.aligned.${a}.${b}.${name}${types}`;
  const copies = Array.from(
    { length: 4 },
    (_, i) =>
      `  ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%d1+${16 * i}];\n  st.shared.v4.b32 [%r39+${16 * i}], {%r0, %r1, %r2, %r3};`,
  );
  const from = space === ".shared" ? "%d20" : "%in";
  const view = await runPtx({
    input,
    outputBytes: 8192,
    sharedBytes: 16384,
    body: `  {
  .reg .b32 %r<40>; .reg .f64 %g<40>; .reg .f32 %f<40>;
  mov.u64 %d20, smem;
  mov.u32 %r38, 0;
  mov.u32 %r39, smem;
  mad.lo.u32 %r39, %tid, 64, %r39;
  mad.wide.u32 %d1, %tid, 64, %in;
loop:
${copies.join("\n")}
  add.u32 %r38, %r38, 1;
  add.u32 %r39, %r39, 2048;
  add.u64 %d1, %d1, 2048;
  setp.lt.u32 %p1, %r38, 8;
  @%p1 bra loop;
  bar.sync 0;
  add.u64 %d2, ${from}, ${atB};
  add.u64 %d3, ${from}, ${atC};
  wmma.load.a.sync.aligned.${a}.${name}${space}.${ab} ${list(ra, 0, registers[0])}, [${from}], ${strides[0]};
  wmma.load.b.sync.aligned.${b}.${name}${space}.${ab} ${list(ra, 8, registers[1])}, [%d2], ${strides[1]};
  wmma.load.c.sync.aligned.${c}.${name}${space}.${cd} ${list(rc, 16, registers[2])}, [%d3], ${strides[2]};
  ${opcode} ${list(rc, 24, registers[2])}, ${list(ra, 0, registers[0])}, ${list(ra, 8, registers[1])}, ${list(rc, 16, registers[2])};
  wmma.store.d.sync.aligned.row.${name}.global.${cd} [%out], ${list(rc, 24, registers[2])};
  }`,
  });
  const wrong: string[] = [];
  for (let i = 0; i < m; i++) {
    for (let j = 0; j < n; j++) {
      let sum = value("s32", i, j, 3);
      for (let x = 0; x < k; x++) {
        const [p, q] = [value(ab, i, x, 1), value(ab, x, j, 2)];
        sum += ab === "b1" ? p ^ q : p * q;
      }
      const found = read(view, cd, i * n + j);
      if (found !== sum) wrong.push(`(${i}, ${j}): ${found}, not ${sum}`);
    }
  }
  expect(wrong).toEqual([]);
}

describe("wmma", () => {
  const cases = kinds.flatMap((kind) => {
    const narrow = (bitsOf[kind.ab] ?? 8) < 8;
    const pairs = narrow ? [["row", "col"] as const] : layouts.flatMap((a) => layouts.map((b) => [a, b] as const));
    return pairs.map(([a, b]) => [`m${kind.shape.join(" ")} ${kind.ab} ${kind.cd} ${a} ${b}`, kind, a, b] as const);
  });
  it.each(cases)("%s", (_, kind, a, b) => multiply(kind, a, b, a === b ? "row" : "col", ".global"));
  it("in shared memory", () => multiply(kinds[0] as Kind, "row", "col", "row", ".shared"));

  const store = (at: string, stride: number, block: number) =>
    runPtx({
      outputBytes: 4096,
      sharedBytes: 64,
      block: [block, 1, 1],
      body: `  .reg .f32 %f<9>;
  mov.f32 %f0, 0f00000000;
  add.u64 %d2, %out, ${at};
  wmma.store.d.sync.aligned.row.m16n16k8.global.f32 [%d2], {%f0, %f0, %f0, %f0, %f0, %f0, %f0, %f0}, ${stride};`,
    });
  it.each([
    ["16", 20, 32, undefined],
    ["8", 16, 32, /not at a multiple of 16 bytes|not a multiple of 16/],
    ["0", 18, 32, /72 bytes apart, which is no multiple of 16/],
    ["0", 16, 24, /fewer than 32 threads/],
  ] as const)("at byte %s, rows of %i elements, %i threads", async (at, stride, block, message) => {
    if (message) await expect(store(at, stride, block)).rejects.toThrow(message);
    else await store(at, stride, block);
  });
});

describe("cp.async", () => {
  it.each([17, -1])("cannot read %i of 16 bytes", (taken) =>
    expect(
      runPtx({
        input: new Uint8Array(64),
        outputBytes: 64,
        sharedBytes: 64,
        block: [1, 1, 1],
        body: `  mov.u32 %r1, smem;
  mov.u32 %r2, ${taken};
  cp.async.cg.shared.global [%r1], [%in], 16, %r2;`,
      }),
    ).rejects.toThrow(`has cp.async read ${taken} bytes of the 16 that it copies`),
  );
});
