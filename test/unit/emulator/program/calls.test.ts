import { describe, expect, it } from "vitest";
import { rotating } from "../../../support/amount.ts";
import { assembledFailure as failure, assembledWords as words } from "../assembled.ts";
import { runPtx, wordsOf } from "../run-ptx.ts";

const lanes = (f: (lane: number) => number, count = 32): number[] => Array.from({ length: count }, (_, i) => f(i) | 0);

const increment = `.func (.param .b32 r) increment(.param .b32 a)
{
  .reg .b32 t;
  ld.param.b32 t, [a];
  add.u32 t, t, 1;
  st.param.b32 [r], t;
  ret;
}`;
const double = increment.replace("increment", "double").replace("add.u32 t, t, 1", "add.u32 t, t, t");
/** `f(a)` to `d`, through variables of the space param. */
const called = (d: string, f: string, a: string, last = ""): string =>
  `{ .param .b32 p; .param .b32 q; st.param.b32 [p], ${a}; call (q), ${f}, (p)${last}; ld.param.b32 ${d}, [q]; }`;

describe("calls pass", () => {
  it("through variables of the space param", async () => {
    expect(await words(`  ${called("%r0", "increment", "%tid")}`, increment)).toEqual(lanes((i) => i + 1));
  });

  it("registers and numbers, to parameters in registers and in memory", async () => {
    const module = `${increment}
.func (.reg .b32 sum, .reg .f64 twice) both(.reg .b32 a, .reg .b64 b, .reg .f64 c)
{
  .reg .b32 t;
  cvt.u32.u64 t, b;
  sub.u32 sum, a, t;
  add.f64 twice, c, c;
}`;
    const body = `  mov.f64 %g0, 0d3FF8000000000000;
  call (%r1, %g1), both, (%tid, 7, %g0);
  cvt.rzi.u32.f64 %r2, %g1;
  mad.lo.u32 %r1, %r1, 100, %r2;
  call (%r0), increment, (%r1);
  call (_), increment, (5);`;
    expect(await words(body, module)).toEqual(lanes((i) => (i - 7) * 100 + 3 + 1));
  });

  it("structures: bytes at their places, doubles among them", async () => {
    const module = `.func (.param .align 8 .b8 r[24]) swap(.param .align 8 .b8 a[24])
{
  .reg .b32 %t<3>;
  .reg .f64 %x;
  .reg .b16 %h;
  ld.param.b32 %t0, [a];
  ld.param.f64 %x, [a+8];
  ld.param.b8 %h, [a+17];
  add.f64 %x, %x, %x;
  st.param.b32 [r+20], %t0;
  st.param.f64 [r+8], %x;
  st.param.b8 [r+3], %h;
  ret;
}`;
    const body = `{
  .param .align 8 .b8 p[24];
  .param .align 8 .b8 q[24];
  st.param.b32 [p], %tid;
  st.param.f64 [p+8], 0d4008000000000000;
  st.param.b8 [p+17], 9;
  call (q), swap, (p);
  ld.param.b32 %r1, [q+20];
  ld.param.f64 %g0, [q+8];
  ld.param.u8 %r2, [q+3];
  }
  cvt.rzi.u32.f64 %r3, %g0;
  mad.lo.u32 %r0, %r1, 100, %r2;
  mad.lo.u32 %r0, %r3, 1000000, %r0;`;
    expect(await words(body, module)).toEqual(lanes((i) => 6_000_000 + 100 * i + 9));
  });

  it("a parameter's address: it lies on the stack", async () => {
    const module = `.func (.param .b32 r) pick(.param .align 4 .b8 a[16], .param .b32 n)
{
  .reg .b64 %d<4>;
  .reg .b32 %t<2>;
  mov.b64 %d0, a;
  cvta.local.u64 %d1, %d0;
  ld.param.b32 %t0, [n];
  mul.wide.u32 %d2, %t0, 4;
  add.u64 %d3, %d1, %d2;
  ld.b32 %t1, [%d3];
  st.param.b32 [r], %t1;
  ret;
}`;
    const body = `{
  .param .align 4 .b8 p[16];
  .param .b32 n;
  .param .b32 q;
  st.param.b32 [p], 10;
  st.param.b32 [p+4], 11;
  st.param.v2.b32 [p+8], {12, 13};
  and.b32 %r1, %tid, 3;
  st.param.b32 [n], %r1;
  call (q), pick, (p, n);
  ld.param.b32 %r0, [q];
  }`;
    expect(await words(body, module)).toEqual(lanes((i) => 10 + (i & 3)));
  });
});

