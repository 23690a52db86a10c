import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { noSpans } from "../../../../src/base/diag/index.ts";
import { EmulatorDevice, type EmulatorOptions } from "../../../../src/emulator/index.ts";
import { rotating } from "../../../support/amount.ts";
import { assemble } from "../../../support/ptxas.ts";
import { compileCuda, noNvcc } from "../../ptx/parse/cubin.ts";
import { assembledFailure, assembledWords } from "../assembled.ts";

const declarations = `.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);
.extern .func (.param .b64 r) malloc(.param .b64 n);
.extern .func free(.param .b64 p);`;

/** A text as a variable; the zero byte behind it is there by itself. */
const text = (name: string, value: string): string => {
  const bytes = [...new TextEncoder().encode(value)];
  return `.global .align 1 .b8 ${name}[${bytes.length + 1}] = {${[...bytes, 0].join(", ")}};`;
};

type Argument = readonly [type: "u32" | "u64" | "f64", value: string];
const sizes = { u32: 4, u64: 8, f64: 8 } as const;

/** Calls printf with a format and arguments, in one thread; `%r0` gets its result. */
function printf(format: string, args: readonly Argument[]): { readonly body: string; readonly module: string } {
  let end = 0;
  const stores = args.map(([type, value]) => {
    const at = Math.ceil(end / sizes[type]) * sizes[type];
    end = at + sizes[type];
    return value.startsWith("&")
      ? `  mov.u64 %d2, ${value.slice(1)};\n  cvta.global.u64 %d2, %d2;\n  st.local.u64 [buffer+${at}], %d2;`
      : `  st.local.${type} [buffer+${at}], ${value};`;
  });
  const body = `  .local .align 8 .b8 buffer[128];
  setp.ne.u32 %p0, %tid, 0;
  @%p0 exit;
${stores.join("\n")}
  mov.u64 %d0, format;
  cvta.global.u64 %d0, %d0;
  mov.u64 %d1, buffer;
  cvta.local.u64 %d1, %d1;
  { .param .b64 f; .param .b64 args; .param .b32 r;
  st.param.b64 [f], %d0;
  st.param.b64 [args], %d1;
  call.uni (r), vprintf, (f, args);
  ld.param.b32 %r0, [r]; }`;
  return { body, module: `${declarations}\n${text("format", format)}\n${text("word", "text")}` };
}

async function printed(format: string, ...args: readonly Argument[]): Promise<{ lines: string[]; result: number | undefined }> {
  const lines: string[] = [];
  const { body, module } = printf(format, args);
  const [result] = await assembledWords(body, module, { options: { print: (line) => lines.push(line) } });
  return { lines, result };
}

const bits = (x: number): string => {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  return `0d${view.getBigUint64(0).toString(16).padStart(16, "0").toUpperCase()}`;
};
const int = (x: number): Argument => ["u32", `${x | 0}`];
const long = (x: bigint): Argument => ["u64", `${x}`];
const double = (x: number): Argument => ["f64", bits(x)];

