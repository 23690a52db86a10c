/** What was issued behind a launch that fails. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { assert, type Device, type i32, kernel, openDevice, type Tensor, threadIdx, WarpsmithError } from "warpsmith";
import { backendOf } from "../../../../src/runtime/index.ts";

const inc = kernel({ block: 32, grid: 1 }, function inc(x: Tensor<"i32", 1>) {
  x[threadIdx.x]! += 1;
});
const stops = kernel({ block: 32, grid: 1 }, function stops(x: Tensor<"i32", 1>) {
  x[threadIdx.x] = -1;
  assert(x[threadIdx.x]! > 5, "stops");
});
const races = kernel({ block: 64, grid: 1 }, function races(x: Tensor<"i32", 1>) {
  x[0] = threadIdx.x;
});
const looks = kernel({ block: 32, grid: 1 }, function looks(x: Tensor<"i32", 1>) {
  assert(x[threadIdx.x]! > 5, "looks");
});
const add = kernel({ block: 32, grid: 1 }, function add(from: Tensor<"i32", 1>, to: Tensor<"i32", 1>, more: i32) {
  to[threadIdx.x] = to[threadIdx.x]! + from[threadIdx.x]! + more;
});
const addAndStop = kernel({ block: 32, grid: 1 }, function addAndStop(from: Tensor<"i32", 1>, to: Tensor<"i32", 1>) {
  to[threadIdx.x] = from[threadIdx.x]!;
  assert(from[threadIdx.x]! > 5, "stops");
});

describe("behind a launch that fails", () => {
  let gpu: Device;
  const tensor = (value = 0) => gpu.tensor("i32", [32], Array<number>(32).fill(value));
  beforeEach(async () => {
    gpu = await openDevice("emulator", { check: "normal" });
  });
  afterEach(() => gpu.dispose());

  const failure = async (promise: Promise<unknown>): Promise<WarpsmithError> => {
    const error = await promise.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof WarpsmithError)) throw new Error(`it did not fail, or with ${error}`);
    return error;
  };

  it.each([
    ["an assertion", stops, "W7515"],
    ["a race", races, "W9201"],
  ] as const)("by %s, launches on other tensors run, in its stream and in others", async (_, bad, code) => {
    const [x, y, z] = [tensor(), tensor(), tensor()];
    using other = gpu.stream();
    bad.launch({}, x);
    inc.launch({}, y);
    inc.launch({ stream: other }, z);
    expect([(await y.read())[0], (await z.read())[0]]).toEqual([1, 1]);
    await other.sync();
    expect(await failure(gpu.sync())).toMatchObject({ code });
    await gpu.sync();
  });

  it("what is written is there", async () => {
    const [x, y] = [tensor(), tensor()];
    stops.launch({}, x);
    y.write(Array<number>(32).fill(9));
    const [made, filled] = [tensor(4), gpu.zeros("i32", [32])];
    filled.fill(3);
    expect((await failure(gpu.sync())).code).toBe("W7515");
    expect([(await y.read())[0], (await made.read())[0], (await filled.read())[0]]).toEqual([9, 4, 3]);
  });

  it("each failure is told, the first with the others behind it", async () => {
    const [x, y, z] = [tensor(), tensor(), tensor()];
    stops.launch({}, x);
    looks.launch({}, y);
    races.launch({}, z);
    const error = await failure(gpu.sync());
    expect(error).toMatchObject({ code: "W7515", spans: [{ file: expect.stringContaining("behind-a-failure") }, {}] });
    expect(error.sentence).toMatch(/\n {2}2 more failed: W7515 at \S+:\d+, W9201 at \S+:\d+$/);
    expect(error.cause).toMatchObject({ errors: [{ code: "W7515" }, { code: "W9201" }] });
    await gpu.sync();
  });

  it("what takes its tensors does not run, nor what takes theirs, and is told with it", async () => {
    const [x, y, z] = [tensor(), tensor(10), tensor()];
    stops.launch({}, x);
    inc.launch({}, x);
    add.launch({}, x, y, 1);
    add.launch({}, y, z, 1);
    const error = await failure(z.read());
    expect(error).toMatchObject({ code: "W7515" });
    expect(error.sentence).toMatch(/\n {2}3 launches behind did not run: inc at \S+:\d+, add at \S+:\d+, add at \S+:\d+$/);
    expect(error.cause).toMatchObject({
      errors: [
        { code: "W7530", message: expect.stringContaining("inc did not run: 'x' is in doubt since stops failed (W7515).") },
        { code: "W7530", message: expect.stringContaining("add did not run: 'from' is in doubt") },
        { code: "W7530", cause: { code: "W7515" } },
      ],
    });
    expect([(await x.read())[0], (await y.read())[0], (await z.read())[0]]).toEqual([-1, 10, 0]);
    inc.launch({}, x);
    expect((await x.read())[0]).toBe(0);
  });

  it("what it only reads is not in doubt for launches", async () => {
    const [weights, x, y] = [tensor(2), tensor(), tensor()];
    addAndStop.launch({}, weights, x);
    add.launch({}, weights, y, 0);
    expect((await y.read())[0]).toBe(2);
    expect((await failure(weights.read())).code).toBe("W7515");
    expect((await weights.read())[0]).toBe(2);
  });

  it("a launch or a read that was issued before the failure was told is refused", async () => {
    const [x, y] = [tensor(), tensor()];
    stops.launch({}, x);
    const [first, second] = [x.read(), x.read()];
    add.launch({}, x, y, 1);
    const third = y.read();
    expect((await failure(first)).code).toBe("W7515");
    expect(await failure(second)).toMatchObject({ code: "W7531", cause: { code: "W7515" } });
    expect(await failure(third)).toMatchObject({ code: "W7530", cause: { code: "W7515" } });
    await gpu.sync();
  });

  it("a tensor that is written anew is no longer in doubt; one that is written in part is", async () => {
    const [x, y, z] = [tensor(), tensor(), tensor()];
    stops.launch({}, x);
    x.slice([0, 16]).fill(7);
    expect((await x.slice([0, 16]).read())[0]).toBe(7);
    add.launch({}, x, z, 1);
    x.slice([16, 32]).fill(7);
    add.launch({}, x, y, 1);
    expect((await y.read())[31]).toBe(8);
    expect((await failure(z.read())).sentence).toMatch(/1 launch behind did not run: add at/);
  });

  it("what is copied out of a tensor in doubt is in doubt", async () => {
    const backend = backendOf(gpu);
    const [x, y, z] = [tensor(), tensor(), tensor(5)];
    stops.launch({}, x);
    backend.copy(backend.defaultStream, y.address(), x.address(), 128);
    backend.copy(backend.defaultStream, x.address(), z.address(), 128);
    expect((await x.read())[0]).toBe(5);
    expect((await failure(y.read())).code).toBe("W7515");
  });

  it("a stream tells of its own failures, and of its launches that did not run", async () => {
    const [x, y] = [tensor(), tensor()];
    using one = gpu.stream();
    using two = gpu.stream();
    stops.launch({ stream: one }, x);
    inc.launch({ stream: two }, y);
    await two.sync();
    inc.launch({ stream: two }, x);
    expect((await failure(two.sync())).sentence).toMatch(/1 launch behind did not run: inc/);
    await one.sync();
    stops.launch({ stream: one }, x);
    expect((await failure(one.sync())).code).toBe("W7515");
    await gpu.sync();
  });

  it("a graph goes on with what does not depend on it, and runs when it is launched again", async () => {
    const [x, y] = [tensor(), tensor()];
    using graph = gpu.capture(() => {
      looks.launch({}, x);
      inc.launch({}, y);
    });
    graph.launch();
    expect((await y.read())[0]).toBe(1);
    expect((await failure(gpu.sync())).code).toBe("W7515");
    x.fill(6);
    graph.launch();
    await gpu.sync();
    expect((await y.read())[0]).toBe(2);
  });

  it("the record of an assertion is that of its launch", async () => {
    const x = gpu.tensor(
      "i32",
      [32],
      Array.from({ length: 32 }, (_, i) => (i === 3 ? 1 : 6)),
    );
    const y = gpu.tensor(
      "i32",
      [32],
      Array.from({ length: 32 }, (_, i) => (i === 9 ? 2 : 6)),
    );
    using graph = gpu.capture(() => looks.launch({}, x));
    graph.launch();
    looks.launch({}, y);
    const error = await failure(gpu.sync());
    expect(error.message).toContain("(1 > 5 is false): thread 3");
    expect(String((error.cause as AggregateError).errors[0])).toContain("(2 > 5 is false): thread 9");
    x.write(await y.read());
    graph.launch();
    expect((await failure(gpu.sync())).message).toContain("(2 > 5 is false): thread 9");
  });

  it("the device that is disposed prints what failed behind a reported failure, and throws what was issued after the report", async () => {
    const print = vi.spyOn(console, "error").mockImplementation(() => {});
    try {
      for (const later of [false, true]) {
        const own = await openDevice("emulator", { check: "normal" });
        const [x, y] = [own.zeros("i32", [32]), own.zeros("i32", [32])];
        stops.launch({}, x);
        races.launch({}, y);
        expect(await failure(x.read())).toMatchObject({ code: "W7515" });
        if (later) races.launch({}, x);
        if (later) expect(await failure(own.dispose())).toMatchObject({ code: "W9201" });
        else await own.dispose();
        expect(print.mock.calls.map(([text]) => String(text).slice(0, 5))).toEqual(["W9201"]);
        print.mockClear();
      }
    } finally {
      print.mockRestore();
    }
  });

  it("the device that is disposed tells of all", async () => {
    const own = await openDevice("emulator");
    const x = own.zeros("i32", [32]);
    stops.launch({}, x);
    inc.launch({}, x);
    expect((await failure(own.dispose())).sentence).toMatch(/1 launch behind did not run/);
  });
});

describe("what launches that wait cost", () => {
  const show = kernel({ block: 32, grid: 1 }, function show(x: Tensor<"i32", 1>) {
    x[threadIdx.x]! += 1;
    if (threadIdx.x === 0) console.log(x[0]);
  });

  it("no memory of their own for what they log, and each gets its own lines", async () => {
    await using gpu = await openDevice("emulator", { threads: 1 });
    const backend = backendOf(gpu);
    const mapped = backend.mapped.bind(backend);
    let bytes = 0;
    backend.mapped = (size) => {
      bytes += size;
      return mapped(size);
    };
    const x = gpu.zeros("i32", [32]);
    const lines: string[] = [];
    for (let i = 0; i < 50; i++) {
      show.launch({ onLog: ({ text }) => void lines.push(`${i}: ${text}`) }, x);
      inc.launch({}, x);
    }
    using graph = gpu.capture(() => inc.launch({}, x));
    graph.launch();
    expect((await x.read())[0]).toBe(101);
    expect(lines).toEqual(Array.from({ length: 50 }, (_, i) => `${i}: ${2 * i + 1}`));
    expect(bytes).toBeLessThan(2 * 2 ** 20);
  });
});
