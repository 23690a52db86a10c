import { afterEach, describe, expect, it, vi } from "vitest";
import {
  autotune,
  blockDim,
  blockIdx,
  type f32,
  gridDependency,
  type i32,
  kernel,
  openDevice,
  type Static,
  type Tensor,
  tensorSpec,
  threadIdx,
} from "warpsmith";
import { logLayout } from "../../../src/base/log-layout.ts";
import { captureOf } from "../../../src/runtime/index.ts";
import { rotating } from "../../support/amount.ts";
import type { FakeLaunch, FakeOptions } from "../cuda/fake-driver.ts";
import { openFake } from "../cuda/open-fake.ts";

/** One kernel for each number of threads in a block. */
const make = (block: number) =>
  kernel({ block, grid: (y) => Math.ceil(y.shape[0] / block) }, function axpy(y: Tensor<"f32", 1>, x: Tensor<"f32", 1>, a: f32) {
    const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < y.shape[0]) y[i] = y[i]! + a * x[i]!;
  });

const word = (launch: FakeLaunch, i: number): bigint => {
  const bytes = launch.parameters[i]!;
  return new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true);
};

/** Milliseconds by the number of threads. */
const times: Record<number, number> = { 32: 3, 64: 1, 128: 2, 256: 4 };
type Entry = NonNullable<FakeOptions["kernels"]>[string];

/** A device with a clock, on which `axpy` adds 1 to the first element of its first tensor. */
async function clocked(more: Partial<Entry> = {}, options: FakeOptions = {}) {
  const opened = await openFake({
    l2Bytes: 256,
    kernels: {
      axpy: {
        parameterBytes: [8, 8, 4],
        takes: ({ block }) => times[block[0]!] ?? 1,
        run: (launch) => {
          const first = opened.fake.memoryAt(word(launch, 0), 4);
          const floats = new DataView(first.buffer, first.byteOffset);
          floats.setFloat32(0, floats.getFloat32(0, true) + 1, true);
          return undefined;
        },
        ...more,
      },
    },
    ...options,
  });
  const { device } = opened;
  const blocks = () => opened.fake.launches.map(({ block }) => block[0]);
  return { ...opened, y: device.zeros("f32", [256]), x: device.zeros("f32", [256]), blocks };
}

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

