/**
 * Test files of a worker share its modules, so each one leaves them as it found them. Devices that a file has opened are closed when it is
 * over: reports ask every open device for its assembler, a fake one, too. What else it leaves behind is an error of that file.
 */
import { afterAll, vi } from "vitest";
import { openDevices } from "../../src/runtime/index.ts";

const before = { ...process.env };
const spied = { console, process, performance, stdout: process.stdout, stderr: process.stderr };

/** Variables that are not what they were, and functions that are still spied on. */
function leftBehind(): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(process.env)]);
  const changed = [...names].filter((name) => process.env[name] !== before[name]);
  const mocks = Object.entries(spied).flatMap(([of, object]) =>
    Object.entries(object).flatMap(([name, value]) => (vi.isMockFunction(value) ? [`${of}.${name}`] : [])),
  );
  return [...changed, ...mocks];
}

// It is the first hook of a file, and so the last one that runs.
afterAll(async () => {
  for (const device of openDevices()) {
    try {
      await device.dispose();
    } catch {
      // What went wrong on it is what the test is about.
    }
  }
  const left = leftBehind();
  if (left.length > 0)
    throw new Error(`this file leaves behind: ${left.join(", ")}. Put it back in an afterEach, for the files that follow.`);
});
