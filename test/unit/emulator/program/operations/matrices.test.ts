import { describe, expect, it } from "vitest";
import { runPtx } from "../../run-ptx.ts";

/** Row and column of element i of a lane: `g` = lane / 4, `t` = lane % 4. As PTX ISA 9.7.14.5 writes them, shape by shape. */
type Formula = (i: number, g: number, t: number) => readonly [number, number];

interface Kind {
  readonly shape: readonly [number, number, number];
  readonly type: string;
  readonly d: string;
  /** Bits of an element of A and B. */
  readonly bits: number;
  readonly a: Formula;
  readonly b: Formula;
  readonly after?: string;
}

const [m8, m16] = [8, 16];
const c16: Formula = (i, g, t) => [i < 2 ? g : g + 8, 2 * t + (i & 1)];
const c8: Formula = (i, g, t) => [g, 2 * t + (i & 1)];

const half8 = {
  a: (i, g, t) => [i < 2 ? g : g + 8, 2 * t + (i & 1)],
  b: (i, g, t) => [2 * t + (i & 1), g],
} satisfies Pick<Kind, "a" | "b">;
const half16 = {
  a: (i, g, t) => [i < 2 || (i >= 4 && i < 6) ? g : g + 8, 2 * t + (i & 1) + (i < 4 ? 0 : 8)],
  b: (i, g, t) => [2 * t + (i & 1) + (i < 2 ? 0 : 8), g],
} satisfies Pick<Kind, "a" | "b">;
const word4 = { a: (i, g, t) => [i === 0 ? g : g + 8, t], b: (_, g, t) => [t, g] } satisfies Pick<Kind, "a" | "b">;
const word8 = {
  a: (i, g, t) => [i % 2 === 0 ? g : g + 8, i < 2 ? t : t + 4],
  b: (i, g, t) => [i === 0 ? t : t + 4, g],
} satisfies Pick<Kind, "a" | "b">;
const byte16 = {
  a: (i, g, t) => [i < 4 ? g : g + 8, 4 * t + (i & 3)],
  b: (i, g, t) => [4 * t + (i & 3), g],
} satisfies Pick<Kind, "a" | "b">;
const byte32 = {
  a: (i, g, t) => [i < 4 || (i >= 8 && i < 12) ? g : g + 8, 4 * t + (i & 3) + (i < 8 ? 0 : 16)],
  b: (i, g, t) => [4 * t + (i & 3) + (i < 4 ? 0 : 16), g],
} satisfies Pick<Kind, "a" | "b">;
const nibble64 = {
  a: (i, g, t) => [i < 8 || (i >= 16 && i < 24) ? g : g + 8, 8 * t + (i & 7) + (i < 16 ? 0 : 32)],
  b: (i, g, t) => [8 * t + (i & 7) + (i < 8 ? 0 : 32), g],
} satisfies Pick<Kind, "a" | "b">;
const bit256 = {
  a: (i, g, t) => [i < 32 || (i >= 64 && i < 96) ? g : g + 8, 32 * t + (i & 31) + (i < 64 ? 0 : 128)],
  b: (i, g, t) => [32 * t + (i & 31) + (i < 32 ? 0 : 128), g],
} satisfies Pick<Kind, "a" | "b">;

const kinds: readonly Kind[] = [
  { shape: [m16, 8, 8], type: "f16", d: "f16", bits: 16, ...half8 },
  { shape: [m16, 8, 16], type: "f16", d: "f32", bits: 16, ...half16 },
  { shape: [m16, 8, 16], type: "f16", d: "f16", bits: 16, ...half16 },
  { shape: [m16, 8, 8], type: "bf16", d: "f32", bits: 16, ...half8 },
  { shape: [m16, 8, 16], type: "bf16", d: "f32", bits: 16, ...half16 },
  { shape: [m16, 8, 4], type: "tf32", d: "f32", bits: 32, ...word4 },
  { shape: [m16, 8, 8], type: "tf32", d: "f32", bits: 32, ...word8 },
  { shape: [m16, 8, 16], type: "s8", d: "s32", bits: 8, ...byte16 },
  { shape: [m16, 8, 32], type: "u8", d: "s32", bits: 8, ...byte32 },
  { shape: [m8, 8, 16], type: "s8", d: "s32", bits: 8, a: (i, g, t) => [g, 4 * t + i], b: (i, g, t) => [4 * t + i, g] },
  { shape: [m16, 8, 64], type: "s4", d: "s32", bits: 4, ...nibble64 },
  { shape: [m8, 8, 32], type: "u4", d: "s32", bits: 4, a: (i, g, t) => [g, 8 * t + i], b: (i, g, t) => [8 * t + i, g] },
  { shape: [m16, 8, 256], type: "b1", d: "s32", bits: 1, ...bit256, after: ".and.popc" },
  { shape: [m16, 8, 256], type: "b1", d: "s32", bits: 1, ...bit256, after: ".xor.popc" },
  { shape: [m8, 8, 4], type: "f64", d: "f64", bits: 64, a: (_, g, t) => [g, t], b: (_, g, t) => [t, g] },
  { shape: [m16, 8, 4], type: "f64", d: "f64", bits: 64, ...word4 },
  { shape: [m16, 8, 8], type: "f64", d: "f64", bits: 64, ...word8 },
  {
    ...{ shape: [m16, 8, 16], type: "f64", d: "f64", bits: 64 },
    a: (i, g, t) => [i % 2 === 0 ? g : g + 8, t + 4 * (i >> 1)],
    b: (i, g, t) => [t + 4 * i, g],
  },
  { shape: [m16, 8, 32], type: "e4m3", d: "f32", bits: 8, ...byte32 },
];

