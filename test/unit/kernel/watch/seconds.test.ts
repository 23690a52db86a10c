import { afterEach, expect, it, vi } from "vitest";
import { watchSeconds } from "../../../../src/kernel/watch/seconds.ts";

afterEach(() => vi.unstubAllEnvs());

it.each([
  // What the launch says, the variable, debug of the kernel; how long.
  [undefined, "", undefined, undefined],
  [undefined, "", true, 5],
  [undefined, "off", true, undefined],
  [undefined, "on", undefined, 5],
  [undefined, "7", undefined, 7],
  [true, "", undefined, 5],
  [true, "off", undefined, 5],
  [true, "7", undefined, 7],
  [2, "7", undefined, 2],
  [false, "on", true, undefined],
] as const)("launch %j, variable %j, debug %j: %j", (watch, variable, debug, seconds) => {
  vi.stubEnv("WARPSMITH_WATCH", variable);
  expect(watchSeconds(watch, debug)).toBe(seconds);
});
