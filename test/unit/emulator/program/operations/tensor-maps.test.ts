import { describe, expect, it } from "vitest";
import { runPtx } from "../../run-ptx.ts";

/** Fills the 128 bytes at `%r10` in shared memory with a map of 2 dimensions, as one thread. */
const build = (fields: Readonly<Record<string, string>>): string => {
  const values: Readonly<Record<string, string>> = {
    global_address: "%in",
    rank: "1",
    "box_dim 0": "8",
    "box_dim 1": "4",
    "global_dim 0": "12",
    "global_dim 1": "6",
    "global_stride 0": "64",
    "element_stride 0": "1",
    "element_stride 1": "1",
    elemtype: "2",
    interleave_layout: "0",
    swizzle_mode: "0",
    fill_mode: "0",
    ...fields,
  };
  const lines = Object.entries(values).map(([name, value]) => {
    const [field = "", ordinal] = name.split(" ");
    const wide = field === "global_address" || field === "global_stride";
    const register = wide ? "%d10" : "%r11";
    return `  mov.b${wide ? 64 : 32} ${register}, ${value};
  tensormap.replace.tile.${field}.shared::cta.b1024.b${wide ? 64 : 32} [%r10], ${ordinal === undefined ? "" : `${ordinal}, `}${register};`;
  });
  const zeros = Array.from({ length: 8 }, (_, i) => `  st.shared.v4.b32 [%r10+${16 * i}], {%r12, %r12, %r12, %r12};`);
  return `  mov.u32 %r10, smem;
  mov.u32 %r12, 0;
${[...zeros, ...lines].join("\n")}`;
};

/** Publishes the map behind the output, loads a box at (4, 4) into shared memory and copies it to the output. */
const load = (after = ""): string => `  setp.ne.u32 %p1, %tid, 0;
  @%p1 bra built;
${build({})}
built:
  bar.warp.sync 0xffffffff;
  mov.u32 %r10, smem;
  add.u64 %d20, %out, 256;
  tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%d20], [%r10], 128;
  fence.proxy.tensormap::generic.acquire.gpu [%d20], 128;
  @%p1 bra done;
${after}
  add.u32 %r13, %r10, 128;
  add.u32 %r14, %r10, 1024;
  mbarrier.init.shared::cta.b64 [%r13], 1;
  mbarrier.arrive.expect_tx.shared::cta.b64 %d21, [%r13], 128;
  mov.u32 %r15, 4;
  cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r14], [%d20, {%r15, %r15}], [%r13];
wait:
  mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r13], 0;
  @!%p2 bra wait;
  mov.u32 %r16, 0;
copy:
  add.u32 %r17, %r14, %r16;
  ld.shared.u32 %r18, [%r17];
  cvt.u64.u32 %d22, %r16;
  add.u64 %d22, %out, %d22;
  st.global.u32 [%d22], %r18;
  add.u32 %r16, %r16, 4;
  setp.lt.u32 %p3, %r16, 128;
  @%p3 bra copy;
done:`;

const words = new Uint8Array(Uint32Array.from({ length: 16 * 8 }, (_, i) => i + 1).buffer);
const box = (columns: number, rows: number): number[] =>
  Array.from({ length: 32 }, (_, i) => {
    const [x, y] = [4 + (i % 8), 4 + Math.floor(i / 8)];
    return x < columns && y < rows ? 16 * y + x + 1 : 0;
  });
const boxOf = (view: DataView): number[] => Array.from({ length: 32 }, (_, i) => view.getUint32(4 * i, true));

