import { describe, expect, it } from "vitest";
import { openDevice } from "warpsmith";
import { mistaken, thrownBy } from "./fault.ts";
import { faults } from "./index.ts";
import * as kernels from "./kernels.ts";

it("every kernel of kernels.ts is in the table", () => {
  expect(faults.map(({ name }) => name).toSorted()).toEqual(Object.keys(kernels).toSorted());
});

describe("on the emulator", () => {
  it.each(faults.map((fault) => [fault.name, fault] as const))("%s", async (_, fault) => {
    await using device = await openDevice("emulator", { threads: 1 });
    expect(mistaken(fault, await thrownBy(fault, device), "emulator")).toBeUndefined();
  });
});
