/**
 * Warps that meet at barriers of their block by number. Where some timing lets a warp meet others than those it is to meet, that is reported under every
 * timing; else nothing is. What each timing does is tried on a model that knows nothing of clocks.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import { WarpsmithError } from "../../../../../../src/base/diag/index.ts";
import type { Schedule } from "../../../../../../src/emulator/machine/choices.ts";
import { isAsked, ofProperty } from "../../../../../support/amount.ts";
import { runPtx } from "../../../run-ptx.ts";

/** Those who meet, each of whom waits there or only arrives. */
interface Meeting {
  readonly id: number;
  readonly warps: readonly { readonly warp: number; readonly waits: boolean }[];
}

const warps = 4;

const meetings: fc.Arbitrary<readonly Meeting[]> = fc.array(
  fc
    .record({
      id: fc.integer({ min: 1, max: 2 }),
      who: fc.subarray([0, 1, 2, 3], { minLength: 2 }),
      arriveOnly: fc.array(fc.nat(5), { minLength: warps, maxLength: warps }),
    })
    .map(({ id, who, arriveOnly }) => ({
      id,
      warps: who.map((warp, i) => ({ warp, waits: arriveOnly[i] !== 0 })),
    })),
  { minLength: 1, maxLength: 5 },
);

interface Step {
  readonly meeting: number;
  readonly id: number;
  readonly count: number;
  readonly waits: boolean;
}

const stepsOf = (program: readonly Meeting[], warp: number): readonly Step[] =>
  program.flatMap(({ id, warps }, meeting) => {
    const own = warps.find((each) => each.warp === warp);
    return own ? [{ meeting, id, count: warps.length, waits: own.waits }] : [];
  });

interface State {
  /** How many steps each has begun; whether it waits at the last of them. */
  readonly begun: readonly number[];
  readonly blocked: readonly boolean[];
  /** The arrivals at each barrier, by the meeting that they are of. */
  readonly at: Readonly<Record<number, readonly Step[]>>;
}

/** Whether some order of arrivals lets other warps meet than are to meet. */
function canGoWrong(program: readonly Meeting[]): boolean {
  const steps = Array.from({ length: warps }, (_, warp) => stepsOf(program, warp));
  const seen = new Set<string>();
  const goesWrong = (state: State): boolean => {
    const key = JSON.stringify(state);
    if (seen.has(key)) return false;
    seen.add(key);
    const ready = steps.flatMap((own, warp) => {
      const next = own[state.begun[warp] as number];
      return !state.blocked[warp] && next ? [{ warp, next }] : [];
    });
    if (ready.length === 0) return state.blocked.includes(true);
    return ready.some(({ warp, next }) => {
      const there = [...(state.at[next.id] ?? []), next];
      if (there.some(({ count }) => count !== next.count)) return true;
      const begun = state.begun.map((n, each) => (each === warp ? n + 1 : n));
      const waiting = state.blocked.map((waits, each) => (each === warp ? next.waits : waits));
      if (there.length < next.count) return goesWrong({ begun, blocked: waiting, at: { ...state.at, [next.id]: there } });
      if (there.some(({ meeting }) => meeting !== next.meeting)) return true;
      const waitsHere = (each: number): boolean => steps[each]?.[(begun[each] as number) - 1]?.id === next.id;
      const blocked = waiting.map((waits, each) => waits && !waitsHere(each));
      return goesWrong({ begun, blocked, at: { ...state.at, [next.id]: [] } });
    });
  };
  return goesWrong({ begun: [0, 0, 0, 0], blocked: [false, false, false, false], at: {} });
}

const codeOf = (program: readonly Meeting[]): string => `
  shr.u32 %r1, %tid, 5;
${Array.from({ length: warps }, (_, warp) => {
  const lines = stepsOf(program, warp).map(({ id, count, waits }) => `  bar.${waits ? "sync" : "arrive"} ${id}, ${32 * count};`);
  return `  setp.ne.u32 %p1, %r1, ${warp};\n  @%p1 bra $not${warp};\n${lines.join("\n")}\n$not${warp}:`;
}).join("\n")}`;

async function reported(program: readonly Meeting[], schedule: Schedule): Promise<string | undefined> {
  try {
    await runPtx({ body: codeOf(program), block: [32 * warps, 1, 1], outputBytes: 16, options: { check: "strict", schedule } });
    return undefined;
  } catch (error) {
    if (!(error instanceof WarpsmithError)) throw error;
    return error.code;
  }
}

it("warps that could meet others than they are to meet are told of under every timing, and no others", {
  timeout: 600_000,
}, async () => {
  const found = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(meetings, fc.constantFrom<Schedule>("eager", "lazy", 1, 2, 3), async (program, schedule) => {
      const code = await reported(program, schedule);
      expect(code !== undefined).toBe(canGoWrong(program));
      found.set(code ?? "silent", (found.get(code ?? "silent") ?? 0) + 1);
    }),
    ofProperty(2_000, 60),
  );
  if (isAsked) console.log(found);
  expect([...found.keys()]).toContain("silent");
  expect([...found.keys()]).toContain("W9247");
});
