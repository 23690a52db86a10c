import { type Span, type Spans, sameSpan } from "../../diag/index.ts";
import { not } from "../numbers/compare.ts";
import { selectValue } from "../numbers/select.ts";
import { changesOf, type FieldChange, fieldText, putField, rollBack } from "../objects/fields.ts";
import { type FieldEntry, type Frame, isUnderControl, popFrame, pushFrame, reopenFrame } from "../objects/frames.ts";
import { SideHeap } from "../objects/heap.ts";
import { spansHere } from "../trace/fail-here.ts";
import type { StagedScalar } from "../trace/scalar.ts";
import type { OpenRegion, Trace } from "../trace/trace.ts";
import { absent, type Ended, type Exit, exitKey, Leaving, threadEnded } from "./completion.ts";
import { Joint, type Merged } from "./joint.ts";
import { emitInto } from "./region.ts";

/** The outer variables that a branch or loop may assign, with the spans of their declarations. */
export interface Variables {
  readonly names: readonly string[];
  readonly spans: readonly (Span | undefined)[];
  get(): unknown[];
  set(values: readonly unknown[]): void;
}
export const noVariables: Variables = { names: [], spans: [], get: () => [], set: () => {} };

/** Keeps what leaves a side in a value: see `SideHeap.keep`. */
export type Keep = (x: unknown) => unknown;

/** How a side ends, what it returns being kept. */
const keptEnd = (end: Ended, keep: Keep): Ended =>
  end && !end.exited
    ? new Leaving(
        end.exits.map((exit) => ({ ...exit, value: keep(exit.value) })),
        end.sure,
      )
    : end;

/** One side of a branch as it was traced, and everything put back as it was before it. */
export interface Traced<T> {
  readonly region: OpenRegion;
  readonly frame: Frame;
  readonly result: T;
  readonly values: readonly unknown[];
  readonly changes: readonly FieldChange[];
  readonly heap: SideHeap;
}

/** Traces one side of a branch; `run` keeps what its result holds. With `after`, goes on where that one ended. */
export function traceSide<T>(trace: Trace, vars: Variables, run: (keep: Keep) => T, after?: Traced<unknown>): Traced<T> {
  const before = vars.get();
  const frame = after ? reopenFrame(trace, after.frame) : pushFrame(trace, "branch");
  const heap = new SideHeap(trace, frame);
  const region: OpenRegion = after?.region ?? { params: [], ops: [] };
  try {
    return emitInto(trace, region, () => {
      if (after) {
        vars.set(after.values);
        after.heap.restore();
      }
      const result = run((x) => heap.keep(x));
      const values = vars.get().map((value, i) => (value === before[i] ? value : heap.keep(value)));
      const changes = changesOf(frame).map(({ entry, after, made }) => ({
        entry,
        after: after === entry.before ? after : heap.keep(after),
        made,
      }));
      for (const { entry, after } of changes) heap.set(entry.object, entry.key, after);
      return { region, frame, result, values, changes, heap };
    });
  } finally {
    rollBack(frame);
    popFrame(trace, frame);
    vars.set(before);
  }
}

const goesOn = (end: unknown): boolean => !(end instanceof Leaving && end.exited);

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
    { region: yes.region, heap: yes.heap, reached: goesOn(yes.result) },
    { region: no.region, heap: no.heap, reached: goesOn(no.result) },
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
    mergeField(joint, entry, change, other);
  }
  for (const change of rest) mergeField(joint, change.entry, undefined, change);
}

function mergeField(joint: Joint, entry: FieldEntry, yes: FieldChange | undefined, no: FieldChange | undefined): void {
  // A field that no way to here has made is not made here.
  if (!entry.present && !(joint.reaches("yes") && yes?.made) && !(joint.reaches("no") && no?.made)) return;
  const value = joint.merge(yes ? yes.after : entry.before, no ? no.after : entry.before, fieldMerge(entry, yes, no));
  joint.later(() => putField(entry, value));
}

function fieldMerge(entry: FieldEntry, yes: FieldChange | undefined, no: FieldChange | undefined): Merged {
  const written: Spans = yes?.entry.written ?? no?.entry.written ?? [];
  const inner = written[0];
  const here = spansHere();
  return { what: fieldText(entry.object, entry.key), spans: inner && !here.some((s) => sameSpan(s, inner)) ? [inner] : [] };
}

/** How the two sides of a branch together end. */
function joinEnds(joint: Joint, yes: Ended, no: Ended): Ended {
  if (!yes && !no) return undefined;
  if (yes?.exited || no?.exited) return yes?.exited ? no : yes;
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
  let first = traceSide(trace, vars, (keep) => keptEnd(yes(), keep));
  const leaves = (end: Ended): boolean => Boolean(end?.sure && !end.exited);
  const restInElse = rest !== undefined && leaves(first.result);
  const second = traceSide(trace, vars, (keep) => {
    const end = no();
    return keptEnd(restInElse ? afterwards(trace, end, rest, vars) : end, keep);
  });
  const restInYes = rest !== undefined && !restInElse && leaves(second.result);
  if (restInYes) {
    const end = first.result;
    first = traceSide(trace, vars, (keep) => keptEnd(afterwards(trace, end, rest, vars), keep), first);
  }
  const end = closeBranch(trace, condition, first, second, vars);
  return rest === undefined || restInElse || restInYes ? end : afterwards(trace, end, rest, vars);
}

function closeBranch(trace: Trace, condition: StagedScalar, yes: Traced<Ended>, no: Traced<Ended>, vars: Variables): Ended {
  if (yes.result?.exited && no.result?.exited) {
    new Joint(trace, condition, { ...yes, reached: false }, { ...no, reached: false }, false).close();
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
  const stays = not(gone) as StagedScalar;
  const yes = traceSide(trace, vars, (keep) => keptEnd(rest(), keep));
  const only = before.exits.length === 1 ? before.exits.map((exit) => ({ ...exit, flag: true as const })) : before.exits;
  const no = traceSide(trace, vars, (keep): Ended => keptEnd(new Leaving(only, true), keep));
  return closeBranch(trace, stays, yes, no, vars);
}
