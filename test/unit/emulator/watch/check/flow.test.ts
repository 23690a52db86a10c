import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Step } from "../../../../../src/emulator/program/step.ts";
import { basicBlocks, flow } from "../../../../../src/emulator/watch/check/flow.ts";
import { ofProperty } from "../../../../support/amount.ts";

/** A step that sets bits and clears others; which, stands beside it. */
type Kind = { readonly kind: "segment" } | { readonly kind: "branch" | "exit"; readonly guarded: boolean; readonly to: number };
interface Line {
  readonly step: Kind;
  readonly sets: number;
  readonly clears: number;
}

const stepOf = ({ step }: Line, count: number): Step => {
  const instruction = { opcode: { form: "mov" } };
  if (step.kind === "segment") return { kind: "segment", instruction } as unknown as Step;
  return { kind: step.kind, instruction, guard: step.guarded ? () => 0 : undefined, target: step.to % count } as unknown as Step;
};

const apply = ({ sets, clears }: Line, bits: number): number => (bits & ~clears) | sets;

/** Step by step, until nothing changes: of each that can be come to, the bits before it. */
function plainly(lines: readonly Line[]): ReadonlyMap<number, number> {
  const before = new Map([[0, 0]]);
  for (let changed = true; changed; ) {
    changed = false;
    for (const [at, line] of lines.entries()) {
      const bits = before.get(at);
      if (bits === undefined) continue;
      const { step } = line;
      const on = step.kind === "segment" || step.guarded ? [at + 1] : [];
      for (const to of step.kind === "branch" ? [step.to % lines.length, ...on] : on) {
        const known = before.get(to);
        const more = (known ?? 0) | apply(line, bits);
        if (known === more || to >= lines.length) continue;
        before.set(to, more);
        changed = true;
      }
    }
  }
  return before;
}

const line: fc.Arbitrary<Line> = fc.record({
  step: fc.oneof<fc.Arbitrary<Kind>[]>(
    fc.constant({ kind: "segment" }),
    fc.record({ kind: fc.constant("branch" as const), guarded: fc.boolean(), to: fc.nat(40) }),
    fc.record({ kind: fc.constant("exit" as const), guarded: fc.boolean(), to: fc.constant(0) }),
  ),
  sets: fc.nat(255),
  clears: fc.nat(255),
});

describe("data flow", () => {
  it("finds what each step on its own would be told", () => {
    const check = (lines: readonly Line[]): void => {
      const steps = lines.map((each) => stepOf(each, lines.length));
      const lineOf = new Map(steps.map((step, at) => [step, lines[at]]));
      const blocks = basicBlocks(steps);
      const before = flow(blocks, 1, 1, ({ steps: own }, bits) => {
        for (const step of own) bits[0] = apply(lineOf.get(step) as Line, bits[0] ?? 0);
      });
      const found = new Map<number, number>();
      blocks.forEach((block, i) => {
        let bits = before[i]?.[0] ?? 0;
        for (const step of block.steps) {
          found.set(steps.indexOf(step), bits);
          bits = apply(lineOf.get(step) as Line, bits);
        }
      });
      const byPlace = ([a]: readonly [number, number], [b]: readonly [number, number]): number => a - b;
      expect([...found].sort(byPlace)).toEqual([...plainly(lines)].sort(byPlace));
    };
    fc.assert(fc.property(fc.array(line, { minLength: 1, maxLength: 24, size: "max" }), check), ofProperty(20_000, 600));
  });

  it("goes through each block once where there are no loops", () => {
    const arms = 500;
    // if … else …, one behind the other.
    const lines = Array.from({ length: arms }, (_, i): readonly Line[] => {
      const at = 4 * i;
      const change = { sets: 1, clears: 0 };
      return [
        { step: { kind: "branch", guarded: true, to: at + 3 }, ...change },
        { step: { kind: "segment" }, ...change },
        { step: { kind: "branch", guarded: false, to: at + 4 }, ...change },
        { step: { kind: "segment" }, ...change },
      ];
    }).flat();
    const steps = [...lines, { step: { kind: "exit", guarded: false, to: 0 }, sets: 0, clears: 0 } as const].map((each) =>
      stepOf(each, lines.length + 1),
    );
    const blocks = basicBlocks(steps);
    let runs = 0;
    flow(blocks, 1, 1, (_, bits) => {
      runs += 1;
      bits[0] = runs;
    });
    expect(blocks).toHaveLength(3 * arms + 1);
    expect(runs).toBe(blocks.length);
  });
});
