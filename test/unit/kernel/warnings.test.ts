import { afterEach, describe, expect, test, vi } from "vitest";
import { blockIdx, type Device, i32, kernel, openDevice, type Tensor, threadIdx, type Warning } from "warpsmith";

/** All threads of a block store one value to one place. */
const flag = kernel({ block: 64, grid: 1 }, function flag(x: Tensor<"i32", 1>) {
  x[0] = i32(7);
});
/** The same at a line of its own. */
const again = kernel({ block: 64, grid: 1 }, function again(x: Tensor<"i32", 1>) {
  x[1] = i32(7);
});

/** The index of a block is missing. */
const everywhere = kernel({ block: 64, grid: 2 }, function everywhere(x: Tensor<"i32", 1>) {
  x[threadIdx.x] = i32(7);
});

afterEach(() => void vi.restoreAllMocks());

async function run(
  options: { readonly check?: "normal" | "strict"; readonly warnings?: boolean },
  use: (gpu: Device) => Promise<void>,
) {
  await using gpu = await openDevice("emulator", { check: "normal", ...options });
  await use(gpu);
}

/** A grid that is too small by a block. */
const part = kernel({ block: 32, grid: 3 }, function part(x: Tensor<"i32", 1>) {
  x[blockIdx.x * 32 + threadIdx.x] = i32(7);
});

describe("memory that is read and that nothing has written", () => {
  const said = (): readonly string[] => vi.mocked(console.error).mock.calls.map(([text]) => String(text).split("\n")[0] ?? "");

  test("is a warning; zeros are written", async () => {
    vi.spyOn(console, "error").mockReturnValue();
    await run({}, async (gpu) => {
      using x = gpu.empty("i32", [128]);
      using zeros = gpu.zeros("i32", [128]);
      await zeros.read();
      expect(said()).toEqual([]);
      await x.read();
      part.launch({}, x);
      part.launch({}, zeros);
      await x.read();
      await x.slice([0, 96]).read();
      await zeros.read();
    });
    expect(said()).toEqual(["warning W9250  Nothing has written the 512 bytes that are read here."]);
  });

  test("is an error under strict, of some of it a warning; and nothing without checks", async () => {
    vi.spyOn(console, "error").mockReturnValue();
    await run({ check: "strict" }, async (gpu) => {
      using x = gpu.empty("i32", [128]);
      await expect(x.read()).rejects.toMatchObject({ code: "W9250" });
      part.launch({}, x);
      await x.read();
      expect((await x.slice([0, 96]).read()).at(-1)).toBe(7);
    });
    expect(said()).toEqual([
      "warning W9250  Of the 512 bytes that are read here nothing has written 128, the first of them at byte 384.",
    ]);
    await using gpu = await openDevice("emulator", { check: "off" });
    using x = gpu.empty("i32", [4]);
    expect((await x.read()).length).toBe(4);
  });

  test("counts between elements of a slice for nothing", async () => {
    await run({ check: "strict" }, async (gpu) => {
      using x = gpu.empty("i32", [8, 4]);
      x.slice(undefined, [0, 2]).fill(1);
      expect([...(await x.slice(undefined, [0, 2]).read())]).toEqual(Array(16).fill(1));
      await expect(x.slice(undefined, [2, 4]).slice([7, 8]).read()).rejects.toMatchObject({ code: "W9250" });
    });
  });
});

describe("what the manual does not promise", () => {
  test("is a warning, and the launch succeeds", async () => {
    const warnings: Warning[] = [];
    await run({}, async (gpu) => {
      using x = gpu.zeros("i32", [2]);
      flag.launch({ onWarning: (warning) => warnings.push(warning) }, x);
      expect(await x.read()).toEqual(Int32Array.of(7, 0));
    });
    expect(warnings.map(({ code, spans }) => [code, spans[0]?.line])).toEqual([["W9201", 6]]);
    expect(warnings[0]?.sentence).toContain("working code does this");
    expect(String(warnings[0])).toMatch(
      /^warning W9201 {2}A race in flag: .+\n {2}test\/unit\/kernel\/warnings\.test\.ts:6:3\n.*\n {2}fix: /s,
    );
  });

  test("names the index that is the same in all blocks", async () => {
    const warnings: Warning[] = [];
    await run({}, async (gpu) => {
      using x = gpu.zeros("i32", [128]);
      everywhere.launch({ onWarning: (warning) => warnings.push(warning) }, x);
      await gpu.sync();
    });
    expect(warnings.map(({ code, fix }) => [code, fix.slice(0, 99)])).toEqual([
      ["W9201", "let each block store to elements of its own: an index without `blockIdx` is the same in every block"],
    ]);
  });

  test("is printed once for each place, where nobody takes it", async () => {
    const said = vi.spyOn(console, "error").mockReturnValue();
    await run({}, async (gpu) => {
      using x = gpu.zeros("i32", [2]);
      for (let i = 0; i < 3; i++) again.launch({}, x);
      await gpu.sync();
    });
    expect(said.mock.calls.map(([text]) => String(text).split("\n")[1])).toEqual(["  test/unit/kernel/warnings.test.ts:10:3"]);
  });

  test.each([
    ["strict", { check: "strict" }, /W9201/],
    ["warnings: false", { warnings: false }, /^$/],
  ] as const)("under %s", async (_, options, message) => {
    const warnings: Warning[] = [];
    await run(options, async (gpu) => {
      using x = gpu.zeros("i32", [2]);
      const said = vi.spyOn(console, "error").mockReturnValue();
      flag.launch({}, x);
      const error: unknown = await gpu.sync().then(
        () => "",
        (error: unknown) => error,
      );
      expect(error instanceof Error ? error.message : error).toMatch(message);
      expect(said).not.toHaveBeenCalled();
    });
    expect(warnings).toEqual([]);
  });

  test("what onWarning throws is told behind the launch, which has run", async () => {
    await run({}, async (gpu) => {
      using x = gpu.zeros("i32", [2]);
      const onWarning = (): void => {
        throw new TypeError("no");
      };
      flag.launch({ onWarning }, x);
      await expect(gpu.sync()).rejects.toThrow(/W7047 {2}onWarning of this launch of flag threw: TypeError: no/);
      expect(await x.read()).toEqual(Int32Array.of(7, 0));
    });
  });

  test("is refused as an option that is no function", async () => {
    await run({}, async (gpu) => {
      using x = gpu.zeros("i32", [2]);
      expect(() => flag.launch({ onWarning: true as never }, x)).toThrow(/W7046.*onWarning/);
    });
    await expect(openDevice("emulator", { warnings: 1 as never })).rejects.toThrow(/W7025.*warnings/);
    for (const check of ["off", "strict"] as const)
      await expect(openDevice("emulator", { warnings: true, check })).rejects.toThrow(/W7025.*warnings is true beside check/);
    await (await openDevice("emulator", { warnings: false, check: "strict" })).dispose();
  });
});
