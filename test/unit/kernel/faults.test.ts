// A kernel of the language that a GPU stops: from the line of its PTX to what the author wrote.
import { afterEach, describe, expect, it, vi } from "vitest";
import { openDevice, tensorSpec, type WarpsmithError } from "warpsmith";
import { createCudaKind } from "../../../src/cuda/index.ts";
import { registerDeviceKind } from "../../../src/runtime/device-registry.ts";
import { lineOf } from "../../faults/fault.ts";
import { helper, load, store, trap } from "../../faults/kernels.ts";
import { dumpAt } from "../../support/written-dump.ts";
import { FakeDriver } from "../cuda/fake-driver.ts";

let restore = (): void => {};
afterEach(() => {
  vi.unstubAllEnvs();
  restore();
});

const kernels = { helper, load, store, trap };
const spec = tensorSpec("i32", [1024]);

/** Launches one on a GPU that stops it at the first line of its PTX which matches, after others that it does not stop. */
async function stopped(
  name: "helper" | "store" | "trap",
  instruction: RegExp,
  before: readonly ("load" | "store")[] = [],
): Promise<WarpsmithError> {
  const dumps = () =>
    dumpAt(kernels[name].compile(spec).ptx, instruction, { block: [1, 0, 0], exception: 14, threads: [[3, 0, 0]] });
  const silent = Object.fromEntries(before.map((other) => [other, { parameterBytes: [8] }]));
  const fake = new FakeDriver({
    version: 13_000,
    coreDumps: true,
    kernels: { ...silent, [name]: { parameterBytes: [8], dumps } },
  });
  vi.stubEnv("WARPSMITH_WATCH", "on");
  restore = registerDeviceKind(createCudaKind(async () => ({ library: fake.library })));
  const gpu = await openDevice("cuda");
  const x = gpu.zeros("i32", [1024]);
  for (const other of before) kernels[other].launch({ watch: false }, x);
  kernels[name].launch({ watch: false }, x);
  const error = await x.read().then(
    () => {
      throw new Error("nothing was reported");
    },
    (thrown: WarpsmithError) => thrown,
  );
  await gpu.dispose();
  return error;
}

describe("a kernel that a GPU stops", () => {
  it("is told at the column of the statement, with the branch, the kernel and the launch around it", async () => {
    const { spans, sentence } = await stopped("store", /st\.global/);
    expect(sentence).toBe("store used memory that is not there: thread 3 of block (1, 0, 0), at st.global.b32.");
    expect(spans.map(({ line, column, note }) => [line, column, note])).toEqual([
      [lineOf("store"), 5, undefined],
      [lineOf("store") - 1, expect.any(Number), "inside"],
      [lineOf("store") - 2, expect.any(Number), "in the kernel at"],
      [expect.any(Number), expect.any(Number), "launched at"],
    ]);
  });

  it("of launches under way names the one whose kernel it was", async () => {
    const { code, sentence } = await stopped("store", /st\.global/, ["load"]);
    expect([code, sentence.split(" ")[0]]).toEqual(["W7756", "store"]);
  });

  it("in a helper that is called at several places does not say by which", async () => {
    const { spans } = await stopped("helper", /st\.global/);
    expect(spans.map(({ line, note }) => [line, note])).toEqual([
      [lineOf("helper"), undefined],
      [expect.any(Number), "launched at"],
    ]);
  });

  it("counts threads as its block does", async () => {
    expect((await stopped("trap", /\btrap;/)).sentence).toContain("thread (3, 0, 0) of block (1, 0, 0)");
  });
});
