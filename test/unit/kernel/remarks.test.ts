import { afterEach, describe, expect, it, vi } from "vitest";
import {
  BlockedLayout,
  blockIdx,
  f32,
  helper,
  type Kernel,
  kernel,
  namedBarrier,
  range,
  syncThreads,
  type Tensor,
  tensorSpec,
  threadIdx,
  tile,
  warpgroup,
} from "warpsmith";
import { rotating } from "../../support/amount.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const spec = tensorSpec("f32", [64, 64]);

it("tells of a conversion that the compiler puts in: the line, the layouts, the cost, how to do without", () => {
  const turns = kernel({ block: 128, grid: 1 }, function turns(x: Tensor<"f32", 2>, y: Tensor<"f32", 2>) {
    y.storeTile([0, 0], tile.transpose(x.loadTile([0, 0], [64, 64])));
  });
  const { remarks } = turns.compile(spec, spec);
  expect(remarks).toHaveLength(1);
  const [{ code, message, advice, spans } = { spans: [] }] = remarks;
  expect(code).toBe("R6201");
  expect(message).toContain('from "blocked 4x1 of 16x2 of 1x4 order 0,1" to "blocked 1x4 of 2x16 of 4x1 order 1,0"');
  expect(message).toContain("16384 bytes go through shared memory, and all its warps meet at two barriers");
  expect(advice).toContain("x.loadTile(at, shape, layout)");
  expect(spans[0]?.file).toMatch(/remarks\.test\.ts$/);
  expect(String(remarks[0])).toContain("y.storeTile");
});

it("tells of the author's conversions, and of shuffles", () => {
  const rows = new BlockedLayout({ perThread: [1, 4], threads: [2, 16], warps: [4, 1] });
  const other = new BlockedLayout({ perThread: [1, 1], threads: [2, 16], warps: [4, 1] });
  const converts = kernel({ block: 128, grid: 1 }, function converts(x: Tensor<"f32", 2>, y: Tensor<"f32", 2>) {
    y.storeTile([0, 0], tile.convertLayout(x.loadTile([0, 0], [64, 64], rows), other));
  });
  const told = converts.compile(spec, spec).remarks.map(({ code, message }) => `${code} ${message}`);
  expect(told).toHaveLength(1);
  expect(told[0]).toMatch(/^R6202 This converts a tile \[64, 64\] of f32 .* \d+ shuffles in each thread\.$/);
});

it("says nothing where nothing is converted", () => {
  const adds = kernel({ block: 128, grid: 1 }, function adds(x: Tensor<"f32", 2>, y: Tensor<"f32", 2>) {
    y.storeTile([0, 0], x.loadTile([0, 0], [64, 64]) + tile.full([64, 64], 1));
  });
  expect(adds.compile(spec, spec).remarks).toEqual([]);
});

const sizes = (k: number) => [tensorSpec("f32", [4, k]), tensorSpec("f32", [k, 32]), tensorSpec("f32", [4, 32])] as const;
const unrolls = kernel({ block: 32, grid: 1 }, function unrolls(a: Tensor<"f32", 2>, b: Tensor<"f32", 2>, c: Tensor<"f32", 2>) {
  let s = f32(0);
  for (let k = 0; k < a.shape[1]; k++) s += a.at(blockIdx.x, k).value * b.at(k, threadIdx.x).value;
  c.at(blockIdx.x, threadIdx.x).value = s;
});
const loops = kernel({ block: 32, grid: 1 }, function loops(a: Tensor<"f32", 2>, b: Tensor<"f32", 2>, c: Tensor<"f32", 2>) {
  let s = 0;
  for (const k of range(a.shape[1])) s += a.at(blockIdx.x, k).value * b.at(k, threadIdx.x).value;
  c.at(blockIdx.x, threadIdx.x).value = s;
});

it("tells of a long loop that unrolls and need not, with the loop that does not", () => {
  vi.stubEnv("WARPSMITH_STAGES", "remarks");
  vi.spyOn(console, "error").mockImplementation(() => {});
  const { remarks } = unrolls.compile(...sizes(128));
  expect(remarks.map(({ code }) => code)).toEqual(["R2001"]);
  expect(remarks[0]?.message).toMatch(
    /^This loop unrolls while the kernel is traced: 128 iterations become \d+ operations\. Its iterations are alike for all values of `k`, so one loop on the GPU can run them\.$/,
  );
  expect(remarks[0]?.advice).toBe(
    "write `for (const k of range(a.shape[1]))` for a loop on the GPU; write `for (const k of staticRange(a.shape[1]))` to unroll without this remark",
  );
  expect(String(remarks[0])).toContain("for (let k = 0; k < a.shape[1]; k++)");
  expect(loops.compile(...sizes(128)).remarks).toEqual([]);
});