describe("autotune", () => {
  it("measures each configuration at the first launch with a key, and launches the fastest ever after", async () => {
    const { device, x, y, blocks } = await clocked();
    const tuned = autotune([32, 64, 128], make);
    tuned.launch({}, y, x, 1);
    const first = blocks();
    // One that is not timed, then at least 3 and as many as 20 ms hold, then the one that was asked for.
    expect(first.slice(0, -1)).toEqual([
      ...new Array(1 + 7).fill(32),
      ...new Array(1 + 16).fill(64),
      ...new Array(1 + 9).fill(128),
    ]);
    expect(first.at(-1)).toBe(64);
    tuned.launch({}, y, x, 2);
    tuned.launch({}, device.zeros("f32", [256]), x, 3);
    expect(blocks().slice(first.length)).toEqual([64, 64]);
    const [choice, ...others] = tuned.choices();
    expect(others).toEqual([]);
    expect(choice).toMatchObject({ device: "Fake H200", config: 64 });
    expect(choice!.key).toContain("256");
    expect(choice!.trials.map(({ config, outcome, error }) => [config, outcome, error])).toEqual([
      [32, "measured", undefined],
      [64, "measured", undefined],
      [128, "measured", undefined],
    ]);
    // The clock goes on by a quarter of a millisecond at each event.
    expect(choice!.trials.map(({ time }) => time)).toEqual([3250, 1250, 2250]);
  });

  it("chooses again for another shape and for another device", async () => {
    const { device, x, y, blocks } = await clocked();
    const tuned = autotune([32, 64], make);
    tuned.launch({}, y, x, 1);
    const before = blocks().length;
    tuned.launch({}, device.zeros("f32", [512]), device.zeros("f32", [512]), 1);
    expect(blocks().length).toBeGreaterThan(before + 2);
    const other = await clocked({ takes: ({ block }) => block[0]! });
    tuned.launch({}, other.y, other.x, 1);
    expect(other.blocks().at(-1)).toBe(32);
    tuned.launch({}, y, x, 1);
    expect(blocks().at(-1)).toBe(64);
    expect(tuned.choices().map(({ config }) => config)).toEqual([64, 64, 32]);
  });

  it("tells launches apart by the author's key alone", async () => {
    const { device, x, y, blocks } = await clocked();
    const tuned = autotune([32, 64], make, { key: (_, __, a) => (a > 10 ? "large" : "small") });
    tuned.launch({}, y, x, 1);
    const small = blocks().length;
    tuned.launch({}, device.zeros("f32", [512]), x, 2);
    expect(blocks().length).toBe(small + 1);
    tuned.launch({}, y, x, 11);
    expect(blocks().length).toBeGreaterThan(small + 3);
    tuned.launch({}, y, x, 1);
    expect(tuned.choices().map(({ key }) => key)).toEqual(["small", "large"]);
  });

  it("leaves out what `skip` says, and measures nothing where one is left", async () => {
    const { x, y, blocks } = await clocked();
    const skipped = vi.fn((config: number, tensor: { readonly shape: readonly number[] }) => config < tensor.shape[0]! / 2);
    const tuned = autotune([32, 64, 128], make, { skip: skipped });
    tuned.launch({}, y, x, 1);
    tuned.launch({}, y, x, 1);
    expect(blocks()).toEqual([128, 128]);
    expect(skipped).toHaveBeenCalledTimes(3);
    expect(tuned.choices()[0]!.trials).toMatchObject([
      { outcome: "skipped" },
      { outcome: "skipped" },
      { outcome: "chosen without measuring", time: undefined },
    ]);
  });

  it("passes over what does not compile and what does not fit, and keeps why", async () => {
    const { x, y, blocks } = await clocked();
    const tuned = autotune([2048, 64, 128], make);
    tuned.launch({}, y, x, 1);
    expect(blocks().at(-1)).toBe(64);
    expect(tuned.choices()[0]!.trials).toMatchObject([
      { config: 2048, outcome: "refused", error: { code: "W7017" }, time: undefined },
      { config: 64, outcome: "measured", error: undefined },
      { config: 128, outcome: "measured" },
    ]);
  });

  it("passes over what the driver refuses to launch", async () => {
    const { fake, x, y, blocks } = await clocked();
    fake.refuse.set("cuLaunchKernel", [701]);
    const tuned = autotune([64, 128], make);
    tuned.launch({}, y, x, 1);
    expect(blocks().at(-1)).toBe(128);
    expect(tuned.choices()[0]!.trials).toMatchObject([{ outcome: "refused", error: { code: "W8007" } }, { outcome: "measured" }]);
  });

  it("names every reason where none is left", async () => {
    const { x, y } = await clocked();
    const tuned = autotune([{ block: 2048 }, { block: 64 }, { block: 4096 }], ({ block }) => make(block), {
      skip: ({ block }) => block === 64,
    });
    expect(() => tuned.launch({}, y, x, 1)).toThrow(
      /W7542 {2}None of the 3 .* axpy [\s\S]*\{"block":2048\}: W7017 .*2048[\s\S]*\{"block":64\}: left out by skip[\s\S]*\{"block":4096\}: W7017/,
    );
    expect(tuned.choices()).toEqual([]);
  });

  it("gives the error itself where all configurations say the same", async () => {
    const { x, y } = await clocked();
    const tuned = autotune([32, 64], make);
    y.dispose();
    expect(() => tuned.launch({}, y, x, 1)).toThrow(expect.objectContaining({ code: "W7006" }));
    expect(() => tuned.launch({}, x, x, "1" as never)).toThrow(expect.objectContaining({ code: "W7501" }));
  });

  it("lets errors of the author's own through, and asks again the next time", async () => {
    const { x, y, blocks } = await clocked();
    let wrong = true;
    const tuned = autotune([32, 64], (block) => {
      if (wrong) throw new TypeError("the author's");
      return make(block);
    });
    expect(() => tuned.launch({}, y, x, 1)).toThrow(TypeError);
    wrong = false;
    tuned.launch({}, y, x, 1);
    expect(blocks().at(-1)).toBe(64);
  });

  it("puts back what `restore` names, so that one launch changes it once", async () => {
    const { fake, device, x, y } = await clocked();
    const before = fake.liveBytes;
    autotune([32, 64], make).launch({}, y, x, 1);
    expect((await y.read())[0]).toBeGreaterThan(10);
    y.fill(5);
    const found = vi.fn();
    const tuned = autotune([32, 64], make, { restore: (out) => [out] });
    tuned.launch({}, y, x, 1);
    found((await y.read()).slice(0, 2));
    tuned.launch({}, y, x, 1);
    found((await y.read()).slice(0, 2));
    expect(found.mock.calls).toEqual([[Float32Array.of(6, 5)], [Float32Array.of(7, 5)]]);
    await device.sync();
    expect(fake.liveBytes).toBe(before);
  });

  it("gives every measured launch what `restore` keeps", async () => {
    const seen = new Set<number>();
    const { fake, y, x } = await clocked({
      run: (launch) => {
        const bytes = fake.memoryAt(word(launch, 0), 4);
        seen.add(bytes[0]!);
        bytes[0] = 77;
        return undefined;
      },
    });
    autotune([32, 64], make, { restore: (out) => [out] }).launch({}, y, x, 1);
    expect([...seen]).toEqual([0]);
  });

  it("measures in the stream of the launch, and restores there", async () => {
    const { device, fake, stream, x, y } = await clocked();
    const own = device.stream();
    autotune([32, 64], make, { restore: (out) => [out] }).launch({ stream: own }, y, x, 1);
    expect(new Set(fake.launches.map((launch) => launch.stream))).toEqual(new Set([own.native]));
    expect(own.native).not.toBe(stream);
    const copies = fake.calls.filter(({ name }) => name === "cuMemcpyDtoDAsync_v2");
    expect(new Set(copies.map(({ args }) => args[3]))).toEqual(new Set([own.native]));
    expect((await y.read())[0]).toBe(1);
  });

  it("overlaps nothing while it measures, and passes over kernels that cannot overlap where that is asked", async () => {
    const { fake, x, y, blocks } = await clocked();
    const waiting = (block: number) =>
      kernel({ block, grid: 1 }, function axpy(to: Tensor<"f32", 1>, from: Tensor<"f32", 1>, a: f32) {
        gridDependency.wait();
        to[threadIdx.x] = from[threadIdx.x]! * a;
      });
    const tuned = autotune([32, 64, 128], (block) => (block === 64 ? make(block) : waiting(block)));
    tuned.launch({ overlapPrevious: true }, y, x, 1);
    expect(tuned.choices()[0]!.trials).toMatchObject([
      { outcome: "measured" },
      { outcome: "refused", error: { code: "W7518" } },
      { outcome: "measured" },
    ]);
    expect(blocks().at(-1)).toBe(128);
    expect(fake.launches.map(({ attributes }) => attributes.length)).toEqual([...blocks().slice(1).fill(0), 1]);
  });

  it("shows the lines of the launch alone, and none of those that it measures", rotating, async () => {
    const { device, fake } = await openFake({
      l2Bytes: 256,
      kernels: {
        say: {
          parameterBytes: [4, 8],
          run: (launch) => {
            const header = fake.memoryAt(word(launch, 1), logLayout.headerBytes);
            const records = new DataView(header.buffer, header.byteOffset).getBigUint64(logLayout.records, true);
            const words = Uint32Array.of(1, 0, 0, 0, 0, 0, 0, launch.block[0]!);
            fake.memoryAt(records + BigInt(4 * logLayout.firstRecord), 32).set(new Uint8Array(words.buffer));
            return undefined;
          },
        },
      },
    });
    const tuned = autotune([32, 64], (block) =>
      kernel({ block, grid: 1 }, function say(n: i32) {
        console.log("a block of", n);
      }),
    );
    const lines: string[] = [];
    tuned.launch({ device, onLog: ({ text }) => lines.push(text) }, 7);
    await device.sync();
    expect(fake.launches.length).toBeGreaterThan(8);
    expect(lines).toEqual(["a block of 32"]);
  });

  it("ends with the error of a device that a configuration has ruined", async () => {
    const { x, y } = await clocked({ run: ({ block }) => (block[0] === 64 ? 719 : undefined) });
    expect(() => autotune([32, 64, 128], make).launch({}, y, x, 1)).toThrow(expect.objectContaining({ code: "W8008" }));
  });

  it("does not choose within a capture, and launches there what was chosen before", async () => {
    const { device, fake, x, y, blocks } = await clocked();
    const tuned = autotune([32, 64], make);
    expect(() => device.capture(() => tuned.launch({}, y, x, 1))).toThrow(expect.objectContaining({ code: "W7029" }));
    expect(() => device.capture(() => void tuned.bench({}, y, x, 1))).toThrow(expect.objectContaining({ code: "W7029" }));
    expect(fake.launches).toEqual([]);
    tuned.launch({}, y, x, 1);
    const before = blocks().length;
    device.capture(() => tuned.launch({}, y, x, 1)).launch();
    expect(blocks().slice(before)).toEqual([64]);
    expect(captureOf(device)).toBeUndefined();
  });

  it("benches the one that it chooses", async () => {
    const { x, y } = await clocked();
    const tuned = autotune([32, 64], make);
    expect((await tuned.bench({ repeat: 3 }, y, x, 1)).median).toBe(1250);
    expect(tuned.choices()).toHaveLength(1);
    await expect(tuned.bench({ repeet: 3 } as never, y, x, 1)).rejects.toMatchObject({ code: "W2601" });
    await expect(tuned.bench({}, y, x, "1" as never)).rejects.toMatchObject({ code: "W7501" });
  });

  it("compiles and traces what was chosen, else the first that it can", async () => {
    const { x, y } = await clocked();
    const spec = tensorSpec("f32", [256]);
    const tuned = autotune([2048, 32, 64], make);
    const lanes = () =>
      /\.reqntid (\d+)|\.maxntid (\d+)/
        .exec(tuned.compile(spec, spec, 1).ptx)
        ?.slice(1)
        .find(Boolean);
    expect(lanes()).toBe("32");
    tuned.launch({}, y, x, 1);
    expect(lanes()).toBe("64");
    expect(String(tuned.trace(spec, spec, 1))).toContain("axpy");
    expect(tuned.name).toBe("axpy");
    expect(tuned as never as () => void).toThrow(expect.objectContaining({ code: "W7510" }));
  });

  it("counts static arguments into the key by value", async () => {
    const { device, fake } = await openFake({ l2Bytes: 256, kernels: { scale: { parameterBytes: [8] } } });
    const x = device.zeros("f32", [32]);
    const tuned = autotune([32, 64], (block) =>
      kernel({ block, grid: 1 }, function scale(y: Tensor<"f32", 1>, options: Static<{ by: number }>) {
        if (threadIdx.x < 32) y[threadIdx.x] = y[threadIdx.x]! * options.by;
      }),
    );
    const options = { by: 2 };
    tuned.launch({}, x, options);
    const once = fake.launches.length;
    tuned.launch({}, x, { by: 2 });
    expect(fake.launches.length).toBe(once + 1);
    options.by = 3;
    tuned.launch({}, x, options);
    expect(tuned.choices()).toHaveLength(2);
  });

  it("prints each choice where WARPSMITH_AUTOTUNE asks for it", async () => {
    const { x, y } = await clocked();
    const printed = vi.spyOn(console, "error").mockImplementation(() => {});
    autotune([32, 64], make).launch({}, y, x, 1);
    expect(printed).not.toHaveBeenCalled();
    vi.stubEnv("WARPSMITH_AUTOTUNE", "print");
    autotune([2048, 32, 64], make, { key: () => "mine" }).launch({}, y, x, 1);
    const [[text]] = printed.mock.calls as [[string]];
    expect(text.split("\n")).toEqual([
      "autotune: axpy on Fake H200 for mine",
      expect.stringMatching(/^ {4}2048: W7017 /),
      "    32: 3250.00 us",
      "  * 64: 1250.00 us",
    ]);
  });
});

