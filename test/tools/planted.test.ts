import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { Answers } from "./planted/answers.ts";
import { planted } from "./planted/fault.ts";
import { faults } from "./planted/faults.ts";
import { testsNear } from "./planted/near.ts";
import { runCommand } from "./planted/run-command.ts";

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

describe("commands", () => {
  const where = { root: src, cache: src, seconds: 60, file: undefined };
  it("end where they end, whatever they leave running", async () => {
    expect(await runCommand("sleep 300 & echo done", where)).toEqual({ status: 0, late: false, output: "done\n" });
  });
  it("that are too late are stopped", async () => {
    expect(await runCommand("sleep 300", { ...where, seconds: 0.1 })).toMatchObject({ status: null, late: true });
  });
});

describe("answers that are kept", () => {
  const folder = mkdtempSync(join(tmpdir(), "planted-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const question = { command: "npm test", rebuild: "", tree: "1" };
  const [fault] = faults;
  it("are of the same question alone", () => {
    const path = join(folder, "answers.json");
    const { name, file, find, replace } = fault as (typeof faults)[number];
    new Answers(path, question).add({ name, file, find, replace, found: true, by: "tests", seconds: 1, failing: [] });
    expect(new Answers(path, question).of(fault as (typeof faults)[number])).toMatchObject({ found: true });
    expect(() => new Answers(path, { ...question, tree: "2" })).toThrow(/another tree/);
    expect(() => new Answers(path, { ...question, command: "npm run test:ci" })).toThrow(/other commands/);
  });
});
