import { describe, expect, it } from "vitest";
import { type Ending, remembered } from "./turn.ts";

/** What a run of `turn` keeps, of the runs of one file. */
const after = (before: Parameters<typeof remembered>[0], ending: Ending, turn: number) =>
  remembered(before, [{ file: "a", ending }], turn);

describe("what has failed", () => {
  it("stays in until it has passed in six runs", () => {
    let kept = after({}, "failed", 4);
    for (const left of [6, 5, 4, 3, 2, 1]) {
      expect(kept).toEqual({ a: { 4: left } });
      kept = after(kept, "passed", 5);
    }
    expect(kept).toEqual({});
  });

  it("begins anew where the file fails again, with the sixth that failed then", () => {
    const kept = after(after(after({}, "failed", 4), "passed", 5), "failed", 0);
    expect(kept).toEqual({ a: { 0: 6, 4: 6 } });
  });

  it("is neither kept nor forgotten by a run that was stopped", () => {
    const kept = after({}, "failed", 4);
    expect(after(kept, "cut", 5)).toEqual(kept);
    expect(after({}, "cut", 5)).toEqual({});
  });

  it("is not forgotten by a run of other files", () => {
    const kept = after({}, "failed", 4);
    expect(remembered(kept, [{ file: "b", ending: "passed" }], 1)).toEqual(kept);
  });
});
