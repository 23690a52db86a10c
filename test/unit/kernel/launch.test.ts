import { describe, expect, it } from "vitest";
import {
  explicit,
  type f32,
  type i32,
  kernel,
  type LogLine,
  type Static,
  type Tensor,
  TMA,
  tensorSpec,
  threadIdx,
} from "warpsmith";
import { logLayout } from "../../../src/base/log-layout.ts";
import { sortArguments } from "../../../src/kernel/arguments.ts";
import { kernelSource } from "../../../src/kernel/source.ts";
import type { FakeLaunch } from "../cuda/fake-driver.ts";
import { openFake } from "../cuda/open-fake.ts";

const copy = kernel(
  { block: 32, grid: 1, dynamic: { x: [1] } },
  function copy(x: Tensor<"f32", 2>, y: Tensor<"f32", 1>, n: i32, alpha: f32, twice: Static<boolean>) {
    y[threadIdx.x] = x[0]![n]! * alpha * (twice ? 2 : 1);
  },
);
const kernels = {
  copy: { parameterBytes: [8, 4, 4, 8, 4, 4] },
  say: { parameterBytes: [4, 8] },
  load: { parameterBytes: [128] },
};

const hex = (launch: FakeLaunch | undefined): string[] => (launch?.parameters ?? []).map((p) => Buffer.from(p).toString("hex"));
const word = (n: number): string => Buffer.from(Int32Array.of(n).buffer).toString("hex");