describe("functions", () => {
  const fib = `.func (.param .b32 r) fib(.param .b32 n)
{
  .reg .pred p;
  .reg .b32 %t<5>;
  .local .b32 kept;
  ld.param.b32 %t0, [n];
  st.local.b32 [kept], %t0;
  mov.b32 %t4, %t0;
  setp.lt.u32 p, %t0, 2;
  @p bra done;
  sub.u32 %t1, %t0, 1;
  ${called("%t2", "fib", "%t1")}
  sub.u32 %t1, %t0, 2;
  ${called("%t3", "fib", "%t1")}
  add.u32 %t4, %t2, %t3;
  ld.local.b32 %t1, [kept];
  setp.eq.u32 p, %t1, %t0;
  @!p trap;
done:
  st.param.b32 [r], %t4;
  ret;
}`;
  const fibs: number[] = [0, 1];
  while (fibs.length < 32) fibs.push((fibs.at(-1) ?? 0) + (fibs.at(-2) ?? 0));

  it("call themselves: every activation has its registers and variables, in each lane", async () => {
    const found = await words(`  and.b32 %r1, %tid, 15;\n  ${called("%r0", "fib", "%r1")}`, fib);
    expect(found).toEqual(lanes((i) => fibs[i & 15] ?? 0));
  });

  it("call each other", async () => {
    const one = (name: string, other: string, base: number) => `.func (.reg .b32 r) ${name}(.reg .b32 n)
{
  .reg .pred p;
  .reg .b32 t;
  mov.b32 r, ${base};
  setp.eq.u32 p, n, 0;
  @p ret;
  sub.u32 t, n, 1;
  call (r), ${other}, (t);
  ret;
}`;
    const module = `.func (.reg .b32 r) odd(.reg .b32 n);\n${one("even", "odd", 1)}\n${one("odd", "even", 0)}`;
    expect(await words("  call (%r0), even, (%tid);", module)).toEqual(lanes((i) => 1 - (i & 1)));
  });

  it("exchange the arguments of a recursive call", async () => {
    const module = `.func (.reg .b32 r) gcd(.reg .b32 a, .reg .b32 b)
{
  .reg .pred p;
  mov.b32 r, a;
  setp.eq.u32 p, b, 0;
  @p ret;
  rem.u32 a, a, b;
  call (r), gcd, (b, a);
  ret;
}`;
    const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));
    expect(await words("  mov.b32 %r1, 24;\n  call (%r0), gcd, (%r1, %tid);", module)).toEqual(lanes((i) => gcd(24, i)));
  });

  it("are returned from by some lanes, which meet the others behind the call", async () => {
    const module = `.func (.reg .b32 r) early(.reg .b32 n)
{
  .reg .pred p;
  mov.b32 r, 1;
  setp.lt.u32 p, n, 10;
  @p ret;
  mov.b32 r, 2;
  setp.lt.u32 p, n, 20;
  @!p mov.b32 r, 3;
  @p bra out;
  add.u32 r, r, 10;
out:
  ret;
}`;
    // Only lanes that are together again can shuffle; the vote is of all of them.
    const body = `  call (%r1), early, (%tid);
  activemask.b32 %r3;
  shfl.sync.idx.b32 %r2, %r1, 31, 31, -1;
  mad.lo.u32 %r0, %r2, 100, %r1;
  setp.ne.u32 %p0, %r3, -1;
  @%p0 mov.u32 %r0, 0;`;
    expect(await words(body, module)).toEqual(lanes((i) => 1300 + (i < 10 ? 1 : i < 20 ? 2 : 13)));
  });

  it("are called from two places at once, and each lane returns to its own", async () => {
    const body = `  setp.lt.u32 %p0, %tid, 7;
  @%p0 bra first;
  ${called("%r0", "increment", "%tid")}
  add.u32 %r0, %r0, 100;
  bra join;
first:
  ${called("%r0", "increment", "%tid")}
  add.u32 %r0, %r0, 200;
join:
  @%p0 ${"call (%r1), double, (%r0);"}
  @!%p0 mov.b32 %r1, %r0;
  bar.sync 0;
  mov.b32 %r0, %r1;`;
    const found = await words(body, `${increment}\n${double}`);
    expect(found).toEqual(lanes((i) => (i < 7 ? 2 * (i + 201) : i + 101)));
  });

  it("have barriers of the block in them, where the whole warp is", async () => {
    const module = `.shared .b32 cells[32];
.func (.reg .b32 r) reversed(.reg .b32 lane)
{
  .reg .b32 %a<3>;
  mov.u32 %a0, cells;
  mad.lo.u32 %a1, lane, 4, %a0;
  st.shared.b32 [%a1], lane;
  bar.sync 0;
  sub.u32 %a2, 31, lane;
  mad.lo.u32 %a1, %a2, 4, %a0;
  ld.shared.b32 r, [%a1];
  ret;
}`;
    expect(await words("  call (%r0), reversed, (%tid);", module)).toEqual(lanes((i) => 31 - i));
  });

  it("end threads with exit, and are left at their end without ret", async () => {
    const module = `.func stop(.reg .b32 n)
{
  .reg .pred p;
  setp.lt.u32 p, n, 30;
  @p exit;
}`;
    const found = await words("  mov.b32 %r0, 7;\n  call stop, (%tid);", module);
    expect(found).toEqual(lanes((i) => (i < 30 ? 0 : 7)));
  });

  it("have variables of scopes in scopes, and labels of their own", async () => {
    const module = `.func (.reg .b32 r) f(.reg .b32 n)
{
  .reg .b32 t;
  .pragma "nounroll";
  mov.b32 t, 1;
again:
  {
    .reg .b32 t;
    .reg .pred p;
    .local .b32 v;
    mov.b32 t, 5;
    st.local.b32 [v], t;
    setp.lt.u32 p, n, 3;
    @p bra.uni again_inside;
    sub.u32 n, n, 3;
    bra again;
again_inside:
    {
      .local .b32 v;
      st.local.b32 [v], 9;
    }
    ld.local.b32 t, [v];
    add.u32 n, n, t;
  }
  add.u32 r, n, t;
  ret;
}`;
    const body = `again:\n  call (%r0), f, (%tid);\n  setp.gt.u32 %p0, %r0, 100;\n  @%p0 bra again;`;
    expect(await words(body, module)).toEqual(lanes((i) => (i % 3) + 6));
  });

  it("take memory on the stack and give it back", async () => {
    const module = `.func (.reg .b32 r) fill(.reg .b32 n)
{
  .reg .b64 %d<6>;
  .reg .b32 %t<3>;
  .reg .pred p;
  .local .b32 own;
  st.local.b32 [own], 77;
  mul.wide.u32 %d0, n, 4;
  stacksave.u64 %d4;
  alloca.u64 %d1, %d0, 16;
  mov.b32 %t0, 0;
  mov.b32 r, 0;
store:
  setp.ge.u32 p, %t0, n;
  @p bra sum;
  mad.wide.u32 %d2, %t0, 4, %d1;
  st.local.b32 [%d2], %t0;
  add.u32 %t0, %t0, 1;
  bra store;
sum:
  setp.eq.u32 p, %t0, 0;
  @p bra end;
  sub.u32 %t0, %t0, 1;
  mad.wide.u32 %d2, %t0, 4, %d1;
  ld.local.b32 %t1, [%d2];
  add.u32 r, r, %t1;
  bra sum;
end:
  stackrestore.u64 %d4;
  stacksave.u64 %d5;
  setp.ne.u64 p, %d5, %d4;
  @p trap;
  ld.local.b32 %t1, [own];
  mad.lo.u32 r, r, 100, %t1;
  ret;
}`;
    expect(await words("  call (%r0), fill, (%tid);", module)).toEqual(lanes((i) => ((i * (i - 1)) / 2) * 100 + 77));
  });
});

