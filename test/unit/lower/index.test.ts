import { describe, expect, it } from "vitest";
import { isFloat, isInteger, type ScalarType, scalarTypes, type Value } from "../../../src/ir/index.ts";
import { checkedPtx } from "./check.ts";
import { GraphBuilder } from "./graph-builder.ts";

/** A kernel that loads values of a type, runs `body` on them and stores what it gives. */
function onValues(type: ScalarType, body: (b: GraphBuilder, x: Value, y: Value) => readonly Value[]): string {
  const b = new GraphBuilder();
  const p = b.param("x", "ptr.global");
  const x = b.op("ld.global", { ptr: p, pred: undefined, other: undefined }, { offset: 0, cache: "" }, [type]);
  const y = b.op("ld.global", { ptr: p, pred: undefined, other: undefined }, { offset: 8, cache: "" }, [type]);
  for (const [i, v] of body(b, x, y).entries())
    b.all("st.global", { ptr: p, values: [v], pred: undefined }, { offset: 16 + 8 * i, cache: "" });
  return checkedPtx(b.graph(32));
}

describe("arithmetic", () => {
  for (const type of scalarTypes.filter((t) => t !== "pred")) {
    it(`has every operation on ${type}`, () => {
      const text = onValues(type, (b, x, y) => {
        const out: Value[] = [];
        for (const name of ["add", "sub", "mul", "div", "rem", "min", "max"] as const) out.push(b.op(name, { a: x, b: y }, {}));
        for (const name of ["neg", "abs"] as const) out.push(b.op(name, { a: x }, {}));
        for (const is of ["eq", "ne", "lt", "le", "gt", "ge"] as const) out.push(b.op("cmp", { a: x, b: y }, { is }));
        out.push(b.op("select", { condition: out.at(-1) as Value, yes: x, no: y }, {}));
        if (isFloat(type)) {
          out.push(b.op("fma", { a: x, b: y, c: x }, {}), b.op("sqrt", { a: x }, {}));
          for (const mode of ["ni", "zi", "mi", "pi"] as const) out.push(b.op("round", { a: x }, { mode }));
        }
        if (isInteger(type)) {
          const by = b.op("convert", { a: x }, {}, ["i32"]);
          for (const name of ["and", "or", "xor"] as const) out.push(b.op(name, { a: x, b: y }, {}));
          for (const name of ["shl", "shr"] as const)
            out.push(b.op(name, { a: x, by }, {}), b.op(name, { a: x, by: b.const("i32", 35) }, {}));
          for (const name of ["not", "popc", "clz", "brev"] as const) out.push(b.op(name, { a: x }, {}));
          out.push(b.op("mul.hi", { a: x, b: y }, {}));
        }
        return out;
      });
      expect(text).toContain("st.global");
    });

    it(`converts ${type} to every type`, () => {
      onValues(type, (b, x) => scalarTypes.map((to) => b.op("convert", { a: x }, {}, [to])));
    });

    it(`takes constants of ${type}`, () => {
      const value = type === "i64" || type === "u64" ? 3n : 3;
      onValues(type, (b, x) => {
        const c = b.const(type, value);
        const same = b.op("cmp", { a: x, b: c }, { is: "eq" });
        return [
          c,
          b.op("add", { a: c, b: x }, {}),
          b.op("add", { a: x, b: c }, {}),
          b.op("mul", { a: c, b: c }, {}),
          same,
          b.op("select", { condition: same, yes: c, no: x }, {}),
        ];
      });
    });
  }

  it("never contracts and never flushes", () => {
    const text = onValues("f32", (b, x, y) => [b.op("add", { a: b.op("mul", { a: x, b: y }, {}), b: x }, {})]);
    expect(text).toContain("mul.rn.f32");
    expect(text).toContain("add.rn.f32");
    expect(text).not.toContain(".ftz");
  });

  it("compares as IEEE says", () => {
    const text = onValues("f32", (b, x, y) => [
      b.op("cmp", { a: x, b: y }, { is: "ne" }),
      b.op("cmp", { a: x, b: y }, { is: "lt" }),
    ]);
    expect(text).toContain("setp.neu.f32");
    expect(text).toContain("setp.lt.f32");
    expect(text).not.toContain("setp.ltu");
  });

  it("takes shift amounts modulo the width", () => {
    const text = onValues("i32", (b, x, y) => [
      b.op("shl", { a: x, by: y }, {}),
      b.op("shr", { a: x, by: b.const("i32", 33) }, {}),
    ]);
    expect(text).toMatch(/and\.b32 (%r\d+), %r\d+, 31;[\s\S]*shl\.b32 %r\d+, %r\d+, \1;/);
    expect(text).toMatch(/shr\.s32 %r\d+, %r\d+, 1;/);
  });

  it("has the approximations", () => {
    for (const type of ["f16", "bf16", "f32"] as const) {
      onValues(type, (b, x, y) => [
        ...(["rcp", "rcp.ftz", "rsqrt", "rsqrt.ftz", "sqrt", "sin", "cos", "lg2", "ex2", "tanh"] as const).map((fn) =>
          b.op("approx", { a: x }, { fn }),
        ),
        b.op("div.approx", { a: x, b: y }, {}),
      ]);
    }
  });

  it("has predicates, bit casts and funnel shifts", () => {
    onValues("f32", (b, x, y) => {
      const [p, q] = [b.op("cmp", { a: x, b: y }, { is: "lt" }), b.op("cmp", { a: x, b: y }, { is: "eq" })];
      const yes = b.const("pred", true);
      const i = b.op("bitcast", { a: x }, {}, ["i32"]);
      const half = b.op("convert", { a: x }, {}, ["f16"]);
      const byte = b.op("convert", { a: i }, {}, ["i8"]);
      return [
        ...(["and", "or", "xor"] as const).map((name) => b.op(name, { a: p, b: q }, {})),
        b.op("not", { a: p }, {}),
        b.op("and", { a: p, b: yes }, {}),
        b.op("select", { condition: p, yes: q, no: yes }, {}),
        ...(["eq", "ne", "lt", "le", "gt", "ge"] as const).map((is) => b.op("cmp", { a: p, b: q }, { is })),
        b.op("bitcast", { a: half }, {}, ["u16"]),
        b.op("bitcast", { a: byte }, {}, ["u8"]),
        b.op("bitcast", { a: byte }, {}, ["e4m3"]),
        b.op("shf", { low: i, high: i, by: i }, { direction: "r" }),
        b.op("shf", { low: i, high: i, by: b.const("i32", 3) }, { direction: "l" }),
      ];
    });
  });

  it("writes constants of 16- and 8-bit floats by their bits", () => {
    const b = new GraphBuilder();
    const p = b.param("x", "ptr.global");
    const bits = (["f16", "bf16", "e4m3", "e5m2"] as const).map((t) => b.const(t, 1.5));
    for (const [i, v] of bits.entries())
      b.all("st.global", { ptr: p, values: [v], pred: undefined }, { offset: 8 * i, cache: "" });
    const text = checkedPtx(b.graph(32));
    for (const n of [0x3e00, 0x3fc0, 0x3c, 0x3e]) expect(text).toMatch(new RegExp(`mov\\.b16 %rs\\d+, ${n};`));
  });
});