describe("a launch", () => {
  it("passes pointers, dynamic extents and strides, and scalars, in the order of the kernel's parameters", async () => {
    const { fake, device } = await openFake({ kernels });
    const x = device.zeros("f32", [2, 40]),
      y = device.zeros("f32", [32]);
    copy.launch({ grid: 7 }, x, y, 5, 0.5, true);
    expect(fake.launches.at(-1)).toMatchObject({ entry: "copy", grid: [7, 1, 1], block: [32, 1, 1] });
    const [, shape, stride, , n, alpha] = hex(fake.launches.at(-1));
    expect([shape, stride, n, alpha]).toEqual([word(40), word(40), word(5), "0000003f"]);
  });

  it("compiles once per set of static values, and not again for other scalars or dynamic extents", async () => {
    const { fake, device } = await openFake({ kernels });
    const y = device.zeros("f32", [32]);
    const loads = () => fake.countOf("cuModuleGetFunction");
    copy.launch({}, device.zeros("f32", [2, 40]), y, 1, 1, true);
    const once = loads();
    copy.launch({}, device.zeros("f32", [2, 99]), y, 2, 3, true);
    expect(loads()).toBe(once);
    copy.launch({}, device.zeros("f32", [2, 99]), y, 2, 3, false);
    expect(loads()).toBe(once + 1);
  });

  it("takes dynamic dimensions of tensors within objects by their paths", async () => {
    const add = kernel(
      { block: 32, grid: 1, dynamic: { y: [0], "inputs.x": [0] } },
      function copy(y: Tensor<"f32", 1>, inputs: { readonly x: Tensor<"f32", 1>; readonly w: Tensor<"f32", 1> }) {
        y[threadIdx.x] = inputs.x[threadIdx.x]! + inputs.w[inputs.x.shape[0] - y.shape[0] + inputs.w.shape[0]]!;
      },
    );
    const { fake, device } = await openFake({ kernels: { copy: { parameterBytes: [8, 4, 8, 4, 8] } } });
    const of = (n: number) => device.zeros("f32", [n]);
    const w = of(7);
    add.launch({}, of(32), { x: of(33), w } as never);
    const loads = fake.countOf("cuModuleGetFunction");
    add.launch({}, of(40), { x: of(44), w } as never);
    expect(hex(fake.launches.at(-1)).filter((_, i) => i % 2 === 1)).toEqual([word(40), word(44)]);
    expect(fake.countOf("cuModuleGetFunction")).toBe(loads);
    add.launch({}, of(40), { x: of(44), w: of(8) } as never);
    expect(fake.countOf("cuModuleGetFunction")).toBe(loads + 1);
  });

  it("takes dynamic dimensions of tensor maps: their extents follow the map, and strides are nobody's", async () => {
    const copy = kernel(
      { block: 32, grid: 1, dynamic: { x: [0], "maps.y": [1] } },
      function copy(x: TMA<"f16", 2>, maps: { readonly y: TMA<"f16", 2>; readonly z: TMA<"f16", 2> }, out: Tensor<"i32", 1>) {
        out[0] = x.shape[0] + x.shape[1] + maps.y.shape[1] + maps.z.shape[0];
      },
    );
    const { fake, device } = await openFake({ kernels: { copy: { parameterBytes: [128, 4, 128, 4, 128, 8] } } });
    const map = (rows: number, columns: number) =>
      new TMA(device.zeros("f16", [rows, columns]), { box: [8, 64], swizzle: "128B" });
    const out = device.zeros("i32", [1]);
    const z = map(16, 64);
    copy.launch({}, map(24, 64), { y: map(8, 72), z } as never, out);
    const loads = fake.countOf("cuModuleGetFunction");
    const launched = (x: TMA<"f16", 2>, y: TMA<"f16", 2>, other = z) => {
      copy.launch({}, x, { y, z: other } as never, out);
      return fake.countOf("cuModuleGetFunction") - loads;
    };
    expect(launched(map(40, 64), map(8, 128))).toBe(0);
    expect(hex(fake.launches.at(-1)).filter((_, i) => i === 1 || i === 3)).toEqual([word(40), word(128)]);
    expect(launched(map(40, 64), map(8, 128), map(8, 64))).toBe(1);
    expect(launched(map(40, 72), map(8, 128))).toBe(2);
  });

  it("sees what changed since the last one: scalars, the grid, a tensor, a field of a static object", async () => {
    const scaled = kernel(
      { block: 1, grid: 1 },
      function copy(x: Tensor<"f32", 2>, y: Tensor<"f32", 1>, n: i32, alpha: f32, options: Static<{ by: number }>) {
        y[0] = x[0]![n]! * alpha * options.by;
      },
    );
    const { fake, device } = await openFake({ kernels: { copy: { parameterBytes: [8, 8, 4, 4] } } });
    const x = device.zeros("f32", [2, 40]),
      y = device.zeros("f32", [32]),
      options = { by: 2 };
    const loaded = () => fake.countOf("cuModuleGetFunction");
    scaled.launch({}, x, y, 1, 1, options);
    const before = loaded();
    scaled.launch({ grid: [2, 3] }, x, y, 7, 1, options);
    expect(fake.launches.at(-1)).toMatchObject({ grid: [2, 3, 1] });
    expect(hex(fake.launches.at(-1))[2]).toBe(word(7));
    scaled.launch({}, x, x.slice([1, 2]).reshape(40), 7, 1, options);
    expect(hex(fake.launches.at(-1))[1]).not.toBe(hex(fake.launches.at(-2))[1]);
    expect(loaded()).toBe(before);
    options.by = 3;
    scaled.launch({}, x, y, 7, 1, options);
    expect(loaded()).toBe(before + 1);
  });

  it("knows a frozen object again, with frozen objects, tensors and maps in it, and looks again at any other", async () => {
    const asked: string[] = [];
    const counted = kernel(
      {
        block: 1,
        grid: () => {
          asked.push("grid");
          return 1;
        },
      },
      function scale(given: Static<{ x: Tensor<"f32", 1>; by: number; more: readonly number[] }>) {
        given.x[0] = given.by * (given.more?.[0] ?? 1);
      },
    );
    const { fake, device } = await openFake({ kernels: { scale: { parameterBytes: [8] } } });
    const x = device.zeros("f32", [32]);
    const looks = (given: object): number => {
      asked.length = 0;
      for (let i = 0; i < 3; i++) counted.launch({}, given as never);
      return asked.length;
    };
    const frozen = Object.freeze;
    expect(looks(frozen({ x, by: 2, more: frozen([3]) }))).toBe(1);
    expect(looks(frozen({ x, by: 2, more: [3] }))).toBe(3);
    expect(looks({ x, by: 2, more: frozen([3]) })).toBe(3);
    expect(
      looks(
        frozen({
          x,
          more: frozen([3]),
          get by() {
            return asked.length;
          },
        }),
      ),
    ).toBe(3);
    const around: Record<string, unknown> = { x, by: 2, more: frozen([1]) };
    around.self = around;
    expect(looks(frozen(around))).toBe(3);
    const other = frozen({ x: device.zeros("f32", [32]), by: 2, more: frozen([3]) });
    counted.launch({}, other as never);
    expect(hex(fake.launches.at(-1))).toEqual([Buffer.from(BigUint64Array.of(other.x.address()).buffer).toString("hex")]);
  });

  it("is kept for as long as its tensors live, however many take turns", async () => {
    let looks = 0;
    const grid = () => {
      looks++;
      return 1;
    };
    const touch = kernel({ block: 1, grid }, function touch(x: Tensor<"f32", 1>, y: Tensor<"f32", 1>, by: Static<number>) {
      x[0] = y[0]! * by;
    });
    const { fake, device } = await openFake({ kernels: { touch: { parameterBytes: [8, 8] } } });
    const xs = Array.from({ length: 40 }, () => device.zeros("f32", [32]));
    const pairs = xs.flatMap((x, i) => [3, 4].map((by) => [x, xs[(i + 1) % 40] ?? x, by] as const));
    for (const pair of pairs) touch.launch({}, ...pair);
    expect(looks).toBe(80);
    for (const pair of pairs) touch.launch({}, ...pair);
    expect(looks).toBe(80);
    expect(fake.launches.slice(80).map(hex)).toEqual(fake.launches.slice(0, 80).map(hex));
  });

  it("is compiled for the alignment that a view has", async () => {
    const { device } = await openFake({ kernels });
    const y = device.zeros("f32", [33]);
    const body = explicit((x: Tensor<"f32", 1>) => void x);
    const source = kernelSource({ block: 1, params: ["tensor"] }, body);
    const sorted = (first: number) => sortArguments(source, [y.slice([first, first + 4])]);
    const align = (first: number) => sorted(first).params.map((p) => (p.kind === "tensor" ? p.align : 0));
    expect([0, 1, 2, 4].map(align)).toEqual([[32], [4], [8], [16]]);
    expect(sorted(0).key).not.toBe(sorted(1).key);
    expect(sorted(0).key).toBe(sorted(8).key);
  });

  it("refuses a tensor that has been disposed, also behind a tensor map, and also when it was launched before", async () => {
    const load = kernel({ block: 32, grid: 1 }, function load(x: TMA<"f32", 2>) {
      x.prefetch();
    });
    const { fake, device } = await openFake({ kernels });
    const x = device.zeros("f32", [8, 8]),
      map = new TMA(x, { box: [8, 8] });
    load.launch({}, map);
    x.dispose();
    expect(() => load.launch({}, map)).toThrow(/W7006/);
    expect(() => new TMA(x, { box: [8, 8] })).toThrow(/W7006/);
    expect(() => load.launch({}, new TMA(tensorSpec("f32", [8, 8]), { box: [8, 8] }))).toThrow(/W7505/);
    expect(fake.launches.length).toBe(1);
  });
});