describe("vprintf", () => {
  it("takes arguments at multiples of their sizes, and tells how many there were", async () => {
    const { lines, result } = await printed(
      "%d|%f|%c|%lld|%s|%%|%x\n",
      int(-5),
      double(1.5),
      int(65),
      long(-(2n ** 40n)),
      ["u64", "&word"],
      int(255),
    );
    expect(lines).toEqual(["-5|1.500000|A|-1099511627776|text|%|ff"]);
    expect(result).toBe(6);
  });

  // What C's printf gives for each.
  it.each<[string, readonly Argument[], string]>([
    [
      "[%5d|%-5d|%05d|%+d|% d|%.3d|%5.3d]",
      [int(42), int(42), int(-42), int(42), int(42), int(7), int(7)],
      "[   42|42   |-0042|+42| 42|007|  007]",
    ],
    [
      "[%u|%o|%#o|%#x|%#X|%08X]",
      [int(-1), int(8), int(8), int(255), int(255), int(48879)],
      "[4294967295|10|010|0xff|0XFF|0000BEEF]",
    ],
    ["[%hd|%hhu|%hx]", [int(0x18000), int(511), int(-1)], "[-32768|255|ffff]"],
    [
      "[%ld|%lu|%llx|%zu]",
      [long(-1n), long(2n ** 64n - 1n), long(0xdeadbeefcafen), long(5n)],
      "[-1|18446744073709551615|deadbeefcafe|5]",
    ],
    ["[%*d|%-*d|%.*f]", [int(6), int(1), int(4), int(2), int(2), double(Math.PI)], "[     1|2   |3.14]"],
    ["[%6s|%-6s|%.2s|%3c]", [["u64", "&word"], ["u64", "&word"], ["u64", "&word"], int(66)], "[  text|text  |te|  B]"],
    [
      "[%f|%.0f|%.0f|%.0f|%#.0f|%10.2f|%-8.1f|%08.2f]",
      [1 / 3, 0.5, 1.5, 2.5, 2, -Math.E, 9.96, -1.5].map(double),
      "[0.333333|0|2|2|2.|     -2.72|10.0    |-0001.50]",
    ],
    ["[%.20f|%f]", [0.1, 1e22].map(double), "[0.10000000000000000555|10000000000000000000000.000000]"],
    [
      "[%e|%.2E|%.0e|%e|%e|%.3e]",
      [12345.678, 0.00012345, 9.5, 0, 1e23, 9.9996].map(double),
      "[1.234568e+04|1.23E-04|1e+01|0.000000e+00|1.000000e+23|1.000e+01]",
    ],
    [
      "[%g|%g|%g|%g|%g|%.3g|%#g|%G]",
      [100000, 1e6, 0.0001, 0.00001, 0, 1234.5, 1.5, 1e-10].map(double),
      "[100000|1e+06|0.0001|1e-05|0|1.23e+03|1.50000|1E-10]",
    ],
    ["[%a|%a|%.1a|%A|%a]", [1, 0.1, 1.96875, -10, 0].map(double), "[0x1p+0|0x1.999999999999ap-4|0x2.0p+0|-0X1.4P+3|0x0p+0]"],
    [
      "[%f|%5.1f|%e|%g|%05f]",
      [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, Number.POSITIVE_INFINITY].map(double),
      "[nan|  inf|-inf|-0|  inf]",
    ],
    ["[%p|%y|%]", [long(0x7f0000001000n)], "[0x7f0000001000|%y|%]"],
    ["[%g|%e]", [Number.MIN_VALUE, Number.MAX_VALUE].map(double), "[4.94066e-324|1.797693e+308]"],
  ])("%s", async (format, args, expected) => {
    expect((await printed(format, ...args)).lines).toEqual([expected]);
  });

  it("joins what is printed to lines, and gives the last one when the launch ends", async () => {
    const lines: string[] = [];
    const { body, module } = printf("%d,%d\n%d", [int(1), int(2), int(3)]);
    await assembledWords(body, module, { options: { print: (line) => lines.push(line) } });
    expect(lines).toEqual(["1,2", "3"]);
  });
});

describe("other functions that devices have", () => {
  it("__assertfail ends the launch, with all that it is told", async () => {
    const module = `${declarations}\n${text("message", "x > 0")}\n${text("file", "k.cu")}\n${text("name", "void k(int)")}`;
    const body = `  .reg .b64 %a<3>;
  mov.u64 %a0, message;
  mov.u64 %a1, file;
  mov.u64 %a2, name;
  setp.ne.u32 %p0, %tid, 5;
  @%p0 bra fine;
  { .param .b64 m; .param .b64 f; .param .b32 l; .param .b64 n; .param .b64 s;
  st.param.b64 [m], %a0; st.param.b64 [f], %a1; st.param.b32 [l], 12; st.param.b64 [n], %a2; st.param.b64 [s], 1;
  call.uni __assertfail, (m, f, l, n, s); }
fine:
  mov.u32 %r0, 0;`;
    expect(await assembledFailure(body, module)).toMatchObject({
      code: "W9003",
      message: expect.stringMatching(
        /assertion x > 0 does not hold \(k\.cu:12, void k\(int\)\), in thread \(5, 0, 0\), in warp 0/,
      ),
    });
  });

  const call = (name: string, result: string, argument: string): string =>
    result === ""
      ? `{ .param .b64 p; st.param.b64 [p], ${argument}; call.uni ${name}, (p); }`
      : `{ .param .b64 p; .param .b64 q; st.param.b64 [p], ${argument}; call.uni (q), ${name}, (p); ld.param.b64 ${result}, [q]; }`;

  it("malloc gives each thread memory of its own, until there is none; free gives it back", async () => {
    const body = `  ${call("malloc", "%d0", "64")}
  st.u32 [%d0+60], %tid;
  bar.sync 0;
  ld.u32 %r1, [%d0+60];
  ${call("malloc", "%d1", "64")}
  setp.eq.u64 %p0, %d1, 0;
  selp.u32 %r2, 1000, 0, %p0;
  ${call("free", "", "%d0")}
  ${call("free", "", "%d1")}
  ${call("malloc", "%d2", "64")}
  setp.eq.u64 %p1, %d2, 0;
  @%p1 trap;
  add.u32 %r0, %r1, %r2;`;
    const found = await assembledWords(body, declarations, { options: { heapBytes: 32 * 64 } });
    expect(found).toEqual(Array.from({ length: 32 }, (_, i) => 1000 + i));
  });

  it("memory that is free cannot be used or freed again", async () => {
    const body = (after: string) =>
      `  ${call("malloc", "%d0", "64")}\n  ${call("free", "", "%d0")}\n  ${after}\n  mov.u32 %r0, 0;`;
    expect(await assembledFailure(body("st.u32 [%d0], 1;"), declarations)).toMatchObject({
      message: expect.stringMatching(/belong to nothing/),
    });
    expect(await assembledFailure(body(call("free", "", "%d0")), declarations)).toMatchObject({
      message: expect.stringMatching(/which malloc did not give or which is free already/),
    });
  });
});

