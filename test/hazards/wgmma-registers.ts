/** Registers of wgmma (PTX ISA 9.7.15). Hand-written: in the language `mma` fences, and the compiler knows who reads when. */
import { type Hazard, ptxHazard } from "./hazard.ts";

/** Ones in 64 x 16 of A and 8 x 16 of B; `%d1` and `%d2` describe them: no swizzle, 128 bytes along K, 256 along M and N. */
const ones = `
  mov.u32 %r1, smem;
  mad.lo.u32 %r2, %tid, 16, %r1;
  mov.b32 %r3, 0x3c003c00;
  st.shared.v4.b32 [%r2], {%r3, %r3, %r3, %r3};
  setp.lt.u32 %p1, %tid, 16;
  @%p1 st.shared.v4.b32 [%r2+2048], {%r3, %r3, %r3, %r3};
  fence.proxy.async;
  bar.sync 0;
  shr.u32 %r4, %r1, 4;
  cvt.u64.u32 %d1, %r4;
  or.b64 %d1, %d1, 0x1000080000;
  add.u64 %d2, %d1, 128;`;

const zero = `
  mov.f32 %f0, 0f00000000;
  mov.f32 %f1, 0f00000000;
  mov.f32 %f2, 0f00000000;
  mov.f32 %f3, 0f00000000;`;

const multiply = (scale: number, a = "%d1"): string => {
  const tail = a === "%d1" ? "1, 1, 0, 0" : "1, 1, 0";
  return `wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, ${a}, %d2, ${scale}, ${tail};`;
};
const commit = "wgmma.commit_group.sync.aligned;";
const wait = (n: number): string => `wgmma.wait_group.sync.aligned ${n};`;

/** Each thread gives the first element of its part of D. */
const give = `
  cvt.rzi.s32.f32 %r9, %f0;
  mul.wide.u32 %d3, %tid, 4;
  add.u64 %d3, %out, %d3;
  st.global.u32 [%d3], %r9;`;

const noFence = (broken: boolean): string => `${ones}${zero}
  ${broken ? "" : "wgmma.fence.sync.aligned;"}
  ${multiply(1)} // reported: W9211
  ${commit}
  ${wait(0)}${give}`;

/** The accumulator is changed between two products. */
const noFenceAgain = (broken: boolean): string => `${ones}${zero}
  wgmma.fence.sync.aligned;
  ${multiply(1)}
  ${commit}
  ${wait(0)}
  add.f32 %f0, %f0, %f0;
  ${broken ? "" : "wgmma.fence.sync.aligned;"}
  ${multiply(1)} // reported: W9211
  ${commit}
  ${wait(0)}${give}`;

const readTooEarly = (broken: boolean): string => `${ones}
  wgmma.fence.sync.aligned;
  ${multiply(0)} // the other side
  ${commit}
  ${broken ? "" : wait(0)}
  add.f32 %f0, %f0, %f0; // reported: W9210
  ${wait(0)}${give}`;

const waitTooShallow = (broken: boolean): string => `${ones}
  wgmma.fence.sync.aligned;
  ${multiply(0)} // the other side
  ${commit}
  ${wait(broken ? 1 : 0)}
  add.f32 %f0, %f0, %f0; // reported: W9210
  ${wait(0)}${give}`;

/** A from registers; the next one is prepared while the product still reads them. */
const operandOverwritten = (broken: boolean): string => `${ones}
  mov.b32 %r10, 0x3c003c00;
  mov.b32 %r11, 0x3c003c00;
  mov.b32 %r12, 0x3c003c00;
  mov.b32 %r13, 0x3c003c00;
  wgmma.fence.sync.aligned;
  ${multiply(0, "{%r10, %r11, %r12, %r13}")} // the other side
  ${commit}
  ${broken ? "" : wait(0)}
  mov.b32 %r10, 0; // reported: W9210
  ${wait(0)}${give}`;

/** The first product of a chain adds to what happens to be there. */
const accumulatesGarbage = (broken: boolean): string => `${ones}
  wgmma.fence.sync.aligned;
  ${multiply(broken ? 1 : 0)} // reported: W9218
  ${commit}
  ${wait(0)}${give}`;

const block = [128, 1, 1] as const;
const all = (value: number): number[] => new Array<number>(128).fill(value);
const of = (name: string, classes: readonly number[], body: (broken: boolean) => string, value: number): Hazard =>
  ptxHazard({ name, classes, body, expected: all(value), block, sharedBytes: 4096 });

export const wgmmaRegisters: readonly Hazard[] = [
  of("registers/no-fence", [34], noFence, 16),
  of("registers/no-fence-again", [34], noFenceAgain, 48),
  of("registers/read-too-early", [35], readTooEarly, 32),
  of("registers/wait-too-shallow", [35, 38], waitTooShallow, 32),
  of("registers/operand-overwritten", [36], operandOverwritten, 16),
  of("registers/accumulates-garbage", [43], accumulatesGarbage, 16),
];
