import { vi } from "vitest";

/** Makes each millisecond so many, for those who ask `performance`; `vi.restoreAllMocks()` ends it. */
export function hasten(times: number): void {
  const now = performance.now.bind(performance);
  const begin = now();
  vi.spyOn(performance, "now").mockImplementation(() => begin + times * (now() - begin));
}
