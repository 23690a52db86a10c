import { type Span, type Spans, sameSpan } from "../../diag/index.ts";
import { spansHere } from "../fail-here.ts";
import { not } from "../numbers/compare.ts";
import { selectValue } from "../numbers/select.ts";
import type { StagedScalar } from "../scalar.ts";
import type { OpenRegion, Trace } from "../trace.ts";
import { absent, type Ended, type Exit, exitKey, Leaving, threadEnded } from "./completion.ts";
import { assignField, type FieldChange, fieldText, putField, takeBack } from "./fields.ts";
import { isUnderControl, popFrame, pushFrame } from "./frames.ts";
import { Joint, type Merged } from "./joint.ts";
import { settled } from "./parts.ts";
import { emitInto } from "./region.ts";

/** The outer variables that a branch or loop may assign, with the spans of their declarations. */
export interface Variables {
  readonly names: readonly string[];
  readonly spans: readonly (Span | undefined)[];
  get(): unknown[];
  set(values: readonly unknown[]): void;
}
export const noVariables: Variables = { names: [], spans: [], get: () => [], set: () => {} };

/** How a region ends that is closed next: what it returns is taken apart in it. */
export const settledEnd = (end: Ended): Ended =>
  end && !end.exited
    ? new Leaving(
        end.exits.map((exit) => ({ ...exit, value: settled(exit.value) })),
        end.sure,
      )
    : end;

/** One side of a branch as it was traced, and everything put back as it was before it. */
export interface Traced<T> {
  readonly region: OpenRegion;
  readonly result: T;
  readonly values: readonly unknown[];
  readonly changes: readonly FieldChange[];
}

/** Traces one side of a branch. With `after`, goes on where that one ended. */
export function traceSide<T>(trace: Trace, vars: Variables, run: () => T, after?: Traced<unknown>): Traced<T> {
  const before = vars.get();
  const frame = pushFrame(trace, "branch");
  try {
    const region: OpenRegion = after?.region ?? { params: [], ops: [] };
    return emitInto(trace, region, () => {
      if (after) resume(trace, vars, after);
      const result = run();
      const values = vars.get().map((value, i) => (value === before[i] ? value : settled(value)));
      const changes = takeBack(frame).map(({ entry, after }) => ({
        entry,
        after: after === entry.before ? after : settled(after),
      }));
      return { region, result, values, changes };
    });
  } finally {
    takeBack(frame);
    popFrame(trace, frame);
    vars.set(before);
  }
}

function resume(trace: Trace, vars: Variables, after: Traced<unknown>): void {
  vars.set(after.values);
  for (const { entry, after: value } of after.changes) assignField(trace, entry.object, entry.key, value);
}

const reachable = (end: unknown): boolean => !(end instanceof Leaving && end.exited);

/** Brings the two sides together: variables and fields become what they are on either way. */
export function joinSides(
  trace: Trace,
  condition: StagedScalar,
  yes: Traced<unknown>,
  no: Traced<unknown>,
  vars: Variables,
  flat = false,
): Joint {
  const joint = new Joint(
    trace,
    condition,
    { region: yes.region, reached: reachable(yes.result) },
    { region: no.region, reached: reachable(no.result) },
    flat,
  );
  vars.set(
    vars.names.map((name, i) => {
      const span = vars.spans[i];
      return joint.merge(yes.values[i], no.values[i], { what: `\`${name}\``, spans: span ? [span] : [] });
    }),
  );
  mergeFields(joint, yes.changes, no.changes);
  return joint;
}

function mergeFields(joint: Joint, yes: readonly FieldChange[], no: readonly FieldChange[]): void {
  const rest = new Set(no);
  for (const change of yes) {
    const { entry } = change;
    const other = no.find((c) => c.entry.object === entry.object && c.entry.key === entry.key);
    if (other) rest.delete(other);
    putField(entry, joint.merge(change.after, other ? other.after : entry.before, fieldMerge(change, other)));
  }
  for (const change of rest) putField(change.entry, joint.merge(change.entry.before, change.after, fieldMerge(change)));
}

function fieldMerge({ entry }: FieldChange, other?: FieldChange): Merged {
  const written: Spans = entry.written ?? other?.entry.written ?? [];
  const inner = written[0];
  const here = spansHere();
  return { what: fieldText(entry.object, entry.key), spans: inner && !here.some((s) => sameSpan(s, inner)) ? [inner] : [] };
}

