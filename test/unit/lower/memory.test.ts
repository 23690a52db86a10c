import { describe, expect, it } from "vitest";
import { scalarTypes, type Value } from "../../../src/ir/index.ts";
import { checkedPtx } from "./check.ts";
import { GraphBuilder } from "./graph-builder.ts";

const bytesOf = (type: string): number => (/64/.test(type) ? 8 : /32/.test(type) ? 4 : /16/.test(type) ? 2 : 1);

describe("loads and stores", () => {
  for (const type of scalarTypes) {
    it(`moves ${type} in every width, with and without a predicate`, () => {
      const b = new GraphBuilder();
      const p = b.param("x", "ptr.global");
      const yes = b.param("yes", "pred");
      const s = b.buffer("tile", 1024, 2048);
      for (const n of [1, 2, 4, 8, 16].filter((k) => k * bytesOf(type) <= 16)) {
        const types = Array.from({ length: n }, () => type);
        const a = b.all("ld.global", { ptr: p, pred: undefined, other: undefined }, { offset: 0, cache: "nc" }, types);
        const c = b.all("ld.global", { ptr: p, pred: yes, other: a[0] }, { offset: 16, cache: "cg" }, types);
        const d = b.all("ld.shared", { ptr: s, pred: yes, other: undefined }, { offset: 32 }, types);
        b.all("st.shared", { ptr: s, values: a, pred: yes }, { offset: 16 * n });
        b.all("st.global", { ptr: p, values: c, pred: undefined }, { offset: 64, cache: "cs" });
        b.all("st.global", { ptr: p, values: d, pred: yes }, { offset: 80, cache: "" });
      }
      checkedPtx(b.graph(32));
    });
  }

  it("moves eight 16-bit elements as four words", () => {
    const b = new GraphBuilder();
    const p = b.param("x", "ptr.global");
    const v = b.all(
      "ld.global",
      { ptr: p, pred: undefined, other: undefined },
      { offset: 0, cache: "" },
      Array.from({ length: 8 }, () => "f16" as const),
    );
    b.all("st.global", { ptr: p, values: v, pred: undefined }, { offset: 16, cache: "" });
    const text = checkedPtx(b.graph(32));
    expect(text).toContain("ld.global.v4.b32");
    expect(text).toContain("st.global.v4.b32");
  });

  it("stores a bool as a byte", () => {
    const b = new GraphBuilder();
    const p = b.param("x", "ptr.global");
    const v = b.all("ld.global", { ptr: p, pred: undefined, other: undefined }, { offset: 0, cache: "" }, ["pred"]);
    b.all("st.global", { ptr: p, values: v, pred: undefined }, { offset: 1, cache: "" });
    const text = checkedPtx(b.graph(32));
    expect(text).toContain("ld.global.u8");
    expect(text).toMatch(/selp\.b16 (%rs\d+), 1, 0, %p\d+;\n[^\n]*\n?\s*st\.global\.u8 \[%rd\d+\+1\], \1;/);
  });

  it("folds known offsets into addresses, and extends the others by their sign", () => {
    const b = new GraphBuilder();
    const p = b.param("x", "ptr.global");
    const i = b.param("i", "i32");
    const u = b.param("u", "u32");
    const w = b.param("w", "i64");
    const s = b.buffer("tile", 1024, 512);
    const q = b.op("ptr.add", { ptr: b.op("ptr.add", { ptr: p, by: b.const("i32", -16) }, {}), by: b.const("i64", 48n) }, {});
    const [far, uns, wide] = [i, u, w].map((by) => b.op("ptr.add", { ptr: q, by }, {})) as [Value, Value, Value];
    const near = [i, u, w].map((by) => b.op("ptr.add", { ptr: s, by }, {}));
    for (const ptr of [q, far, uns, wide]) b.all("st.global", { ptr, values: [i], pred: undefined }, { offset: 4, cache: "" });
    for (const ptr of near) b.all("st.shared", { ptr, values: [i], pred: undefined }, { offset: 4 });
    const text = checkedPtx(b.graph(32));
    expect(text.match(/st\.global\.b32 \[%rd\d+\+36\]/g)?.length).toBe(4);
    expect(text.match(/st\.shared\.b32 \[%r\d+\+516\]/g)?.length).toBe(3);
    expect(text).toContain("cvt.s64.s32");
    expect(text).toContain("cvt.u64.u32");
  });

  it("has acquiring loads, releasing stores and fences", () => {
    const b = new GraphBuilder();
    const p = b.param("x", "ptr.global");
    const s = b.op("shared.dynamic", {}, { at: 64 });
    for (const scope of ["cta", "cluster", "gpu", "sys"] as const) {
      const [v] = b.all("ld.acquire", { ptr: p }, { offset: 4, scope }, ["u32"]);
      b.all("st.release", { ptr: s, values: [v as Value] }, { offset: 0, scope });
      for (const order of ["acq_rel", "sc"] as const) b.all("fence", {}, { order, scope });
    }
    for (const space of ["", "shared::cta", "shared::cluster", "global"] as const) b.all("fence.proxy.async", {}, { space });
    const id = (value: number) => b.const("i32", value);
    b.all("bar.sync", { id: id(0) }, { count: 0 });
    b.all("bar.sync", { id: id(1) }, { count: 64 });
    b.all("bar.arrive", { id: id(2) }, { count: 0 });
    b.all("bar.sync", { id: b.param("id", "i32") }, { count: 32 });
    b.all("bar.warp.sync", {}, { mask: 0xffffffff });
    const text = checkedPtx(b.graph(96));
    expect(text).toContain("bar.sync 1, 64;");
    expect(text).toContain("bar.arrive 2, 96;");
    expect(text).toMatch(/bar\.sync %r\d+, 32;/);
    expect(text).toContain("bar.warp.sync -1;");
  });

  it("stores matrices", () => {
    const b = new GraphBuilder();
    const s = b.buffer("tile", 1024, 0);
    const words = Array.from({ length: 4 }, (_, i) => b.param(`w${i}`, i === 0 ? "f32" : "u32"));
    for (const n of [1, 2, 4]) b.all("stmatrix", { ptr: s, values: words.slice(0, n) }, { offset: 16, trans: n === 2 });
    const text = checkedPtx(b.graph(32));
    expect(text).toContain("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%r");
  });
});