describe("autotune on the emulator", () => {
  it("takes the first configuration that it can use, and says so once", async () => {
    const printed = vi.spyOn(console, "error").mockImplementation(() => {});
    await using gpu = await openDevice("emulator");
    using y = gpu.tensor("f32", [256], new Float32Array(256).fill(1));
    using x = gpu.tensor("f32", [256], new Float32Array(256).fill(2));
    const tuned = autotune([32, 2048, 64, 128], make, { skip: (block) => block === 32 });
    tuned.launch({}, y, x, 3);
    tuned.launch({}, y, x, 3);
    expect(await y.read()).toEqual(new Float32Array(256).fill(13));
    expect(tuned.choices()[0]!.trials.map(({ outcome }) => outcome)).toEqual([
      "skipped",
      "refused",
      "chosen without measuring",
      "not tried",
    ]);
    autotune([32, 64], make).launch({}, y, x, 3);
    expect(printed).toHaveBeenCalledTimes(1);
    expect(printed.mock.calls[0]![0]).toContain("axpy");
    await expect(tuned.bench({}, y, x, 3)).rejects.toMatchObject({ code: "W8013" });
    await gpu.sync();
  });
});

describe("what autotune refuses", () => {
  it.each<[string, () => unknown, string]>([
    ["no options of a launch", () => autotune([32], make).launch(undefined as never, 1 as never, 1 as never, 1), "W2602"],
    ["no list", () => autotune(3 as never, make), "W7540"],
    ["an empty list", () => autotune([], make), "W7540"],
    ["no function", () => autotune([1], 3 as never), "W7540"],
    ["a key that is none", () => autotune([1], make, { key: 3 as never }), "W7046"],
    ["a skip that is none", () => autotune([1], make, { skip: true as never }), "W7046"],
    ["a restore that is none", () => autotune([1], make, { restore: [] as never }), "W7046"],
    ["an option that there is not", () => autotune([1], make, { kee: () => "" } as never), "W2601"],
    ["what is no kernel", () => autotune([1], (() => 3) as never).name, "W7541"],
    ["a kernel that tunes itself", () => autotune([1], () => autotune([32], make)).name, "W7541"],
  ])("%s", (_, run, code) => {
    expect(run).toThrow(expect.objectContaining({ code }));
  });

  it.each<[string, object, string]>([
    ["a key that is no string", { key: () => 3 }, "gives 3"],
    ["a skip that is no truth", { skip: () => "yes" }, 'gives "yes"'],
    ["a restore of numbers", { restore: () => [3] }, "gives [3]"],
  ])("%s", async (_, options, said) => {
    const { x, y } = await clocked();
    const tuned = autotune([32, 64], make, options as never);
    expect(() => tuned.launch({}, y, x, 1)).toThrow(
      expect.objectContaining({ code: "W7046", sentence: expect.stringContaining(said) }),
    );
  });
});