describe("fields that no map has", () => {
  const set = (fields: Readonly<Record<string, string>>) =>
    runPtx({ outputBytes: 1024, sharedBytes: 4096, block: [1, 1, 1], body: build(fields) });
  it.each([
    [{ "global_dim 1": "0" }, /set extent 1 of a tensor map to 0/],
    [{ "global_stride 0": "24" }, /set stride 0, in bytes, of a tensor map to 24/],
    [{ "global_stride 0": "0x10000000000" }, /which is not a multiple of 16 below 2\^40/],
    [{ global_address: "0x1000000004" }, /set the address of a tensor map to 68719476740/],
  ])("%o", (fields, message) => expect(set(fields)).rejects.toThrow(message));
  it("a place that is no multiple of 128 bytes", () =>
    expect(
      runPtx({ input: words, outputBytes: 1024, sharedBytes: 4096, body: load().replaceAll("%out, 256", "%out, 320") }),
    ).rejects.toThrow(/W9009|not a multiple of 128/));
});

describe("tensormap.replace", () => {
  it("makes a map of zeros, which is published and loaded through", async () => {
    const view = await runPtx({ input: words, outputBytes: 384, sharedBytes: 4096, body: load() });
    expect(boxOf(view)).toEqual(box(12, 6));
  });
  it("changes a map in global memory", async () => {
    const change = `  mov.b32 %r11, 9;
  tensormap.replace.tile.global_dim.global.b1024.b32 [%d20], 0, %r11;
  tensormap.replace.tile.global_dim.b1024.b32 [%d20], 1, 8;`;
    const view = await runPtx({ input: words, outputBytes: 384, sharedBytes: 4096, body: load(change) });
    expect(boxOf(view)).toEqual(box(9, 8));
  });
  it.each([
    ["a value that the field has not", { swizzle_mode: "7" }, "W9003", /7/],
    ["a type that flushes subnormal numbers", { elemtype: "8" }, "W9003", /tensor map/],
  ])("refuses %s", async (_, fields, code, message) => {
    const body = `  setp.ne.u32 %p1, %tid, 0;\n  @%p1 bra done;\n${build(fields)}\ndone:`;
    await expect(runPtx({ outputBytes: 16, sharedBytes: 4096, body })).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });
  it("refuses bytes that are no map", async () => {
    const body = `  setp.ne.u32 %p1, %tid, 0;
  @%p1 bra done;
  mov.u32 %r10, smem;
  st.shared.u32 [%r10+100], 5;
  tensormap.replace.tile.rank.shared::cta.b1024.b32 [%r10], 1;
done:`;
    await expect(runPtx({ outputBytes: 16, sharedBytes: 4096, body })).rejects.toMatchObject({ code: "W9110" });
  });
  it("refuses an im2col map: it is for maps of boxes", async () => {
    const body = `  setp.ne.u32 %p1, %tid, 0;
  @%p1 bra done;
${build({})}
  st.shared.u8 [%r10+8], 0xb1;
  tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r10], 0, 4;
done:`;
    await expect(runPtx({ outputBytes: 16, sharedBytes: 4096, body })).rejects.toMatchObject({
      code: "W9003",
      message: expect.stringMatching(/im2col/),
    });
  });
});