/** Whole numbers of a few bits, by the place. */
function small(type: string, i: number, j: number, salt: number): number {
  const x = (i * 7 + j * 13 + salt + ((i * j) >> 1)) % 16;
  if (type === "b1") return x & 1;
  return type.startsWith("u") ? x % 7 : (x % 7) - 3;
}
function bitsOf(type: string, x: number): number | bigint {
  const view = new DataView(new ArrayBuffer(8));
  if (type === "f64") {
    view.setFloat64(0, x);
    return view.getBigUint64(0);
  }
  view.setFloat32(0, x);
  const f32 = view.getUint32(0);
  if (type === "f32" || type === "tf32") return f32;
  if (type === "bf16") return f32 >>> 16;
  // Whole numbers below 8 are exact in every float: sign, exponent, the highest bits of the mantissa.
  const e = ((f32 >>> 23) & 255) - 127;
  if (type === "f16") return x === 0 ? 0 : ((f32 >>> 31) << 15) | ((e + 15) << 10) | ((f32 >>> 13) & 0x3ff);
  if (type === "e4m3") return x === 0 ? 0 : ((f32 >>> 31) << 7) | ((e + 7) << 3) | ((f32 >>> 20) & 7);
  return x;
}
const widthOf = (d: string): number => (d === "f64" ? 64 : d === "f16" ? 16 : 32);

const register = (type: string): string => (type === "f64" ? "%g" : type === "f32" ? "%f" : "%r");
const list = (prefix: string, from: number, count: number): string =>
  `{${Array.from({ length: count }, (_, i) => `${prefix}${from + i}`).join(", ")}}`;

/** One operand of one lane as bytes, its elements one after the other. */
function put(bytes: Uint8Array, at: number, bits: number, i: number, value: number | bigint): void {
  for (let b = 0; b < bits; b++) {
    const one = Number((BigInt(value) >> BigInt(b)) & 1n);
    const place = i * bits + b;
    bytes[at + (place >> 3)]! |= one << (place & 7);
  }
}

