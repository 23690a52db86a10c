// Candidates that hang or fault end a process of their own, and nothing else.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Verdict } from "../../../../src/kernel/tune/index.ts";
import { describeDevice, NoWorker, timeAll, verifyAll, type Workplace } from "../../../../src/kernels/tune/index.ts";
import type { Candidate } from "../../../../src/kernels/tune/types.ts";
import { rotating, some } from "../../../support/amount.ts";

const module = join(import.meta.dirname, "worker-double.mjs");
const place = (problem = "a problem"): Workplace => ({
  spec: { family: "double", problem, device: "" },
  patience: 1,
  module,
});

async function verdicts(candidates: readonly Candidate[], jobs: number): Promise<ReadonlyMap<Candidate, Verdict>> {
  const found = new Map<Candidate, Verdict>();
  await verifyAll(place(), candidates, {
    jobs,
    isOver: () => false,
    onVerdict: (candidate, verdict) => found.set(candidate, verdict),
  });
  return found;
}

describe("candidates in processes of their own", () => {
  it.each(some([3, 1], 0))("each gets its verdict, %i at a time", async (jobs) => {
    const all = ["right", "hangs", "right", "faults", "wrong", "refused", "right"].map((does, i) => ({ does, i }));
    const found = await verdicts(all, jobs);
    expect(all.map((candidate) => found.get(candidate)?.outcome)).toEqual(all.map(({ does }) => does));
    const reasons = all.map((candidate) => {
      const verdict = found.get(candidate);
      return verdict && "reason" in verdict ? verdict.reason : undefined;
    });
    expect(reasons[1]).toBe("it had not ended after 1 s");
    expect(reasons[3]).toBe("its process ended with status 7: an illegal address");
    expect(reasons[4]).toBe("because");
  });

  it("none is begun when the time is over", rotating, async () => {
    const found: Verdict[] = [];
    let asked = 0;
    await verifyAll(
      place(),
      Array.from({ length: 5 }, () => ({ does: "right" })),
      {
        jobs: 1,
        isOver: () => asked++ >= 2,
        onVerdict: (_, verdict) => void found.push(verdict),
      },
    );
    expect(found).toHaveLength(2);
  });

  it("times come in the order of the candidates", async () =>
    expect(await timeAll(place(), [{ us: 3 }, { us: 1 }, { us: null }], 1)).toEqual([3, 1, null]));

  it("says what the device is", rotating, async () =>
    expect(await describeDevice(place())).toMatchObject({ device: "a double", multiprocessors: 4 }),
  );

  it("says why there is none", rotating, async () => {
    const why = await describeDevice(place("no device")).catch((error: unknown) => error);
    expect(why).toBeInstanceOf(NoWorker);
    expect((why as Error).message).toBe("there is no device");
  });

  it("does not go on where no worker begins", rotating, async () =>
    expect(
      verifyAll({ ...place("no device") }, [{ does: "right" }], { jobs: 1, isOver: () => false, onVerdict: () => {} }),
    ).rejects.toThrow("there is no device"),
  );
});
