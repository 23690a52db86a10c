import { afterAll, describe, expect, it, vi } from "vitest";
import {
  autotune,
  blockIdx,
  fence,
  kernel,
  Mbarriers,
  openDevice,
  profile,
  type Static,
  syncThreads,
  type Tensor,
  threadIdx,
} from "warpsmith";
import { readWarps } from "../../../../src/kernel/watch/records.ts";
import { backendOf } from "../../../../src/runtime/index.ts";
import { watchOn } from "../../../support/watched.ts";

const gpu = await openDevice("emulator", { check: "off" });
const { records } = watchOn(gpu);
const next = vi.spyOn(backendOf(gpu), "watchRecords");
const watched = (): number => next.mock.calls.length;
afterAll(() => gpu.dispose());

/** Warp 0 tells the others when its numbers are there. */
const add = kernel({ block: 64, grid: 2 }, function add(x: Tensor<"i32", 1>, by: Static<number>) {
  const full = new Mbarriers(1).at(0);
  if (threadIdx.x === 0) {
    full.init(32);
    fence.mbarrierInit();
  }
  syncThreads();
  profile.begin("add");
  if (threadIdx.x < 32) {
    x.at(threadIdx.x).atomic("add", by);
    full.arrive();
  } else full.wait(false);
  profile.end("add");
});

const ended = async (launch: number): Promise<number> =>
  readWarps(await records(), launch).filter(({ live, waits }) => live === 0 && waits.length === 0).length;

describe("watch together with", () => {
  it("graphs: each launch of one does what it did, under the number of its capture", async () => {
    using x = gpu.zeros("i32", [32]);
    using graph = gpu.capture(() => {
      add.launch({ watch: true }, x, 1);
      add.launch({ watch: true }, x, 10);
    });
    for (let i = 0; i < 3; i++) graph.launch();
    expect(Array.from(await x.read())).toEqual(new Array(32).fill(66));
    expect(await ended(64)).toBe(4);
  });

  it("autotune: the kernel that is chosen is watched, and what it computes is right", async () => {
    using x = gpu.zeros("i32", [64]);
    const tuned = autotune([32, 64], (block) =>
      kernel({ block, grid: 64 / block }, function fill(to: Tensor<"i32", 1>) {
        syncThreads();
        to[blockIdx.x * block + threadIdx.x] = threadIdx.x + 1;
      }),
    );
    const before = watched();
    tuned.launch({ watch: true }, x);
    expect((await x.read()).every((value) => value > 0)).toBe(true);
    expect(watched()).toBeGreaterThan(before);
  });

  it("profiles: the marks of the launch are there, and what it computes is right", async () => {
    using x = gpu.zeros("i32", [32]);
    const made = await add.profile({ watch: true }, x, 3);
    expect(made.spans.some(({ name }) => name === "add")).toBe(true);
    expect((await x.read())[31]).toBe(6);
  });
});