/** Launches of the kernels of one module, one after the other; the memory that they got. */
async function runKernels(ptx: string, entries: readonly string[], options: EmulatorOptions = {}): Promise<Int32Array> {
  const assembled = assemble(ptx);
  if (assembled && !assembled.ok) throw new Error(assembled.log);
  const device = new EmulatorDevice(options);
  const stream = device.defaultStream;
  const out = device.allocate(64);
  for (const entry of entries) {
    const module = device.loadModule(ptx, { entry, kernel: entry, parameterBytes: [8], dynamicSharedBytes: 0 });
    const parameters = device.parameters(module);
    parameters.views[0]?.setBigUint64(0, out, true);
    const one = [1, 1, 1] as const;
    device.launch({
      module,
      parameters,
      grid: one,
      block: one,
      cluster: one,
      sharedBytes: 0,
      stream,
      overlapPrevious: false,
      spans: noSpans,
    });
  }
  const bytes = await device.download(stream, out, 64);
  return new Int32Array(bytes.slice().buffer);
}

describe("modules of several kernels", () => {
  const ptx = `.version 8.0
.target sm_90a
.address_size 64
.extern .func (.param .b64 r) malloc(.param .b64 n);
.global .u32 count = 40;
.global .u64 callback;
.global .u64 block;
.func (.reg .b32 r) triple(.reg .b32 a) { mul.lo.u32 r, a, 3; ret; }
.visible .entry first(.param .u64 out)
{
  .reg .b32 t;
  .reg .b64 d;
  .global .u32 kept = 5;
  ld.global.u32 t, [count];
  add.u32 t, t, 1;
  st.global.u32 [count], t;
  mov.b64 d, triple;
  st.global.u64 [callback], d;
  { .param .b64 p; .param .b64 q; st.param.b64 [p], 8; call (q), malloc, (p); ld.param.b64 d, [q]; }
  st.global.u64 [block], d;
  ld.global.u32 t, [kept];
  add.u32 t, t, 1;
  st.global.u32 [kept], t;
  st.u32 [d], t;
  ret;
}
.visible .entry second(.param .u64 out)
{
  .reg .b32 %t<2>;
  .reg .b64 %d<2>;
  ld.param.u64 %d0, [out];
  ld.global.u32 %t0, [count];
  ld.global.u64 %d1, [callback];
  proto: .callprototype (.reg .b32 _) _ (.reg .b32 _);
  call (%t1), %d1, (%t0), proto;
  st.global.u32 [%d0], %t1;
  ld.global.u64 %d1, [block];
  ld.u32 %t1, [%d1];
  st.global.u32 [%d0+4], %t1;
  ret;
}
`;
  it("share its variables, its functions and the heap, from launch to launch", async () => {
    expect([...(await runKernels(ptx, ["first", "first", "second"])).subarray(0, 2)]).toEqual([3 * 42, 7]);
  });
});

