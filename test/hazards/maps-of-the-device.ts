/** Tensor maps that a kernel makes itself, and matrix descriptors that do not go with them. Hand-written. */
import { type Hazard, ptxHazard } from "./hazard.ts";

/** A matrix of ones, 64 x 16 of f16, and behind it room for a map. */
const input = new Uint8Array(2048 + 128);
new Uint16Array(input.buffer, 0, 1024).fill(0x3c00);

/** The fields of a map of that matrix, rows of 32 bytes in a pattern of as many (PTX ISA 9.7.9.26, Table 33). */
const fields: readonly (readonly [field: string, value: string, wide?: true])[] = [
  ["global_address", "%in", true],
  ["rank", "1"],
  ["box_dim 0", "16"],
  ["box_dim 1", "64"],
  ["global_dim 0", "16"],
  ["global_dim 1", "64"],
  ["global_stride 0", "32", true],
  ["element_stride 0", "1"],
  ["element_stride 1", "1"],
  ["elemtype", "6"],
  ["interleave_layout", "0"],
  ["swizzle_mode", "1"],
  ["fill_mode", "0"],
];

const listed: ReadonlySet<string> = new Set(["elemtype", "interleave_layout", "swizzle_mode", "fill_mode"]);

const replaced = fields.map(([name, value, wide]) => {
  const [field, ordinal] = name.split(" ");
  const register = wide ? "%d10" : "%r11";
  const place = ordinal === undefined ? "" : `${ordinal}, `;
  // Of a list of values: constants alone.
  if (listed.has(name)) return `  tensormap.replace.tile.${field}.shared::cta.b1024.b32 [%r10], ${value};`;
  return `  mov.b${wide ? 64 : 32} ${register}, ${value};
  tensormap.replace.tile.${field}.shared::cta.b1024.b${wide ? 64 : 32} [%r10], ${place}${register};`;
});

/** Thread 0 makes the map at `smem`, the first warp publishes it behind the matrix, at `%d20`; `acquire` by the thread that uses it. */
const made = (acquire: string): string => `
  mov.u32 %r10, smem;
  mov.u32 %r12, 0;
  add.u64 %d20, %in, 2048;
  setp.eq.u32 %p1, %tid, 0;
  setp.gt.u32 %p2, %tid, 31;
  @!%p1 bra built;
${Array.from({ length: 8 }, (_, i) => `  st.shared.v4.b32 [%r10+${16 * i}], {%r12, %r12, %r12, %r12};`).join("\n")}
${replaced.join("\n")}
  mbarrier.init.shared::cta.b64 [%r10+128], 1;
  fence.mbarrier_init.release.cluster;
built:
  bar.sync 0;
  @%p2 bra published;
  tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%d20], [%r10], 128; // the other side
  ${acquire}
published:`;

const acquired = "fence.proxy.tensormap::generic.acquire.gpu [%d20], 128;";

const loaded = `
  @!%p1 bra issued;
  mbarrier.arrive.expect_tx.shared::cta.b64 %d21, [%r10+128], 2048;
  cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r10+1024], [%d20, {%r12, %r12}], [%r10+128]; // LOAD
issued:
again:
  mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r10+128], 0;
  @!%p3 bra again;`;

const give = `
  mul.wide.u32 %d3, %tid, 4;
  add.u64 %d3, %out, %d3;
  st.global.u32 [%d3], %r5;`;

const notAcquired = (broken: boolean): string => `${made(broken ? "" : acquired)}${loaded.replace("LOAD", "reported: W9223")}
  mad.lo.u32 %r6, %tid, 4, %r10;
  ld.shared.u32 %r5, [%r6+1024];${give}`;

/** The descriptor says no swizzle; the map has one of 32 bytes. */
const otherSwizzle = (
  broken: boolean,
): string => `${made(acquired).replace(" // the other side", "")}${loaded.replace("LOAD", "the other side")}
  add.u32 %r4, %r10, 1024;
  shr.u32 %r4, %r4, 4;
  cvt.u64.u32 %d1, %r4;
  or.b64 %d1, %d1, ${broken ? "0x1000080000" : "0xC000001000080000"};
  wgmma.fence.sync.aligned;
  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d1, %d1, 0, 1, 1, 0, 0; // reported: W9222
  wgmma.commit_group.sync.aligned;
  wgmma.wait_group.sync.aligned 0;
  cvt.rzi.s32.f32 %r5, %f0;${give}`;

const block = [128, 1, 1] as const;
const all = (value: number): number[] => new Array<number>(128).fill(value);

export const mapsOfTheDevice: readonly Hazard[] = [
  ptxHazard({
    name: "device-maps/not-acquired",
    classes: [32],
    body: notAcquired,
    expected: all(0x3c003c00),
    block,
    input,
    sharedBytes: 4096,
  }),
  ptxHazard({
    name: "device-maps/other-swizzle",
    classes: [40, 57],
    body: otherSwizzle,
    expected: all(16),
    block,
    input,
    sharedBytes: 4096,
  }),
];