describe("control", () => {
  const start = (b: GraphBuilder) => ({
    p: b.param("x", "ptr.global"),
    n: b.param("n", "i32"),
    zero: b.const("i32", 0),
    one: b.const("i32", 1),
  });

  it("tests a loop at its bottom, and before it only where it may not run", () => {
    for (const known of [true, false]) {
      const b = new GraphBuilder();
      const { p, n, zero, one } = start(b);
      const [sum] = b.for(zero, known ? b.const("i32", 10) : n, one, [zero], (i, s) => [
        b.op("add", { a: s as Value, b: i }, {}),
      ]);
      b.all("st.global", { ptr: p, values: [sum as Value], pred: undefined }, { offset: 0, cache: "" });
      const text = checkedPtx(b.graph(32));
      expect(text.match(/bra /g)?.length).toBe(known ? 1 : 2);
      expect(text.indexOf("$for_0:")).toBeLessThan(text.lastIndexOf("bra $for_0;"));
    }
  });

  it("swaps what a loop carries without losing either", () => {
    const b = new GraphBuilder();
    const { p, n, zero, one } = start(b);
    const [x, y] = b.for(zero, n, one, [zero, one], (_i, s, t) => [t as Value, s as Value]);
    b.all("st.global", { ptr: p, values: [x as Value, y as Value], pred: undefined }, { offset: 0, cache: "" });
    const text = checkedPtx(b.graph(32));
    const loop = text.slice(text.indexOf("$for_0:"), text.indexOf("$for_0_end:"));
    const moves = [...loop.matchAll(/mov\.b32 (%r\d+), (%r\d+);/g)].map((m) => [m[1], m[2]]);
    expect(moves.length).toBe(3);
    const [save, first, second] = moves as [string[], string[], string[]];
    expect(first).toEqual([save[1], second[0]]);
    expect(second[1]).toBe(save[0]);
  });

  it("runs downwards and with a step of unknown sign", () => {
    const b = new GraphBuilder();
    const { p, n, zero } = start(b);
    const [x] = b.for(n, zero, b.const("i32", -2), [zero], (i) => [i]);
    const [y] = b.for(zero, n, x as Value, [zero], (i) => [i]);
    b.all("st.global", { ptr: p, values: [x as Value, y as Value], pred: undefined }, { offset: 0, cache: "" });
    expect(checkedPtx(b.graph(32))).toContain("setp.gt.s32");
  });

  it("leaves out what cannot run and unwinds a single trip", () => {
    const b = new GraphBuilder();
    const { p, zero, one } = start(b);
    const [none] = b.for(zero, zero, one, [one], () => [zero]);
    const [once] = b.for(zero, one, one, [zero], (i) => [i]);
    b.if(
      b.const("pred", false),
      [],
      () => "exit",
      () => [],
    );
    b.all("st.global", { ptr: p, values: [none as Value, once as Value], pred: undefined }, { offset: 0, cache: "" });
    expect(checkedPtx(b.graph(32))).not.toContain("bra");
  });

  it("merges branches, and has no join after an exit", () => {
    const b = new GraphBuilder();
    const { p, n, zero, one } = start(b);
    const c = b.op("cmp", { a: n, b: zero }, { is: "gt" });
    const [v, q] = b.if(
      c,
      ["i32", "ptr.global"],
      () => [n, b.op("ptr.add", { ptr: p, by: b.const("i32", 64) }, {})],
      () => [one, p],
    );
    b.if(
      c,
      [],
      () => "exit",
      () => [],
    );
    b.if(
      c,
      [],
      () => [],
      () => "exit",
    );
    b.if(
      c,
      [],
      () => "exit",
      () => "exit",
    );
    b.all("st.global", { ptr: q as Value, values: [v as Value], pred: undefined }, { offset: 0, cache: "" });
    const text = checkedPtx(b.graph(32));
    expect(text.match(/exit;/g)?.length).toBe(5);
  });

  it("runs a while loop, whose test may carry other values than it takes", () => {
    const b = new GraphBuilder();
    const { p, n, zero } = start(b);
    const [r] = b.while(
      [zero, n],
      (i, m) => ({
        go: b.op("cmp", { a: i as Value, b: m as Value }, { is: "lt" }),
        values: [b.op("add", { a: i as Value, b: m as Value }, {}), i as Value, m as Value],
      }),
      (s, _i, m) => [s as Value, m as Value],
    );
    b.all("st.global", { ptr: p, values: [r as Value], pred: undefined }, { offset: 0, cache: "" });
    const text = checkedPtx(b.graph(32));
    expect(text.match(/setp\.lt\.s32/g)?.length).toBe(2);
  });

  it("writes log records and failed assertions", () => {
    const b = new GraphBuilder();
    const { n } = start(b);
    const wide = b.op("convert", { a: n }, {}, ["f64"]);
    const p = b.op("cmp", { a: n, b: n }, { is: "eq" });
    const half = b.op("convert", { a: n }, {}, ["f16"]);
    b.param("log", "ptr.global", "log");
    b.all("log", { values: [n, wide, p, half], pred: p }, { site: 3 });
    b.all("log", { values: [], pred: undefined }, { site: 4 });
    b.all("assert", { condition: p, values: [] }, { site: 5 });
    b.all("assert", { condition: p, values: [wide, half] }, { site: 6 });
    const text = checkedPtx(b.graph(32));
    expect(text).toContain("atom.relaxed.gpu.global.add.u32");
    expect(text).toMatch(/atom\.relaxed\.gpu\.global\.add\.u32 %r\d+, \[%rd\d+\], 12;/);
    expect(text).toContain("trap;");
  });

  it("knows the thread, its warp and its cluster", () => {
    const b = new GraphBuilder();
    const { p } = start(b);
    const reads = (["tid.x", "ctaid.y", "nctaid.z", "laneid", "cluster_ctarank", "clusterid.x"] as const).map((reg) =>
      b.op("sreg", {}, { reg }),
    );
    const w = b.op("warp.index", {}, {});
    const e = b.op("elect.sync", {}, {});
    for (const v of [...reads, w]) b.all("st.global", { ptr: p, values: [v], pred: e }, { offset: 0, cache: "" });
    const text = checkedPtx(b.graph(32, { launch: { block: [32, 4, 2], cluster: [2, 1, 1], registers: 64 } }));
    expect(text).toContain(".reqntid 32, 4, 2");
    expect(text).toContain(".reqnctapercluster 2, 1, 1");
    expect(text).toContain(".maxnreg 64");
    expect(text).toContain("shfl.sync.idx.b32");
  });

  it("takes parameters of every type", () => {
    const b = new GraphBuilder();
    const p = b.param("x.deep[0]", "ptr.global");
    const values = scalarTypes.map((t) => b.param(t, t));
    for (const [i, v] of values.entries())
      b.all("st.global", { ptr: p, values: [v], pred: undefined }, { offset: 8 * i, cache: "" });
    const text = checkedPtx(b.graph(32));
    expect(text).toContain(".param .b64 p0_x_deep_0_");
    expect(text).toContain(".loc 1 1 1");
    expect(text).toContain('.file 1 "kernel.ts"');
  });
});
