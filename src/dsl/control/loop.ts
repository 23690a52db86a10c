/** A loop on the GPU: its body is traced once, and what it changes is carried. while-loop.ts and for-of.ts say which loops are traced so. */

import type { Value } from "../../ir/index.ts";
import { not } from "../numbers/compare.ts";
import { constant } from "../numbers/constant.ts";
import { wrap } from "../numbers/operands.ts";
import {
  changesOf,
  type FieldChange,
  fieldText,
  heapBefore,
  makeStale,
  mayGetField,
  putField,
  rollBack,
} from "../objects/fields.ts";
import { type CarryField, type Frame, isMadeIn, popFrame, pushFrame } from "../objects/frames.ts";
import { changedSince, changesNow, isUnsureField, Stale } from "../objects/identity.ts";
import { mapLeaves, partsOf } from "../objects/parts.ts";
import { exchangedObjects, type Held } from "../objects/sharing.ts";
import { spansHere } from "../trace/fail-here.ts";
import { isStagedScalar, type StagedScalar } from "../trace/scalar.ts";
import { Staged } from "../trace/staged.ts";
import type { OpenRegion, Trace } from "../trace/trace.ts";
import { blankLike } from "./blank.ts";
import { joinSides, left, traceSide, type Variables } from "./branch.ts";
import { Carried, type Slot } from "./carried.ts";
import { absent, type Ended, type Exit, Leaving, without } from "./completion.ts";
import type { Merged } from "./joint.ts";
import { nothingKnown } from "./known.ts";
import { type Counter, emitFor, emitWhile, type LoopBody } from "./loop-ops.ts";
import { emitInto, emitOutside } from "./region.ts";
import { type Changing, retraced } from "./retraced.ts";

export interface LoopParts {
  /** A counting loop, or the condition that held before the first iteration. */
  readonly counter?: Counter;
  readonly go?: StagedScalar | true;
  readonly body: (index: StagedScalar | undefined) => Ended;
  /** What comes after each iteration that goes on: does the next one follow? */
  readonly again?: () => StagedScalar | boolean;
  readonly vars: Variables;
  /** Does the exit end this loop (`break`), or one iteration of it (`continue`)? */
  readonly breaks: (exit: Exit) => boolean;
  readonly continues: (exit: Exit) => boolean;
}

/** A loop's body as it was traced. */
interface Body extends LoopBody {
  readonly slots: readonly Slot[];
  readonly changes: readonly FieldChange[];
  readonly fieldSlots: ReadonlyMap<unknown, Slot>;
  /** The exits that go further than this loop. */
  readonly exits: readonly LoopExit[];
}

/** An exit, and what the loop carries of it. */
interface LoopExit {
  readonly exit: Exit;
  readonly flag: Slot;
  readonly value: Slot | undefined;
}

const describeVar = (vars: Variables, i: number) => {
  const span = vars.spans[i];
  return { what: `\`${vars.names[i] ?? "this variable"}\``, spans: span ? [span] : [] };
};

/** A loop on the GPU. */
export function stagedLoop(trace: Trace, parts: LoopParts): Ended {
  const { carried, body } = retraced(trace, (changing) => {
    const carried = new Carried(trace);
    return { carried, body: traceBody(trace, carried, parts, changing) };
  });
  if (body.go || parts.go) emitWhile(trace, carried, body, parts.counter, parts.go);
  else emitFor(trace, carried, body, parts.counter);
  for (const { entry, after } of body.changes)
    if (after instanceof Stale) putField(entry, entry.present ? after : after.unsure());
  parts.vars.set(body.slots.map((slot) => carried.after(slot)));
  for (const { entry, made } of body.changes) {
    const slot = body.fieldSlots.get(entry);
    if (slot && (entry.present || (made && entry.written))) putField(entry, carried.after(slot));
  }
  if (body.exits.length === 0) return undefined;
  return new Leaving(
    body.exits.map(({ exit, flag, value }) => ({
      ...exit,
      flag: carried.after(flag) as StagedScalar | true,
      value: value ? carried.after(value) : exit.value,
      known: nothingKnown,
    })),
    false,
  );
}

