/**
 * Matrix descriptors (PTX ISA 9.7.15.5): which 16 bytes of shared memory each row and column of B comes from. Every 16 bytes
 * hold their own number eight times, A is the unit matrix, so that D is B.
 */
import { count, defineFact, type Fact } from "./fact.ts";

const modes = { none: 0, "128B": 1, "64B": 2, "32B": 3 } as const;

interface Place {
  readonly mode: keyof typeof modes;
  /** Bytes from the beginning of shared memory, which is a multiple of 1024. */
  readonly start: number;
  readonly leading: number;
  readonly stride: number;
  readonly base?: number;
  /** B is not K-major. */
  readonly transposed?: boolean;
}

const n = 128;
const registers = n / 2;

const descriptor = ({ mode, leading, stride, base = 0 }: Place): bigint =>
  (BigInt(leading / 16) << 16n) | (BigInt(stride / 16) << 32n) | (BigInt(base) << 49n) | (BigInt(modes[mode]) << 62n);

const d = count(registers).map((i) => `%f${i}`);

const multiply = (place: Place, at: number): string => `
  add.u32 %r20, %smem, ${place.start}; and.b32 %r20, %r20, 0x3ffff; shr.u32 %r20, %r20, 4;
  cvt.u64.u32 %d20, %r20; or.b64 %d20, %d20, 0x${descriptor(place).toString(16)};
  wgmma.fence.sync.aligned;
  wgmma.mma_async.sync.aligned.m64n${n}k16.f32.f16.f16 {${d.join(", ")}}, {%r1, %r2, %r3, %r4}, %d20, 0, 1, 1, ${Number(place.transposed ?? false)};
  wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
  setp.ge.u32 %p2, %thread, 32; @%p2 bra kept${at};
  mul.wide.u32 %d21, %thread, ${4 * registers}; add.u64 %d21, %out, %d21;
  ${count(registers / 4)
    .map((i) => `st.global.v4.f32 [%d21+${32 * 4 * registers * at + 16 * i}], {${d.slice(4 * i, 4 * i + 4).join(", ")}};`)
    .join("\n  ")}
kept${at}:`;

const sharedBytes = 32768;

/** Warp 0 keeps rows 0 to 15 of D for each of the places. */
function describe(name: string, question: string, places: readonly Place[]): Fact {
  return defineFact({
    name: `descriptor/${name}`,
    question,
    block: 128,
    sharedBytes,
    words: places.length * 32 * registers,
    body: `mov.u32 %r10, %thread;
number:
  cvt.rn.f16.u32 %h1, %r10; mov.b32 %r11, {%h1, %h1}; shl.b32 %r12, %r10, 4; add.u32 %r12, %smem, %r12;
  st.shared.v4.u32 [%r12], {%r11, %r11, %r11, %r11};
  add.u32 %r10, %r10, 128; setp.lt.u32 %p1, %r10, ${sharedBytes / 16}; @%p1 bra number;
  fence.proxy.async; bar.sync 0;
  and.b32 %r5, %thread, 31; shr.u32 %r6, %r5, 2; and.b32 %r7, %r5, 3; shl.b32 %r7, %r7, 1; sub.u32 %r8, %r6, %r7;
  setp.eq.u32 %p3, %r8, 0; setp.eq.u32 %p4, %r8, 1;
  selp.b32 %r9, 0x3c000000, 0, %p4; selp.b32 %r1, 0x3c00, %r9, %p3;
  mov.u32 %r2, 0; mov.u32 %r3, 0; mov.u32 %r4, %r1;
  ${places.map(multiply).join("\n")}`,
  });
}

const starts = count(8);
const spans = { "128B": 8, "64B": 4, "32B": 2 } as const;
const swizzles = ["128B", "64B", "32B"] as const;
const dense = { "128B": 1024, "64B": 512, "32B": 256 } as const;

const rowsOf = (mode: (typeof swizzles)[number], base: (row: number) => number): readonly Place[] =>
  starts
    .slice(0, spans[mode])
    .map((row) => ({ mode, start: 2048 + 128 * row, leading: 16, stride: dense[mode], base: base(row) }));

export const descriptorFacts: readonly Fact[] = [
  ...swizzles.map((mode) =>
    describe(
      `start-in-pattern-${mode}`,
      `Which chunks does a K-major operand of ${mode} take that begins 0, 128, 256 … bytes into the pattern, with base offset 0?`,
      rowsOf(mode, () => 0),
    ),
  ),
  ...swizzles.map((mode) =>
    describe(
      `base-offset-${mode}`,
      `And with the base offset that the manual's formula gives, (address >> 7) & 7?`,
      rowsOf(mode, (row) => row),
    ),
  ),
  describe(
    "base-offset-128B-aligned",
    "Which chunks does a K-major operand of 128B take that begins at the pattern, with base offsets 0 to 7?",
    starts.map((base) => ({ mode: "128B", start: 2048, leading: 16, stride: 1024, base })),
  ),
  describe(
    "base-offset-transposed",
    "And one that is MN-major?",
    starts.map((base) => ({ mode: "128B", start: 2048 + 128 * base, leading: 4096, stride: 1024, base, transposed: true })),
  ),
  ...swizzles.map((mode) =>
    describe(
      `steps-${mode}`,
      `Which chunks do the K steps of a K-major operand of ${mode} take: 0, 32, 64, 96 bytes into the pattern?`,
      count(Math.max(1, Number.parseInt(mode, 10) / 32)).map((k) => ({
        mode,
        start: 1024 + 32 * k,
        leading: 16,
        stride: dense[mode],
      })),
    ),
  ),
  describe("leading-ignored", "Does the leading offset matter for a swizzled K-major operand?", [
    { mode: "128B", start: 0, leading: 0, stride: 1024 },
    { mode: "128B", start: 0, leading: 4096, stride: 1024 },
    { mode: "64B", start: 0, leading: 4096, stride: 512 },
    { mode: "32B", start: 0, leading: 4096, stride: 256 },
  ]),
  describe("plain", "Which offset is which without a swizzle, K-major and MN-major?", [
    { mode: "none", start: 1024, leading: 128, stride: 256 },
    { mode: "none", start: 1024, leading: 2048, stride: 128 },
    { mode: "none", start: 1024, leading: 128, stride: 256, transposed: true },
    { mode: "none", start: 1024, leading: 2048, stride: 128, transposed: true },
    { mode: "none", start: 1040, leading: 512, stride: 1024 },
  ]),
  describe(
    "transposed",
    "Which chunks does an MN-major operand take under each swizzle?",
    swizzles.flatMap((mode) => [
      { mode, start: 0, leading: 2048, stride: dense[mode], transposed: true },
      { mode, start: 1024, leading: dense[mode], stride: 8192, transposed: true },
    ]),
  ),
];
