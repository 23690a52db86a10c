import { absent, type Ended, Leaving, names, without } from "../control/completion.ts";
import type { Block, Hooks } from "../hooks-interface.ts";

/** Statements outside a trace: plain JavaScript. A completion has one exit and is sure there. */
const asEnded = (completion: unknown): Ended => (completion instanceof Leaving ? completion : undefined);

export const plainReturn = (completion: unknown): unknown => {
  const value = asEnded(completion)?.exits.find((exit) => exit.kind === "ret")?.value;
  return value === absent ? undefined : value;
};

/** One iteration of a loop: whether the loop ends, and how it goes further out. */
function iteration(end: Ended, labels: readonly string[]): { stop: boolean; end: Ended } {
  const going = without(end, (exit) => names(exit, ["cont"], labels));
  return { stop: going !== undefined, end: without(going, (exit) => names(exit, ["brk"], labels)) };
}

export function plainForOf(iterable: unknown, body: (element: never) => unknown, labels: readonly string[]): Ended {
  for (const element of iterable as Iterable<never>) {
    const { stop, end } = iteration(asEnded(body(element)), labels);
    if (stop) return end;
  }
  return undefined;
}

export function plainLoop({ test, update, body, postTest, labels = [] }: Parameters<Hooks["loop"]>[1]): Ended {
  if (!postTest && test && !test()) return undefined;
  for (;;) {
    const { stop, end } = iteration(asEnded(body()), labels);
    if (stop) return end;
    update?.();
    if (test && !test()) return undefined;
  }
}

export function plainSwitch(value: unknown, cases: Parameters<Hooks["switch"]>[2], labels: readonly string[]): Ended {
  const hit = cases.findIndex((c) => c.test && c.test() === value);
  const start = hit >= 0 ? hit : cases.findIndex((c) => !c.test);
  if (start < 0) return undefined;
  for (const c of cases.slice(start)) {
    const end = asEnded(c.body());
    if (end) return without(end, (exit) => names(exit, ["brk"], labels));
  }
  return undefined;
}

export const plainIf = (condition: unknown, yes: Block, no: Block | null, rest?: Block): Ended =>
  asEnded(condition ? yes() : no?.()) ?? asEnded(rest?.());

export const plainThen = (before: unknown, rest: Block): Ended => asEnded(before) ?? asEnded(rest());