describe("a decorated method", () => {
  it("is static", () => {
    const decorate = kernel({ block: 1 }) as unknown as (method: () => void, context: { static: boolean }) => unknown;
    const method = function fill(): void {};
    expect(() => decorate(method, { static: false })).toThrow(/W7509 .*'fill'/);
    expect(decorate(method, { static: true })).toBe(method);
    for (const member of ["launch", "compile", "bench"])
      expect(() => (method as unknown as Record<string, unknown>)[member]).toThrow(new RegExp(`W7537 .*has no .\\.${member}.`));
  });
});

describe("a static parameter with a default", () => {
  const scaled = kernel({ block: 1, grid: 1 }, function scaled(x: Tensor<"f32", 1>, by: Static<number> = 3) {
    x[0] = x[0]! * by;
  });

  it("may be left out; nothing else may", () => {
    const spec = tensorSpec("f32", [4]);
    expect((scaled as { compile(...args: unknown[]): { ptx: string } }).compile(spec).ptx).toContain("0f40400000");
    expect(scaled.compile(spec, 5).ptx).toContain("0f40A00000");
    expect(() => (scaled as { compile(...args: unknown[]): unknown }).compile()).toThrow(/W7502/);
  });
});

describe("what a kernel prints", () => {
  const say = kernel({ block: 2, grid: 1 }, function say(n: i32) {
    console.log("thread", threadIdx.x, "has", n);
  });

  it("comes as lines with block and thread, by the end of sync", async () => {
    const { fake, device } = await openFake({
      kernels: {
        say: {
          ...kernels.say,
          run: (launch) => {
            const header = fake.memoryAt(Buffer.from(launch.parameters[1]!).readBigUInt64LE(), logLayout.headerBytes);
            const records = new DataView(header.buffer, header.byteOffset).getBigUint64(logLayout.records, true);
            const words = [1, 1].flatMap((site, t) => [site, 0, 0, 0, t, 0, 0, t, 30 + t]);
            fake
              .memoryAt(records + BigInt(4 * logLayout.firstRecord), 4 * words.length)
              .set(new Uint8Array(Uint32Array.from(words).buffer));
            return undefined;
          },
        },
      },
    });
    const lines: LogLine[] = [];
    say.launch({ device, onLog: (line) => lines.push(line) }, 30);
    await device.sync();
    expect(lines.map((l) => [l.text, l.thread[0]])).toEqual([
      ["thread 0 has 30", 0],
      ["thread 1 has 31", 1],
    ]);
    expect(lines[0]?.span).toMatchObject({ file: "test/unit/kernel/launch.test.ts" });
    await device.dispose();
  });
});