/** How the two sides of a branch together end. */
function joinEnds(joint: Joint, yes: Ended, no: Ended): Ended {
  if (!yes && !no) return undefined;
  if (yes?.exited || no?.exited) return oneEnd(joint, yes?.exited ? no : yes);
  const keys = new Set([...(yes?.exits ?? []), ...(no?.exits ?? [])].map(exitKey));
  const exits: Exit[] = [];
  for (const key of keys) {
    const [a, b] = [find(yes, key), find(no, key)];
    const like = a ?? b;
    if (!like) continue;
    const flag = joint.merge(a?.flag ?? false, b?.flag ?? false, { what: "`break`", spans: [] });
    const value = joint.merge(a ? a.value : absent, b ? b.value : absent, { what: "what this function returns", spans: [] });
    exits.push({ kind: like.kind, label: like.label, flag: flag as StagedScalar | true, value });
  }
  return new Leaving(exits, Boolean(yes?.sure && no?.sure));
}

/** The end of the only side that goes on, as it is seen outside. */
function oneEnd(joint: Joint, end: Ended): Ended {
  const out = (x: unknown): unknown => joint.merge(x, x, { what: "what this function returns", spans: [] });
  return (
    end &&
    new Leaving(
      end.exits.map((exit) => ({ ...exit, flag: out(exit.flag) as StagedScalar | true, value: out(exit.value) })),
      end.sure,
    )
  );
}

const find = (end: Ended, key: string): Exit | undefined => end?.exits.find((exit) => exitKey(exit) === key);

/** `if (condition) yes else no`, then `rest` where neither left. The condition is staged. */
export function branch(
  trace: Trace,
  condition: StagedScalar,
  yes: () => Ended,
  no: () => Ended,
  vars: Variables,
  rest?: () => Ended,
): Ended {
  let first = traceSide(trace, vars, () => settledEnd(yes()));
  const leaves = (end: Ended): boolean => Boolean(end?.sure && !end.exited);
  const restInElse = rest !== undefined && leaves(first.result);
  const second = traceSide(trace, vars, () => {
    const end = no();
    return settledEnd(restInElse ? afterwards(trace, end, rest, vars) : end);
  });
  const restInYes = rest !== undefined && !restInElse && leaves(second.result);
  if (restInYes) {
    const end = first.result;
    first = traceSide(trace, vars, () => settledEnd(afterwards(trace, end, rest, vars)), first);
  }
  const end = closeBranch(trace, condition, first, second, vars);
  return rest === undefined || restInElse || restInYes ? end : afterwards(trace, end, rest, vars);
}

function closeBranch(trace: Trace, condition: StagedScalar, yes: Traced<Ended>, no: Traced<Ended>, vars: Variables): Ended {
  if (yes.result?.exited && no.result?.exited) {
    new Joint(trace, condition, { region: yes.region, reached: false }, { region: no.region, reached: false }, false).close();
    return endThread(trace);
  }
  const joint = joinSides(trace, condition, yes, no, vars);
  const end = joinEnds(joint, yes.result, no.result);
  joint.close();
  return end;
}

/** Ends the thread here. In the kernel's own statement list the end of the trace does that. */
export function endThread(trace: Trace): Ended {
  if (isUnderControl(trace)) trace.emit("exit", {}, {});
  return threadEnded;
}

/** Did it leave, in any of the ways? */
export function left(end: Leaving): StagedScalar | true {
  const flags = end.exits.map((exit) => exit.flag);
  return flags.includes(true) ? true : flags.reduce((a, b) => selectValue(a, true, b) as StagedScalar);
}

/** The statements after one that may have left. */
export function afterwards(trace: Trace, before: Ended, rest: () => Ended, vars: Variables): Ended {
  if (!before) return rest();
  if (before.sure) return before;
  const gone = left(before);
  if (gone === true) return before;
  const goesOn = not(gone) as StagedScalar;
  const yes = traceSide(trace, vars, () => settledEnd(rest()));
  const only = before.exits.length === 1 ? before.exits.map((exit) => ({ ...exit, flag: true as const })) : before.exits;
  const no = traceSide(trace, vars, (): Ended => new Leaving(only, true));
  return closeBranch(trace, goesOn, yes, no, vars);
}
