import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { planted } from "./planted/fault.ts";
import { faults } from "./planted/faults.ts";
import { testsNear } from "./planted/near.ts";

const src = join(import.meta.dirname, "../../src");

it("has two faults in each of twenty rooms, under names of their own", () => {
  const rooms = [...new Set(faults.map(({ room }) => room))];
  expect(faults).toHaveLength(40);
  expect(rooms).toHaveLength(20);
  for (const room of rooms) expect(faults.filter((fault) => fault.room === room)).toHaveLength(2);
  expect(new Set(faults.map(({ name }) => name)).size).toBe(faults.length);
});

it.each(faults)("$name can be planted", (fault) => {
  const { file, find, replace } = fault;
  expect(replace).not.toBe(find);
  expect(find + replace).not.toContain("\n");
  const text = readFileSync(join(src, file), "utf8");
  expect(text.split(find)).toHaveLength(2);
  expect(planted(text, fault)).not.toBe(text);
});

it("has tests near each fault's file, but of the rooms that have none of their own", () => {
  const root = join(src, "..");
  expect(testsNear(root, "dsl/control/choose.ts")).toBe("test/unit/dsl/control");
  expect(testsNear(root, "kernels/attention/softmax.ts")).toBe("test/unit/kernels");
  expect(testsNear(root, "compile.ts")).toBe(undefined);
  expect(faults.filter(({ file }) => testsNear(root, file) === undefined).map(({ file }) => file)).toEqual([]);
});