describe("loops without end", () => {
  const budget = { options: { stepBudget: 2 ** 18 } };
  it.each([
    ["that do nothing", "spin:\n  bra spin;\n  mov.u32 %r0, 0;"],
    [
      "that wait for what nobody writes",
      "spin:\n  ld.volatile.global.u32 %r0, [%in];\n  setp.eq.u32 %p0, %r0, 0;\n  @%p0 bra spin;",
    ],
    [
      "for a lock that is not given back",
      "spin:\n  atom.global.cas.b32 %r0, [%in], 0, 1;\n  setp.ne.u32 %p0, %r0, 0;\n  @%p0 bra spin;",
    ],
    [
      "that count, shuffle and meet",
      "  mov.u32 %r0, 0;\nspin:\n  add.u32 %r0, %r0, 1;\n  shfl.sync.idx.b32 %r1, %r0, 0, 31, -1;\n  bar.warp.sync -1;\n  nanosleep.u32 20;\n  setp.ne.u32 %p0, %r1, 0;\n  @%p0 bra spin;",
    ],
  ])("%s are told, with their place", async (_, body) => {
    expect(await assembledFailure(body, "", budget)).toMatchObject({
      code: "W9004",
      message: expect.stringMatching(/warp 0 of block \(0, 0, 0\) at .*\((k\.ptx:\d+:\d+|line \d+ of the PTX)\)/),
    });
  });
  it("in a function that they call", async () => {
    const module = ".func (.reg .b32 r) same(.param .b32 a) { ld.param.b32 r, [a]; ret; }";
    const body = "  mov.u32 %r0, 1;\nspin:\n  call (%r0), same, (%r0);\n  setp.ne.u32 %p0, %r0, 0;\n  @%p0 bra spin;";
    expect(await assembledFailure(body, module, budget)).toMatchObject({ code: "W9004" });
  });
  it("loops that end are let go on, however many warps and stores there are", async () => {
    const body = `  mov.u32 %r0, 0;
outer:
  mov.u32 %r1, 0;
inner:
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p0, %r1, 3000;
  @%p0 bra inner;
  st.global.u32 [%in], %r1;
  add.u32 %r0, %r0, 1;
  setp.lt.u32 %p1, %r0, 4;
  @%p1 bra outer;`;
    // More instructions than the budget in all, less from store to store.
    const found = await assembledWords(body, "", { options: { stepBudget: 20_000 } });
    expect(found).toEqual(new Array<number>(32).fill(4));
  });
});

describe("what nvcc makes", () => {
  // Recursion, a structure by value, a table of functions, virtual methods, printf, assert, malloc: all in one kernel.
  it.skipIf(noNvcc !== undefined)("of calls of every kind", rotating, async () => {
    const ptx = compileCuda(join(import.meta.dirname, "../../ptx/parse/cuda/calls.cu"), []);
    const lines: string[] = [];
    const device = new EmulatorDevice({ print: (line) => lines.push(line) });
    const stream = device.defaultStream;
    const module = device.loadModule(ptx, { entry: "calls", kernel: "calls", parameterBytes: [8, 4, 8], dynamicSharedBytes: 0 });
    const [x, y] = [device.allocate(32), device.allocate(64)];
    const launch = (n: number): void => {
      device.upload(stream, x, new Uint8Array(Float32Array.from([0, 1, 2, 3, 4, 5, 6, 7]).buffer));
      const parameters = device.parameters(module);
      parameters.views[0]?.setBigUint64(0, x, true);
      parameters.views[1]?.setInt32(0, n, true);
      parameters.views[2]?.setBigUint64(0, y, true);
      const one = [1, 1, 1] as const;
      const block = [8, 1, 1] as const;
      device.launch({
        module,
        parameters,
        grid: one,
        block,
        cluster: one,
        sharedBytes: 0,
        stream,
        overlapPrevious: false,
        spans: noSpans,
      });
    };
    launch(6);
    const floats = new Float32Array((await device.download(stream, x, 32)).slice().buffer);
    const doubles = new Float64Array((await device.download(stream, y, 64)).slice().buffer);
    // table[i & 1](x) + p->f(i) + fib(n), and r.d + record.d + constants[i & 1] + quad.x + *record.p + *pointer.
    expect([...floats]).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map((i) => (i % 2 === 0 ? i + 1 : 2 * i) + i + 8));
    expect([...doubles]).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map((i) => 6 + 3.5 + (i % 2 === 0 ? 1.5 : 2.5) + 1 + 0 + 5));
    expect(lines).toEqual(new Array<string>(8).fill("a 6 9.000000 text"));
    launch(3);
    await expect(device.download(stream, x, 4)).rejects.toThrow(/assertion n > 3 does not hold \(.*calls\.cu:\d+, void calls\(/);
  });
});