describe("st.async and red.async", () => {
  it("write into the peer's shared memory and complete on its barrier", async () => {
    const view = await runPtx({
      grid: [2, 1, 1],
      cluster: [2, 1, 1],
      block: [1, 1, 1],
      sharedBytes: 256,
      outputBytes: 64,
      body: `  mov.u32 %r1, smem;
  mov.u32 %r2, %cluster_ctarank;
  mbarrier.init.shared::cta.b64 [%r1], 1;
  mov.u32 %r3, 100;
  st.shared.u32 [%r1+48], %r3;
  fence.mbarrier_init.release.cluster;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  xor.b32 %r4, %r2, 1;
  mapa.shared::cluster.u32 %r5, %r1, %r4;
  mbarrier.arrive.expect_tx.shared::cta.b64 %d1, [%r1], 36;
  add.u32 %r6, %r5, 16;
  mul.wide.u32 %d2, %r2, 1000;
  add.u64 %d2, %d2, 0x500000007;
  mov.u32 %r7, 11;
  mov.u32 %r8, 12;
  mov.f32 %f1, 2.5;
  mov.b32 %r9, %f1;
  st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%r6], {%r7, %r8, %r9, %r2}, [%r5];
  st.async.shared::cluster.mbarrier::complete_tx::bytes.u64 [%r6+16], %d2, [%r5];
  st.async.shared::cluster.mbarrier::complete_tx::bytes.f32 [%r6+24], %f1, [%r5];
  st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r6+28], 77, [%r5];
  red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r6+32], %r7, [%r5];
wait:
  mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], 0;
  @!%p1 bra wait;
  setp.ne.u32 %p2, %r2, 0;
  @%p2 bra done;
  ld.shared.v4.b32 {%r20, %r21, %r22, %r23}, [%r1+16];
  st.global.v4.b32 [%out], {%r20, %r21, %r22, %r23};
  ld.shared.v4.b32 {%r20, %r21, %r22, %r23}, [%r1+32];
  st.global.v4.b32 [%out+16], {%r20, %r21, %r22, %r23};
  ld.shared.b32 %r20, [%r1+48];
  st.global.b32 [%out+32], %r20;
done:
  barrier.cluster.arrive;
  barrier.cluster.wait;`,
    });
    const word = (i: number) => view.getUint32(4 * i, true);
    expect([0, 1, 3, 7, 8].map(word)).toEqual([11, 12, 1, 77, 111]);
    expect([2, 6].map((i) => view.getFloat32(4 * i, true))).toEqual([2.5, 2.5]);
    expect(view.getBigUint64(16, true)).toBe(0x500000007n + 1000n);
  });
});

describe("atomics of vectors", () => {
  it("add to each element, and give what was there", async () => {
    const view = await runPtx({
      input: new Uint8Array(Float32Array.of(1, 2, 3, 4).buffer),
      outputBytes: 64,
      block: [1, 1, 1],
      body: `  ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%in];
  st.global.v4.f32 [%out], {%f1, %f2, %f3, %f4};
  atom.global.v4.f32.add {%f5, %f6, %f7, %f8}, [%out], {%f4, %f3, %f2, %f1};
  st.global.v4.f32 [%out+16], {%f5, %f6, %f7, %f8};
  red.global.v2.f32.add [%out+8], {%f1, %f1};
  mov.b32 %r1, 0x40003c00;
  st.global.v2.b32 [%out+32], {%r1, %r1};
  mov.b32 %r2, 0x3c003c00;
  red.global.v2.f16x2.add.noftz [%out+32], {%r2, %r1};
  mov.b16 %h1, 0x3f80;
  st.global.v2.b16 [%out+40], {%h1, %h1};
  atom.global.v2.bf16.max.noftz {%h2, %h3}, [%out+40], {%h1, 0x4000};
  st.global.v2.b16 [%out+44], {%h2, %h3};`,
    });
    const floats = (at: number) => [0, 4, 8, 12].map((i) => view.getFloat32(at + i, true));
    expect([floats(0), floats(16)]).toEqual([
      [5, 5, 6, 6],
      [1, 2, 3, 4],
    ]);
    expect([32, 36, 40, 44].map((at) => view.getUint32(at, true))).toEqual([0x42004000, 0x44004000, 0x40003f80, 0x3f803f80]);
  });
  it("sums of f32 flush in global memory, and do not in shared memory", async () => {
    const view = await runPtx({
      outputBytes: 16,
      sharedBytes: 64,
      block: [1, 1, 1],
      body: `  mov.u32 %r1, smem;
  mov.b32 %f1, 0x00000003;
  st.shared.f32 [%r1], %f1;
  st.global.f32 [%out], %f1;
  red.shared.add.f32 [%r1], %f1;
  red.global.add.f32 [%out], %f1;
  ld.shared.u32 %r2, [%r1];
  st.global.u32 [%out+4], %r2;
  cvta.shared.u64 %d1, smem;
  atom.add.f32 %f2, [%d1], %f1;
  ld.shared.u32 %r2, [%r1];
  st.global.u32 [%out+8], %r2;`,
    });
    expect([0, 4, 8].map((at) => view.getUint32(at, true))).toEqual([0, 6, 9]);
  });
});
