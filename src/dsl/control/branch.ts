import { type Spans, sameSpan } from "../../base/diag/index.ts";
import { not } from "../numbers/compare.ts";
import { selectValue } from "../numbers/select.ts";
import { changesOf, type FieldChange, fieldText, putField, rollBack } from "../objects/fields.ts";
import { type FieldEntry, type Frame, isUnderControl, popFrame, pushFrame, reopenFrame } from "../objects/frames.ts";
import { SideHeap } from "../objects/heap.ts";
import { noField } from "../objects/parts.ts";
import { spansHere } from "../trace/fail-here.ts";
import type { StagedScalar } from "../trace/scalar.ts";
import type { OpenRegion, Trace } from "../trace/trace.ts";
import { absent, common, type Ended, type Exit, exitKey, Leaving, threadEnded } from "./completion.ts";
import { Joint, type Merged } from "./joint.ts";
import { type Known, nothingKnown } from "./known.ts";
import { emitInto } from "./region.ts";
import type { Variables } from "./variables.ts";

export { noVariables, type Variables } from "./variables.ts";

/** Keeps what leaves a side in a value: see `SideHeap.keep`. */
export type Keep = (x: unknown) => unknown;

/** How a side ends, what it returns being kept. */
const keptEnd = (end: Ended, keep: Keep): Ended =>
  end && !end.exited
    ? new Leaving(
        end.exits.map((exit) => ({ ...exit, value: keep(exit.value) })),
        end.sure,
        end,
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
  /** What is static at the end of the side. */
  known(): Known;
}

interface SideBegin {
  /** Goes on where this one ended. */
  readonly after?: Traced<unknown>;
  /** What holds where the side begins, beside what the variables and fields hold. */
  readonly given?: Known;
}

/** Traces one side of a branch; `run` keeps what its result holds. */
export function traceSide<T>(
  trace: Trace,
  vars: Variables,
  run: (keep: Keep) => T,
  { after, given = nothingKnown }: SideBegin = {},
): Traced<T> {
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
      given.assume(trace, vars);
      const result = run((x) => heap.keep(x));
      const [now, changed] = [vars.get(), changesOf(frame)];
      const known = (): Known => given.after(vars, now, changed);
      // What still holds what was given has not changed: afterwards it is what all ways have joined to before.
      const values = now.map((value, i) =>
        value === before[i] || given.keepsVariable(vars, i, value) ? before[i] : heap.keep(value),
      );
      const changes = changed.map((change) => {
        const { entry, after, made } = change;
        const kept = given.keepsField(change);
        return {
          ...change,
          after: after === entry.before || kept ? entry.before : heap.keep(after),
          made: kept ? entry.present : made,
        };
      });
      for (const { entry, after, made } of changes) heap.set(entry.object, entry.key, made ? after : noField);
      return { region, frame, result, values, changes, heap, known };
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

/** How a side ends, and what is known on each of its ways. */
function knownEnd(side: Traced<Ended>, other: Traced<Ended>): { end: Ended; stays: readonly Known[] } {
  const { result } = side;
  if (result?.exited) return { end: result, stays: [] };
  const known = side.known().besides(side.changes, other.changes);
  if (!result) return { end: result, stays: [known] };
  const stays = result.stays.within(known);
  const exits = result.exits.map((exit) => ({ ...exit, known: exit.known.within(known) }));
  return { end: new Leaving(exits, result.sure, { stays }), stays: result.sure ? [] : [stays] };
}

/** How the two sides of a branch together end. */
function joinEnds(joint: Joint, first: Traced<Ended>, second: Traced<Ended>): Ended {
  if (!first.result && !second.result) return undefined;
  const [{ end: yes, stays }, { end: no, stays: more }] = [knownEnd(first, second), knownEnd(second, first)];
  if (yes?.exited || no?.exited) return yes?.exited ? no : yes;
  const keys = new Set([...(yes?.exits ?? []), ...(no?.exits ?? [])].map(exitKey));
  const exits: Exit[] = [];
  for (const key of keys) {
    const [a, b] = [find(yes, key), find(no, key)];
    const like = a ?? b;
    if (!like) continue;
    const flag = joint.merge(a?.flag ?? false, b?.flag ?? false, { what: "`break`", spans: [] });
    const value = joint.merge(a ? a.value : absent, b ? b.value : absent, { what: "what this function returns", spans: [] });
    const known = common([a, b].flatMap((exit) => exit?.known ?? []));
    exits.push({ kind: like.kind, label: like.label, flag: flag as StagedScalar | true, value, known });
  }
  return new Leaving(exits, Boolean(yes?.sure && no?.sure), { stays: common([...stays, ...more]) });
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
    first = traceSide(trace, vars, (keep) => keptEnd(afterwards(trace, end, rest, vars), keep), { after: first });
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
  const end = joinEnds(joint, yes, no);
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
  const yes = traceSide(trace, vars, (keep) => keptEnd(rest(), keep), { given: before.stays });
  const only = before.exits.length === 1 ? before.exits.map((exit) => ({ ...exit, flag: true as const })) : before.exits;
  const no = traceSide(trace, vars, (keep): Ended => keptEnd(new Leaving(only, true), keep));
  return closeBranch(trace, stays, yes, no, vars);
}