describe("mma.sync", () => {
  it.each(
    kinds.map(
      (kind) => [`m${kind.shape.join("n").replace(/n(\d+)$/, "k$1")} ${kind.type} ${kind.d}${kind.after ?? ""}`, kind] as const,
    ),
  )("%s", async (_, kind) => {
    const { shape, type, d, bits, after = "" } = kind;
    const [m, n, k] = shape;
    const c = m === 8 ? c8 : c16;
    const counts = [(m * k) / 32, (n * k) / 32, (m * n) / 32] as const;
    const sizes = [(counts[0] * bits) / 8, (counts[1] * bits) / 8, (counts[2] * widthOf(d)) / 8];
    const stride = sizes.reduce((a, b) => a + b);
    const input = new Uint8Array(32 * stride);
    for (let lane = 0; lane < 32; lane++) {
      const [g, t] = [lane >> 2, lane & 3];
      for (let i = 0; i < counts[0]; i++) put(input, lane * stride, bits, i, bitsOf(type, small(type, ...kind.a(i, g, t), 1)));
      for (let i = 0; i < counts[1]; i++) {
        put(input, lane * stride + sizes[0]!, bits, i, bitsOf(type, small(type, ...kind.b(i, g, t), 5)));
      }
      for (let i = 0; i < counts[2]; i++) {
        put(input, lane * stride + sizes[0]! + sizes[1]!, widthOf(d), i, bitsOf(d, small("s32", ...c(i, g, t), 9)));
      }
    }
    const load = (prefix: string, from: number, size: number, at: number) => {
      const width = prefix === "%g" ? 8 : 4;
      return Array.from(
        { length: size / width },
        (_, i) => `  ld.global.b${8 * width} ${prefix}${from + i}, [%d1+${at + width * i}];`,
      );
    };
    const [ra, rd] = [register(type === "f64" ? "f64" : "b32"), register(d)];
    const per = rd === "%g" ? 8 : 4;
    const [na, nb, nc] = [sizes[0]! / per || 1, sizes[1]! / per || 1, sizes[2]! / per];
    const view = await runPtx({
      input,
      outputBytes: 32 * sizes[2]!,
      body: `  {
  .reg .b32 %r<40>; .reg .f64 %g<40>; .reg .f32 %f<40>;
  mad.wide.u32 %d1, %tid, ${stride}, %in;
${[...load(ra, 0, sizes[0]!, 0), ...load(ra, 16, sizes[1]!, sizes[0]!), ...load(rd, 24, sizes[2]!, sizes[0]! + sizes[1]!)].join("\n")}
  mma.sync.aligned.m${m}n${n}k${k}.row.col.${d}.${type}.${type}.${d}${after} ${list(rd, 32, nc)}, ${list(ra, 0, na)}, ${list(ra, 16, nb)}, ${list(rd, 24, nc)};
  mad.wide.u32 %d2, %tid, ${sizes[2]}, %out;
${Array.from({ length: nc }, (_, i) => `  st.global.b${8 * per} [%d2+${per * i}], ${rd}${32 + i};`).join("\n")}
  }`,
    });
    const product = (i: number, j: number): number => {
      let sum = small("s32", i, j, 9);
      for (let x = 0; x < k; x++) {
        const [a, b] = [small(type, i, x, 1), small(type, x, j, 5)];
        sum += after.startsWith(".xor") ? a ^ b : a * b;
      }
      return sum;
    };
    for (let lane = 0; lane < 32; lane++) {
      for (let i = 0; i < counts[2]; i++) {
        const at = lane * sizes[2]! + (i * widthOf(d)) / 8;
        const expected = product(...(c(i, lane >> 2, lane & 3) as [number, number]));
        const found =
          d === "f64"
            ? view.getFloat64(at, true)
            : d === "f32"
              ? view.getFloat32(at, true)
              : d === "s32"
                ? view.getInt32(at, true)
                : view.getUint16(at, true);
        expect(found, `lane ${lane}, ${i}`).toBe(d === "f16" ? bitsOf("f16", expected) : expected);
      }
    }
  });

  it("m8n8k4 of f16: four products of two quads of lanes each", async () => {
    // A by rows, B by columns: lane holds row or column lane % 4 (+ 4 from lane 16 on). C f32 as PTX ISA 9.7.14.5.1 has it.
    const input = new Uint8Array(32 * 16);
    const view = new DataView(input.buffer);
    const line = (lane: number) => (lane & 3) + (lane >= 16 ? 4 : 0);
    const quad = (lane: number) => (lane >> 2) & 3;
    for (let lane = 0; lane < 32; lane++) {
      for (let i = 0; i < 4; i++) {
        view.setUint16(16 * lane + 2 * i, Number(bitsOf("f16", small("s8", line(lane), i, quad(lane)))), true);
        view.setUint16(16 * lane + 8 + 2 * i, Number(bitsOf("f16", small("s8", line(lane), i, 5 + quad(lane)))), true);
      }
    }
    const out = await runPtx({
      input,
      outputBytes: 32 * 32,
      body: `  mad.wide.u32 %d1, %tid, 16, %in;
  ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%d1];
  mov.f32 %f8, 1.0;
  mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, {%r1, %r2}, {%r3, %r4}, {%f8, %f8, %f8, %f8, %f8, %f8, %f8, %f8};
  mad.wide.u32 %d2, %tid, 32, %out;
  st.global.v4.f32 [%d2], {%f0, %f1, %f2, %f3};
  st.global.v4.f32 [%d2+16], {%f4, %f5, %f6, %f7};`,
    });
    for (let lane = 0; lane < 32; lane++) {
      for (let i = 0; i < 8; i++) {
        const row = (lane & 1) + (i & 2) + (lane >= 16 ? 4 : 0);
        const column = (i & 4) + (lane & 2) + (i & 1);
        let sum = 1;
        for (let x = 0; x < 4; x++) sum += small("s8", row, x, quad(lane)) * small("s8", column, x, 5 + quad(lane));
        expect(out.getFloat32(32 * lane + 4 * i, true), `lane ${lane}, ${i}`).toBe(sum);
      }
    }
  });
});

