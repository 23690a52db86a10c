import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openDevice } from "warpsmith";
import { rotating } from "../support/amount.ts";
import { type Hang, mistaken } from "./hang.ts";
import { hangs } from "./index.ts";
import { tooManyBlocks } from "./kernels/too-many-blocks.ts";

async function thrownBy(hang: Hang): Promise<unknown> {
  await using gpu = await openDevice("emulator", { threads: 1 });
  try {
    await hang.case.run(gpu);
  } catch (error) {
    return error;
  }
  return undefined;
}

it("every file of kernels/ is in the table", () => {
  const files = readdirSync(join(import.meta.dirname, "kernels"));
  expect(hangs.map(({ file }) => file).toSorted()).toEqual(files.toSorted());
  expect(hangs.map(({ name }) => `${name}.ts`).toSorted()).toEqual(files.toSorted());
});

describe("on the emulator", () => {
  const isFound = async (hang: Hang) => expect(mistaken(hang, await thrownBy(hang), "emulator")).toBeUndefined();
  const [many, others] = [hangs.filter((hang) => hang === tooManyBlocks), hangs.filter((hang) => hang !== tooManyBlocks)];
  it.each(others.map((hang) => [hang.name, hang] as const))("%s", (_, hang) => isFound(hang));
  // A block on each multiprocessor, with all of its memory.
  it.each(many.map((hang) => [hang.name, hang] as const))("%s", rotating, (_, hang) => isFound(hang));
});