function traceBody(trace: Trace, carried: Carried, parts: LoopParts, changing: Changing): Body {
  const { vars, counter } = parts;
  const before = vars.get();
  const region: OpenRegion = { params: [], ops: [] };
  const made = new Map<unknown, Slot>();
  // What a field held before the loop is taken apart there.
  const around = trace.regions.length;
  const outside = <T>(run: () => T): T => emitOutside(trace, around, run);
  const began = changesNow(trace);
  const carry: CarryField = (value, what, all) => {
    const heap = heapBefore(frame);
    const slot = outside(() => carried.enterField(value, { what, spans: [] }, all, { frame, heap }));
    if (slot) made.set(slot.carried, slot);
    if (slot) markChanged(trace, slot, began);
    return slot?.carried;
  };
  const frame: Frame = pushFrame(trace, "loop", carry, changing.fields);
  try {
    const index = counter ? trace.value(counter.start.type) : undefined;
    const slots = before.map((value, i) => carried.enter(value, describeVar(vars, i), true, { frame }));
    vars.set(slots.map((slot) => slot.carried));
    return emitInto(trace, region, () => {
      const ending = changing.whileTracing(frame, () => endOfIteration(trace, region, parts.body(index && wrap(index)), parts));
      // Where the thread always ends in the first iteration, nothing is carried on.
      const finals = ending.exited ? slots.map((slot) => slot.pristine) : vars.get();
      const heap = heapBefore(frame);
      if (!ending.exited) {
        const held = [...heldBySlots(slots, finals), ...heldByFields(frame)];
        const { changed, later } = exchangedObjects(trace, frame, began, held, heap);
        for (const field of changed) makeStale(trace, field);
        carried.exchanges(later);
      }
      slots.forEach((slot, i) => {
        carried.yields(slot, finals[i]);
      });
      const changes = changesOf(frame);
      const fieldSlots = new Map<unknown, Slot>();
      for (const change of ending.exited ? [] : changes) {
        const slot = yieldField(carried, change, made, (value, merged) =>
          outside(() => carried.enter(value, merged, true, { frame, heap })),
        );
        if (slot) fieldSlots.set(change.entry, slot);
      }
      return {
        region,
        index,
        slots,
        changes,
        fieldSlots,
        go: ending.go,
        exits: holdExits(trace, carried, frame, ending.exits, outside),
      };
    });
  } finally {
    rollBack(frame);
    popFrame(trace, frame);
    vars.set(before);
  }
}

/** The copies hold what the object was before the loop. Marks the fields that the loop had changed, or added, before the copies were made. */
function markChanged(trace: Trace, { carried, pristine }: Pick<Slot, "carried" | "pristine">, since: number): void {
  const [shown, start] = [partsOf(carried), partsOf(pristine)];
  if (!shown?.keys || !start?.keys) return;
  const copies = [carried, pristine] as Record<PropertyKey, unknown>[];
  const [object = {}] = copies;
  const changed = changedSince(trace, object, since);
  const stale = (key: PropertyKey, present: boolean): Stale =>
    new Stale(fieldText(object, key), spansHere().slice(0, 1), present);
  shown.keys.forEach((key, i) => {
    if (changed.has(key)) object[key] = stale(key, !isUnsureField(shown.leaves[i]));
    else markChanged(trace, { carried: shown.leaves[i], pristine: start.leaves[i] }, since);
  });
  for (const key of changed) for (const copy of copies) if (mayGetField(copy, key)) copy[key] = stale(key, false);
}

const heldBySlots = (slots: readonly Slot[], finals: readonly unknown[]): readonly Held[] =>
  slots.map(({ before, merged }, i) => ({ before, after: finals[i], ...merged }));

const heldByFields = (frame: Frame): readonly Held[] =>
  changesOf(frame)
    .filter(({ entry, after }) => after !== entry.before)
    .map(({ entry, after }) => ({
      before: entry.before,
      after,
      what: fieldText(entry.object, entry.key),
      spans: entry.written ?? [],
    }));

