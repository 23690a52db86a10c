import { describe, expect, it } from "vitest";
import { remembered } from "./turn.ts";

/** What a run of `turn` keeps, of the runs of one file. */
const after = (before: Parameters<typeof remembered>[0], ok: boolean, turn: number) =>
  remembered(before, [{ file: "a", ok }], turn);

describe("what has failed", () => {
  it("stays in until it has passed in six runs", () => {
    let kept = after({}, false, 4);
    for (const left of [6, 5, 4, 3, 2, 1]) {
      expect(kept).toEqual({ a: { 4: left } });
      kept = after(kept, true, 5);
    }
    expect(kept).toEqual({});
  });

  it("begins anew where the file fails again, with the sixth that failed then", () => {
    const kept = after(after(after({}, false, 4), true, 5), false, 0);
    expect(kept).toEqual({ a: { 0: 6, 4: 6 } });
  });

  it("is not forgotten by a run of other files", () => {
    const kept = after({}, false, 4);
    expect(remembered(kept, [{ file: "b", ok: true }], 1)).toEqual(kept);
  });
});
