// The search for the fastest, with candidates that are numbers.
import { expect, it, vi } from "vitest";
import { type Round, run, runAtOnce, search, wait } from "../../../src/kernel/tune/search.ts";

const round = (candidates: readonly number[], time?: (n: number) => number | null): Round<number> => ({
  candidates: () => candidates,
  *try(fresh, note) {
    for (const n of fresh) note(n, n < 0 ? { outcome: "wrong", reason: "below 0" } : { outcome: yield* wait("right" as const) });
  },
  ...(time && { time: (right) => right.map(time) }),
});

it("waits for nothing where no step waits, and tries each candidate once, though rounds name it again", () => {
  const tried = vi.fn();
  const first = round([3, -1, 1, 3], (n) => n);
  const second: Round<number> = {
    ...round([1, 2], (n) => 10 * n),
    *try(fresh, note) {
      tried(fresh);
      yield* first.try(fresh, note);
    },
  };
  const found = runAtOnce(search([first, second]));
  expect(tried.mock.calls).toEqual([[[2]]]);
  // Those of the last round first; what is wrong was not timed.
  expect(found.map(({ candidate, outcome, time, round }) => [candidate, outcome, time, round])).toEqual([
    [1, "right", 10, 2],
    [2, "right", 20, 2],
    [3, "right", 3, 1],
    [-1, "wrong", undefined, undefined],
  ]);
});

it("does not count a round with nothing to time, and leaves without a time what has none", () => {
  const found = runAtOnce(search([round([-1], (n) => n), round([1, 2], (n) => (n === 1 ? null : n))]));
  expect(found.map(({ candidate, round }) => [candidate, round])).toEqual([
    [2, 1],
    [-1, undefined],
    [1, undefined],
  ]);
});

it("waits where steps wait, and ends with what they reject", async () => {
  const late = { ...round([2, 1]), time: (right: readonly number[]) => Promise.resolve(right) };
  expect((await run(search([late]))).map(({ candidate }) => candidate)).toEqual([1, 2]);
  expect(() => runAtOnce(search([late]))).toThrow("cannot wait");
  const broken = { ...late, time: () => Promise.reject(new RangeError("no device")) };
  await expect(run(search([broken]))).rejects.toThrow(RangeError);
});
