import { describe, expect, it } from "vitest";
import { checkedPtx } from "./check.ts";
import { GraphBuilder } from "./graph-builder.ts";

describe("barriers", () => {
  it("have every operation", () => {
    const b = new GraphBuilder();
    const bar = b.op("ptr.add", { ptr: b.buffer("bars", 64, 1024), by: b.param("at", "i32") }, {});
    const n = b.param("n", "i32");
    const p = b.param("p", "pred");
    b.all("mbarrier.init", { bar, count: b.const("i32", 1) }, {});
    b.all("fence.mbarrier_init", {}, {});
    for (const count of [undefined, n]) {
      for (const pred of [undefined, p]) {
        b.all("mbarrier.arrive", { bar, count, pred }, {});
        b.all("mbarrier.arrive.remote", { bar: b.op("mapa", { ptr: bar, rank: n }, {}), count, pred }, {});
      }
    }
    b.all("mbarrier.arrive.expect_tx", { bar, tx: n, pred: p }, {});
    b.all("mbarrier.expect_tx", { bar, tx: n, pred: undefined }, {});
    const [t] = b.all("mbarrier.test_wait", { bar, parity: p }, {});
    const [u] = b.all("mbarrier.try_wait", { bar, parity: b.const("pred", true) }, {});
    for (const v of [t, u]) if (v) b.all("st.shared", { ptr: bar, values: [v], pred: undefined }, { offset: 32 });
    b.all("mbarrier.wait", { bar, parity: p }, {});
    b.all("mbarrier.inval", { bar }, {});
    const text = checkedPtx(b.graph(128, { launch: { block: [128, 1, 1], cluster: [2, 1, 1] } }));
    // the explicit form would cost a fence of the whole GPU
    expect(text).toMatch(/mbarrier\.arrive\.shared::cluster\.b64 _, \[%r\d+\+1024\]/);
    expect(text).not.toContain("release.cluster.shared");
    expect(text).toMatch(
      /\$wait_(\d+):\n[^$]*mbarrier\.try_wait\.parity\.shared::cta\.b64 (%p\d+), \[%r\d+\+1024\], %r\d+;\n\s*@!\2 bra \$wait_\1;/,
    );
  });
});

describe("boxes that may lie outside", () => {
  it("are said to before the copy, behind what its operands take", () => {
    const b = new GraphBuilder();
    const [map, dst, bar] = [b.param("a", "tensormap"), b.buffer("tile", 16384, 0), b.buffer("bar", 8, 16384)];
    const c = b.param("c", "i32");
    const ptr = b.op("ptr.add", { ptr: dst, by: c }, {});
    const at = { map, coords: [c, c], pred: b.param("p", "pred") };
    for (const outside of [true, undefined]) {
      b.all("tma.load", { ...at, dst: ptr, bar, offsets: [], multicast: undefined }, { cacheHint: "", outside });
      b.all("tma.store", { ...at, src: ptr }, { cacheHint: "evictFirst", outside });
      b.all("tma.reduce", { ...at, src: ptr }, { op: "add", cacheHint: "", outside });
    }
    const text = checkedPtx(b.graph(128));
    const copies = text
      .split("\n")
      .flatMap((line, i, all) => (/cp\.(reduce\.)?async\.bulk\.tensor/.test(line) ? [all[i - 1]?.trim()] : []));
    const note = "// warpsmith: the box may lie outside of the tensor";
    expect(copies.map((before) => before === note)).toEqual([true, true, true, false, false, false]);
    expect(text.split(note)).toHaveLength(4);
  });
});

describe("bulk copies", () => {
  it("load boxes of every rank, im2col, multicast and hinted", () => {
    const b = new GraphBuilder();
    const map = b.param("a", "tensormap");
    const dst = b.buffer("tile", 16384, 0);
    const bar = b.buffer("bar", 8, 16384);
    const c = b.param("c", "i32");
    const pred = b.param("p", "pred");
    const mask = b.const("i32", 3);
    for (const n of [1, 2, 3, 4, 5]) {
      const coords = Array.from({ length: n }, () => c);
      b.all("tma.load", { dst, map, bar, coords, offsets: [], multicast: undefined, pred: undefined }, { cacheHint: "" });
      b.all("tma.load", { dst, map, bar, coords, offsets: [], multicast: mask, pred }, { cacheHint: "evictFirst" });
      b.all("tma.store", { src: dst, map, coords, pred }, { cacheHint: n === 2 ? "evictLast" : "" });
      b.all(
        "tma.reduce",
        { src: dst, map, coords, pred },
        { op: n === 1 ? "max" : "add", cacheHint: n === 3 ? "evictLast 0.5" : "" },
      );
      if (n >= 3)
        b.all(
          "tma.load",
          { dst, map, bar, coords, offsets: coords.slice(2), multicast: c, pred: undefined },
          { cacheHint: "evictNormal" },
        );
    }
    b.all("tma.prefetch", { map, coords: [c, c], offsets: [], pred }, {});
    b.all("tma.prefetch", { map, coords: [c, c, c], offsets: [c], pred: undefined }, {});
    const x = b.param("x", "ptr.global");
    b.all("bulk.load", { dst, src: x, bytes: c, bar, multicast: undefined, pred }, { cacheHint: "" });
    b.all("bulk.load", { dst, src: x, bytes: c, bar, multicast: c, pred: undefined }, { cacheHint: "evictFirst" });
    b.all("bulk.store", { dst: x, src: dst, bytes: c, pred }, { cacheHint: "evictLast" });
    for (const [op, type] of [
      ["add", "f16"],
      ["add", "i64"],
      ["min", "i64"],
      ["max", "bf16"],
      ["inc", "u32"],
      ["xor", "i32"],
    ] as const)
      b.all(
        "bulk.reduce",
        { dst: x, src: dst, bytes: c, pred: undefined },
        { op, type, cacheHint: op === "inc" ? "evictLast 0.25 evictFirst" : "" },
      );
    b.all("bulk.prefetch", { src: x, bytes: c, pred }, {});
    b.all("bulk.commit_group", {}, {});
    b.all("bulk.wait_group", {}, { pending: 1, read: true });
    b.all("bulk.wait_group", {}, { pending: 0, read: false });
    b.all("prefetch.tensormap", { map, pred }, {});
    const text = checkedPtx(b.graph(128));
    expect(text).toContain(".param .align 64 .b8 p0_a[128]");
    expect(text).toMatch(
      /cp\.async\.bulk\.tensor\.2d\.shared::cluster\.global\.tile\.mbarrier::complete_tx::bytes \[%r\d+\], \[%rd\d+, \{%r\d+, %r\d+\}\], \[%r\d+\+16384\];/,
    );
    expect(text.match(/createpolicy.*(?=;)/g)?.map((line) => line.replace(/%rd\d+/, "p"))).toEqual([
      "createpolicy.fractional.L2::evict_first.b64 p",
      "createpolicy.fractional.L2::evict_last.b64 p",
      "createpolicy.fractional.L2::evict_last.b64 p, 0f3F000000",
      "createpolicy.fractional.L2::evict_normal.b64 p",
      "createpolicy.fractional.L2::evict_last.L2::evict_first.b64 p, 0f3E800000",
    ]);
  });
});