describe("calls through pointers", () => {
  const functions = `${increment}\n${double}`;
  const proto = "proto: .callprototype (.param .b32 _) _ (.param .b32 _);";

  it("of a prototype, to different functions in one warp", async () => {
    const body = `  ${proto}
  and.b32 %r1, %tid, 1;
  setp.eq.u32 %p0, %r1, 0;
  mov.b64 %d0, increment;
  mov.b64 %d1, double;
  selp.b64 %d0, %d0, %d1, %p0;
  ${called("%r0", "%d0", "%tid", ", proto")}`;
    expect(await words(body, functions)).toEqual(lanes((i) => (i % 2 === 0 ? i + 1 : 2 * i)));
  });

  it("of a list of targets, out of tables that variables hold", async () => {
    const module = `${functions}
.func (.param .b32 r) twice(.param .b32 a);
.alias twice, double;
.global .u64 table[2] = {increment, twice};
.const .u64 where = table;
.global .u64 second = generic(table)+8;
.global .u8 low[2] = {0xFF00(second), 0xFF(second)};
.const .f32 half = 0.5;
.global .f64 one = 0f3F800000;`;
    const body = `  list: .calltargets increment, double;
  ld.const.u64 %d2, [where];
  and.b32 %r1, %tid, 1;
  mad.wide.u32 %d2, %r1, 8, %d2;
  ld.u64 %d0, [%d2];
  ${called("%r0", "%d0", "%tid", ", list")}
  ld.global.u64 %d3, [second];
  ld.global.u64 %d4, [%d3];
  ${called("%r0", "%d4", "%r0", ", list")}
  mov.b64 %d5, second;
  ld.global.u8 %r2, [low];
  ld.global.u8 %r4, [low+1];
  mad.lo.u32 %r2, %r2, 256, %r4;
  cvt.u32.u64 %r3, %d5;
  and.b32 %r3, %r3, 65535;
  setp.ne.u32 %p0, %r2, %r3;
  @%p0 trap;
  ld.const.f32 %f0, [half];
  ld.global.f64 %g0, [one];
  cvt.f64.f32 %g1, %f0;
  fma.rn.f64 %g0, %g0, %g0, %g1;
  setp.ne.f64 %p0, %g0, 0d3FF8000000000000;
  @%p0 trap;`;
    expect(await words(body, module)).toEqual(lanes((i) => 2 * (i % 2 === 0 ? i + 1 : 2 * i)));
  });

  it("to nothing, to what the list lacks, and to what takes other arguments are faults", async () => {
    const at = (pointer: string, label: string) =>
      `  ${label}\n  mov.b64 %d0, ${pointer};\n  ${called("%r0", "%d0", "%tid", `, ${label.split(":")[0]}`)}`;
    expect(await failure(at("0", proto), functions)).toMatchObject({
      code: "W9003",
      message: expect.stringMatching(/called the function at 0x0, where there is none/),
    });
    expect(await failure(at("double", "list: .calltargets increment;"), functions)).toMatchObject({
      message: expect.stringMatching(/called double, which the call does not list/),
    });
    const nullary = ".func none() { ret; }";
    expect(await failure(at("none", proto), `${functions}\n${nullary}`)).toMatchObject({
      message: expect.stringMatching(/a call of none with 1 parameters instead of 0/),
    });
  });
});