describe("atomics", () => {
  const native = {
    i32: ["add", "min", "max", "and", "or", "xor", "exch", "inc", "dec"],
    i64: ["add", "min", "max", "and", "or", "xor", "exch"],
    f32: ["add", "exch"],
    f64: ["add", "exch"],
    f16: ["add"],
    bf16: ["add"],
  } as const;
  for (const [type, names] of Object.entries(native)) {
    it(`are one instruction on ${type}`, () => {
      const b = new GraphBuilder();
      const p = b.param("x", "ptr.global");
      const s = b.buffer("tile", 1024, 0);
      const v = b.param("v", type as "i32");
      const yes = b.param("yes", "pred");
      for (const op of names) {
        b.all("atom", { ptr: p, value: v, pred: yes }, { op, offset: 8, scope: "gpu", order: "relaxed" });
        b.all("atom", { ptr: s, value: v, pred: undefined }, { op, offset: 8, scope: "cta", order: "acq_rel" });
      }
      expect(checkedPtx(b.graph(32))).not.toContain("atom.relaxed.gpu.global.cas");
    });
  }
  for (const [type, op] of [
    ["f32", "max"],
    ["f64", "min"],
    ["f16", "max"],
    ["bf16", "exch"],
    ["i16", "add"],
    ["u16", "xor"],
  ] as const) {
    it(`are tried until nobody interferes: ${op} on ${type}`, () => {
      const b = new GraphBuilder();
      const p = b.param("x", "ptr.global");
      const v = b.param("v", type);
      const old = b.op(
        "atom",
        { ptr: p, value: v, pred: b.param("yes", "pred") },
        { op, offset: 8, scope: "gpu", order: "relaxed" },
      );
      b.all("st.global", { ptr: p, values: [old], pred: undefined }, { offset: 0, cache: "" });
      expect(checkedPtx(b.graph(32))).toContain("atom.relaxed.gpu.global.cas");
    });
  }
  it("compare and swap", () => {
    const b = new GraphBuilder();
    const p = b.param("x", "ptr.global");
    for (const type of ["u16", "i32", "f32", "u64"] as const) {
      const v = b.param(type, type);
      b.all("atom.cas", { ptr: p, expected: v, value: v }, { offset: 0, scope: "sys", order: "acquire" });
    }
    checkedPtx(b.graph(32));
  });
  it("are refused where there are none", () => {
    const b = new GraphBuilder();
    const p = b.param("x", "ptr.global");
    b.all(
      "atom",
      { ptr: p, value: b.param("v", "u8"), pred: undefined },
      { op: "add", offset: 0, scope: "gpu", order: "relaxed" },
    );
    expect(() => checkedPtx(b.graph(32))).toThrow(/W6800 .*no atomic add on u8/);
  });
});