it("tells of loops in loops of which none is long", rotating, () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  const nested = kernel({ block: 32, grid: 1 }, function nested(a: Tensor<"f32", 2>, x: Tensor<"f32", 1>) {
    let s = f32(0);
    for (let i = 0; i < a.shape[0]; i++) for (let k = 0; k < a.shape[1]; k++) s += a.at(i, k).value;
    x.at(threadIdx.x).value = s;
  });
  const vector = tensorSpec("f32", [32]);
  const { remarks } = nested.compile(tensorSpec("f32", [60, 60]), vector);
  expect(remarks.map(({ code, message }) => [code, /\d+ iterations/.exec(message)?.[0]])).toEqual([["R2001", "60 iterations"]]);
  expect(nested.compile(tensorSpec("f32", [8, 8]), vector).remarks).toEqual([]);
});

it("prints such a remark when the kernel is compiled first, once for each place", () => {
  const said = vi.spyOn(console, "error").mockImplementation(() => {});
  const scales = kernel({ block: 32, grid: 1 }, function scales(x: Tensor<"f32", 1>) {
    for (let i = 0; i < x.shape[0]; i++) x.at(i).value = x.at(i).value * i + f32(i);
  });
  scales.compile(tensorSpec("f32", [400]));
  scales.compile(tensorSpec("f32", [500]));
  expect(said.mock.calls.map(([text]) => String(text))).toEqual([
    expect.stringMatching(/^R2001 {2}This loop unrolls .*400 iterations/),
  ]);
  expect(String(said.mock.calls[0])).toContain("and `f32(i)` where `i` meets f32");
});

describe("a barrier of the whole block in a role", () => {
  const roles = (consumer: () => void, producer: () => void) =>
    kernel({ block: 384, grid: 1 }, function roles(x: Tensor<"f32", 1>) {
      warpgroup.specialize({ consumer: { warpgroups: 2, run: consumer }, producer: { run: producer } });
      x[threadIdx.x] = 1;
    }).compile(tensorSpec("f32", [384])).remarks;
  const meet = helper(() => syncThreads());
  const idle = helper(() => {});
  const among = helper(() => namedBarrier(1, 256).sync());

  it("is told of where other roles do not come to it", () => {
    const [remark, ...others] = roles(meet, idle);
    expect(others).toEqual([]);
    expect(remark?.code).toBe("R2002");
    expect(remark?.message).toContain("the role `producer` does not come to it: `consumer` goes on only when");
    expect(remark?.advice).toContain("`namedBarrier(1, 256).sync()`");
    expect(roles(idle, meet)[0]?.advice).toContain("`warpgroup.sync()`");
  });
  it.each([
    ["all do", meet, meet],
    ["none does", among, idle],
  ])("is not where %s", (_, consumer, producer) => {
    expect(roles(consumer, producer)).toEqual([]);
  });
});

describe("a kernel of which nothing comes", () => {
  const codes = (of: Kernel<never[]>, ...args: unknown[]): readonly string[] =>
    (of as unknown as Kernel<unknown[]>).compile(...args).remarks.map(({ code }) => code);
  const vector = tensorSpec("f32", [64]);

  it("is told of", () => {
    const names = kernel({ block: 64, grid: 1 }, function names(x: Tensor<"f32", 1>, y: Tensor<"f32", 1>) {
      let v = x[threadIdx.x]!;
      v = 5;
      x = y;
      if (v > 3) v = y[0]!;
    });
    expect(codes(names as never, vector, vector)).toEqual(["R2003"]);
    const checked = kernel({ block: 64, grid: 1, debug: true }, function checked(x: Tensor<"f32", 1>, n: Tensor<"i32", 1>) {
      let v = x[n[threadIdx.x]! + 1]!;
      if (v > 3) v = 5;
    });
    expect(codes(checked as never, vector, tensorSpec("i32", [64]))).toEqual(["R2003"]);
    const [remark] = names.compile(vector, vector).remarks;
    expect(remark?.message).toContain("Nothing comes of names");
    expect(remark?.advice).toContain("x[i] = v");
    expect(remark?.spans[0]?.file).toMatch(/remarks\.test\.ts$/);
  });

  it("is none that stores, logs, asserts, or meets others", () => {
    const stores = kernel({ block: 64, grid: 1 }, function stores(x: Tensor<"f32", 1>) {
      x[threadIdx.x] = 1;
    });
    const logs = kernel({ block: 64, grid: 1 }, function logs(x: Tensor<"f32", 1>) {
      console.log(x[0]);
    });
    const adds = kernel({ block: 64, grid: 1 }, function adds(x: Tensor<"f32", 1>) {
      x.at(0).reduce("add", 1);
    });
    const meets = kernel({ block: 64, grid: 1 }, function meets(_: Tensor<"f32", 1>) {
      syncThreads();
    });
    for (const one of [stores, logs, adds, meets]) expect(codes(one as never, vector)).toEqual([]);
  });
});