describe("movmatrix", () => {
  it("exchanges rows and columns", async () => {
    const view = await runPtx({
      outputBytes: 128,
      body: `  mul.lo.u32 %r1, %tid, 2;
  add.u32 %r2, %r1, 1;
  shl.b32 %r2, %r2, 16;
  or.b32 %r1, %r1, %r2;
  movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r1;
  mad.wide.u32 %d1, %tid, 4, %out;
  st.global.u32 [%d1], %r1;`,
    });
    // Element (i, j) was 8 i + j.
    const found = Array.from({ length: 64 }, (_, i) => view.getUint16(2 * i, true));
    expect(found).toEqual(Array.from({ length: 64 }, (_, i) => 8 * (i & 7) + (i >> 3)));
  });
});

describe("wgmma of bits", () => {
  /** Byte of row r, byte b of 32, in a tile without a swizzle: chunks of 16 bytes 128 apart, eights of rows 256. */
  const at = (r: number, b: number): number => 256 * (r >> 3) + 128 * (b >> 4) + 16 * (r & 7) + (b & 15);
  const bytesOf = (rows: number, salt: number) => {
    const rowOf = (r: number) => Array.from({ length: 32 }, (_, b) => (37 * r + 101 * b + salt + ((r * b) >> 1)) & 255);
    return Array.from({ length: rows }, (_, r) => rowOf(r));
  };
  const ones = (x: number): number => x.toString(2).replaceAll("0", "").length;

  it.each([false, true])("counts common bits, A in registers: %s", async (inRegisters) => {
    const [a, b] = [bytesOf(64, 1), bytesOf(8, 77)];
    const input = new Uint8Array(4096);
    for (let i = 0; i < 32; i++) {
      for (let r = 0; r < 64; r++) input[at(r, i)] = a[r]![i]!;
      for (let r = 0; r < 8; r++) input[2048 + at(r, i)] = b[r]![i]!;
    }
    // Register i of A: row 16 w + g + 8 (i % 2), bytes 4 t + 16 (i / 2) to the next four.
    const fragment = `  shr.u32 %r20, %tid, 2;
  and.b32 %r20, %r20, 7;
  shr.u32 %r21, %tid, 5;
  mad.lo.u32 %r22, %r21, 512, %r30;
  mad.lo.u32 %r22, %r20, 16, %r22;
  and.b32 %r23, %tid, 3;
  mad.lo.u32 %r22, %r23, 4, %r22;
  ld.shared.b32 %r4, [%r22];
  ld.shared.b32 %r5, [%r22+256];
  ld.shared.b32 %r6, [%r22+128];
  ld.shared.b32 %r7, [%r22+384];`;
    const view = await runPtx({
      input,
      outputBytes: 128 * 16,
      block: [128, 1, 1],
      sharedBytes: 4096,
      body: `  mov.u32 %r30, smem;
  mad.wide.u32 %d1, %tid, 32, %in;
  mad.lo.u32 %r10, %tid, 32, %r30;
  ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%d1];
  st.shared.v4.b32 [%r10], {%r0, %r1, %r2, %r3};
  ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%d1+16];
  st.shared.v4.b32 [%r10+16], {%r0, %r1, %r2, %r3};
  fence.proxy.async.shared::cta;
  bar.sync 0;
  shr.u32 %r11, %r30, 4;
  cvt.u64.u32 %d2, %r11;
  or.b64 %d2, %d2, 0x0000001000080000;
  add.u64 %d3, %d2, 128;
${inRegisters ? fragment : ""}
  mov.b32 %r0, 5;
  mov.b32 %r1, 6;
  mov.b32 %r2, 7;
  mov.b32 %r3, 8;
  setp.eq.u32 %p1, 0, 0;
  wgmma.fence.sync.aligned;
  wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1.and.popc {%r0, %r1, %r2, %r3}, ${inRegisters ? "{%r4, %r5, %r6, %r7}" : "%d2"}, %d3, %p1;
  wgmma.commit_group.sync.aligned;
  wgmma.wait_group.sync.aligned 0;
  mad.wide.u32 %d4, %tid, 16, %out;
  st.global.v4.b32 [%d4], {%r0, %r1, %r2, %r3};`,
    });
    for (let thread = 0; thread < 128; thread++) {
      for (let i = 0; i < 4; i++) {
        const row = 16 * (thread >> 5) + ((thread & 31) >> 2) + 8 * (i >> 1);
        const column = 2 * (thread & 3) + (i & 1);
        const common = a[row]!.reduce((sum, x, k) => sum + ones(x & b[column]![k]!), 5 + i);
        expect(view.getInt32(16 * thread + 4 * i, true), `thread ${thread}, ${i}`).toBe(common);
      }
    }
  });
});
