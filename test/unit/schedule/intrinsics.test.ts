import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Device, openDevice } from "warpsmith";
import { intrinsicOf, tensorIntrinsic, tensorIntrinsics } from "../../../src/schedule/intrinsics/index.ts";
import { checkIntrinsic, harnessOf } from "../../../src/schedule/lower/check-intrinsic.ts";
import { programKernel } from "../../../src/schedule/lower/index.ts";
import { specsOf } from "../../../src/schedule/lower/stages.ts";

let gpu: Device;
beforeAll(async () => {
  gpu = await openDevice("emulator", { check: "strict" });
});
afterAll(() => gpu[Symbol.asyncDispose]());

describe("each built-in intrinsic does what its description says", () => {
  it.each(tensorIntrinsics())("%s", (name) => checkIntrinsic(name, gpu));
});

describe("the check finds", () => {
  it("an implementation that does something else", async () => {
    const { description, participants } = intrinsicOf("wmma_store");
    tensorIntrinsic("wrong_store", {
      description,
      participants,
      implementation: (tile, view) => tile.value.store(view.transpose()),
    });
    await expect(checkIntrinsic("wrong_store", gpu)).rejects.toMatchObject({ code: "W5605" });
  });
  it("a name twice", () => {
    const { description, implementation, participants } = intrinsicOf("wmma_store");
    expect(() => tensorIntrinsic("wmma_store", { description, implementation, participants })).toThrow(
      expect.objectContaining({ code: "W5593" }),
    );
  });
  it("a name that nothing has", () => {
    expect(() => intrinsicOf("wmma_stor")).toThrow(/wmma_store/);
  });
});

it("what is checked is on the tensor cores", () => {
  const program = harnessOf(intrinsicOf("wmma_sync"));
  expect(programKernel(program).compile(...specsOf(program)).ptx).toContain("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32");
});
