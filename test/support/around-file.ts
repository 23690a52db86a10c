/**
 * What holds around every test file.
 *
 * Of exhaustive tests it takes those of the run's sixth (rotation.ts).
 *
 * Test files of a worker share its modules, so each one leaves them as it found them. Devices that a file has opened are closed when it is
 * over: reports ask every open device for its assembler, a fake one, too. What else it leaves behind is an error of that file.
 */
import { createHash } from "node:crypto";
import { relative } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, type RunnerTestCase as Test, vi } from "vitest";
import { openDevices } from "../../src/runtime/index.ts";
import { extent } from "./amount.ts";
import { fileIs, takes, testIs } from "./rotation.ts";

declare module "vitest" {
  interface TaskMeta {
    /** Milliseconds of CPU of a file, with what it loads: of the tests, and of all before them. */
    cpu?: { readonly loading: number; readonly tests: number };
  }
}

/** Milliseconds of CPU that this process has taken. */
const cpu = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** What decides of a test in which sixth it is: its names, which are the same in each run, whatever tests stand before it. */
const placeOf = ({ file, fullTestName }: Test): number =>
  createHash("sha256").update(`${file.name}\0${fullTestName}`).digest().readUInt32LE();

/** What is exhaustive: files of such tests, and tests that say so of themselves. */
const isExhaustive = (file: string, tags: readonly string[] | undefined): boolean =>
  file.endsWith(".long.test.ts") || tags?.includes("rotating") === true;

/** A file that is named to vitest, and a night, take all of them. */
const leavesOut = (test: Test): boolean => {
  if (extent === "all" || extent === "thorough" || !isExhaustive(test.file.name, test.tags)) return false;
  return extent === "quick" || !takes(placeOf(test));
};

const spied = { console, process, performance, stdout: process.stdout, stderr: process.stderr };

/** Variables that are not what they were, and functions that are still spied on. */
function leftBehind(before: Readonly<NodeJS.ProcessEnv>): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(process.env)]);
  const changed = [...names].filter((name) => process.env[name] !== before[name]);
  const mocks = Object.entries(spied).flatMap(([of, object]) =>
    Object.entries(object).flatMap(([name, value]) => (vi.isMockFunction(value) ? [`${of}.${name}`] : [])),
  );
  return [...changed, ...mocks];
}

/** Called by each-file.mjs for each test file: this module itself is loaded once. */
export function aroundFile(): void {
  const begun = cpu();
  let loaded = begun;
  beforeAll(() => {
    loaded = cpu();
  });
  fileIs(relative(process.cwd(), expect.getState().testPath ?? ""));

  // It is the first hook of a file: what is left out sets nothing up.
  beforeEach(({ task, skip }) => {
    if (leavesOut(task)) skip(extent === "quick" ? "npm run test:ci asks it, one time in six" : "another sixth asks it");
    testIs(isExhaustive(task.file.name, task.tags));
  });

  const before = { ...process.env };

  // It is the first hook of a file, and so the last one that runs.
  // biome-ignore lint/correctness/noEmptyPattern: Vitest asks for a pattern there.
  afterAll(async ({}, { file }) => {
    file.meta.cpu = { loading: loaded - begun, tests: cpu() - loaded };
    for (const device of openDevices()) {
      try {
        await device.dispose();
      } catch {
        // What went wrong on it is what the test is about.
      }
    }
    const left = leftBehind(before);
    if (left.length > 0)
      throw new Error(`this file leaves behind: ${left.join(", ")}. Put it back in an afterEach, for the files that follow.`);
  });
}