describe("branches with tables", () => {
  const body = (targets: string) => `  table: .branchtargets ${targets};
  and.b32 %r1, %tid, 3;
  brx.idx %r1, table;
first:
  mov.u32 %r0, 10;
  bra.uni done;
second:
  mov.u32 %r0, 20;
  bra done;
third:
  mov.u32 %r0, 30;
done:
  bar.sync 0;`;
  it("each lane goes where its index says", async () => {
    expect(await words(body("first, second, third, second"), "")).toEqual(lanes((i) => [10, 20, 30, 20][i & 3] ?? 0));
    expect(
      await words(body("first, second, third, second").replace("  brx", "  setp.lt.u32 %p0, %tid, 16;\n  @%p0 brx"), ""),
    ).toEqual(lanes((i) => (i < 16 ? ([10, 20, 30, 20][i & 3] ?? 0) : 10)));
  });
  it("an index without a target is a fault", async () => {
    expect(await failure(body("first, second, third"), "")).toMatchObject({
      code: "W9003",
      message: expect.stringMatching(/branched to target 3 of 3/),
    });
  });
});

describe("what goes wrong with calls", () => {
  it("recursion without end runs out of stack", rotating, async () => {
    const module = `.func deep(.reg .b32 n)
{
  .local .align 8 .b8 v[64];
  .reg .b64 d;
  mov.b64 d, v;
  st.local.b32 [d], n;
  call deep, (n);
  ld.local.b32 n, [d];
  ret;
}`;
    expect(await failure("  call deep, (%tid);", module)).toMatchObject({
      code: "W9003",
      message: expect.stringMatching(/more than the 524288 bytes .* calls deep in deep/),
    });
    const shallow = module.replace(
      "  call deep, (n);",
      "  .reg .pred p;\n  sub.u32 n, n, 1;\n  setp.gt.u32 p, n, 0;\n  @p call deep, (n);",
    );
    const body = "  mov.u32 %r0, 5;\n  mov.u32 %r1, 60;\n  call deep, (%r1);";
    expect(await words(body, shallow)).toEqual(lanes(() => 5));
    expect(await failure(body, shallow, { options: { stackBytes: 4096 } })).toMatchObject({
      message: expect.stringMatching(/more than the 4096 bytes/),
    });
  });
  it("local memory beyond the stack, and a return that was promised not to be", async () => {
    const module = `.func bad(.reg .b32 n)
{
  .local .align 4 .b8 v[16];
  .reg .b64 d;
  mov.b64 d, v;
  st.local.b32 [d+64], n;
  ret;
}
.func never() .noreturn { .reg .b32 a; mov.u32 a, 1; }`;
    expect(await failure("  call bad, (%tid);", module)).toMatchObject({
      code: "W9003",
      message: expect.stringMatching(/4 bytes of local memory at 0x40, which belong to nothing/),
    });
    expect(await failure("  call never;", module)).toMatchObject({
      message: expect.stringMatching(/returned from never, which is declared never to return/),
    });
  });
  it("a function that nobody has is told when the kernel is loaded", async () => {
    const module = ".extern .func (.param .b32 r) elsewhere(.param .b32 a);";
    // ptxas, too: Unresolved extern function 'elsewhere'.
    await expect(wordsOf(`  ${called("%r0", "elsewhere", "%tid")}`, 32, { module })).rejects.toMatchObject({
      code: "W9005",
      message: expect.stringMatching(/elsewhere/),
    });
    const view = await runPtx({ body: "  st.global.u32 [%out], 5;", module, outputBytes: 4 });
    expect(view.getUint32(0, true)).toBe(5);
  });
});