/** Carries the exits that leave more than this loop: a flag for each, and what it returns, which is zeros until then. */
function holdExits(
  trace: Trace,
  carried: Carried,
  frame: Frame,
  exits: readonly Exit[],
  outside: <T>(run: () => T) => T,
): readonly LoopExit[] {
  const flags = exits.map(() => carried.enter(false, { what: "`break`", spans: [] }, true, { frame }));
  flags.forEach((slot, i) => {
    carried.yields(slot, exits[i]?.flag ?? false);
  });
  // An object that is older than the loop stays what it is: its fields are carried by themselves.
  const whole = (x: object): boolean => !isMadeIn(trace, x, frame);
  const merged = { what: "what this function returns", spans: [] };
  return exits.flatMap((exit, i): readonly LoopExit[] => {
    const flag = flags[i];
    if (!flag) return [];
    if (exit.value === absent || exit.value === undefined) return [{ exit, flag, value: undefined }];
    const blank = (leaf: unknown): unknown => (leaf instanceof Staged ? (blankLike(trace, leaf) ?? carried.outside(leaf)) : leaf);
    const value = outside(() => {
      const zeros = mapLeaves(exit.value, blank, { kind: "hidden", whole });
      return carried.enter(zeros, merged, false, { frame, whole });
    });
    carried.yields(value, exit.value);
    return [{ exit, flag, value }];
  });
}

function yieldField(
  carried: Carried,
  { entry, after }: FieldChange,
  made: ReadonlyMap<unknown, Slot>,
  enter: (before: unknown, merged: Merged) => Slot,
): Slot | undefined {
  const spans = entry.written ?? [];
  const known = made.get(entry.carried);
  if (known && entry.carried !== undefined) {
    carried.yields(known, after);
    return known;
  }
  if (Object.is(after, entry.before)) return undefined;
  if (after instanceof Stale) return entry.readStatic ? after.refuse() : undefined;
  const slot = enter(entry.before, { what: fieldText(entry.object, entry.key), spans });
  carried.yields(slot, after);
  return slot;
}

/** What the end of an iteration decides: whether another follows, and which exits go further. */
function endOfIteration(
  trace: Trace,
  region: OpenRegion,
  completion: Ended,
  parts: LoopParts,
): { go: Value | undefined; exits: readonly Exit[]; exited?: boolean } {
  const again = (): StagedScalar | boolean => parts.again?.() ?? true;
  const end = without(completion, parts.continues);
  const asValue = (x: StagedScalar | boolean): Value => (isStagedScalar(x) ? x.value : constant(x, "pred"));
  if (!end) return { go: parts.again ? asValue(again()) : undefined, exits: [] };
  if (end.exited) {
    wrapExit(trace, region);
    return { go: parts.again ? constant(false, "pred") : undefined, exits: [], exited: true };
  }
  const exits = end.exits.filter((exit) => !parts.breaks(exit));
  const gone = end.sure ? true : left(end);
  if (gone === true) return { go: constant(false, "pred"), exits };
  const goesOn = not(gone) as StagedScalar;
  if (!parts.again) return { go: goesOn.value, exits };
  const yes = traceSide(trace, parts.vars, again);
  const no = traceSide(trace, parts.vars, () => false);
  const joint = joinSides(trace, goesOn, yes, no, parts.vars);
  const go = joint.merge(yes.result, false, { what: "the condition", spans: [] });
  joint.close();
  return { go: asValue(go as StagedScalar | boolean), exits };
}

/** A body that always ends the thread: what it did goes under `if (true)`, because a loop's body must reach its end. */
function wrapExit(trace: Trace, region: OpenRegion): void {
  const ops = region.ops.splice(0);
  const always = constant(true, "pred");
  const no: OpenRegion = { params: [], ops: [] };
  emitInto(trace, no, () => trace.emit("yield", { values: [] }, {}));
  trace.emit("if", { condition: always }, {}, { types: [], regions: [{ params: [], ops }, no] });
}
