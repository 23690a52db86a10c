import { fail } from "../../diag/index.ts";
import { makeOp, type Op, type Value, withParts } from "../../ir/index.ts";
import { spansHere } from "../fail-here.ts";
import { type Counted, noteLoopValue } from "../memory/loop-values.ts";
import { not } from "../numbers/compare.ts";
import { constant, zeroLike } from "../numbers/constant.ts";
import { joinType } from "../numbers/open-types.ts";
import { emitLike, emitOne, wrap } from "../numbers/operands.ts";
import { isStagedScalar, type StagedScalar } from "../scalar.ts";
import { Staged } from "../staged.ts";
import type { OpenRegion, Trace } from "../trace.ts";
import { blankLike } from "./blank.ts";
import { joinSides, left, settledEnd, traceSide, type Variables } from "./branch.ts";
import { Carried, type Limits, type Slot } from "./carried.ts";
import { absent, type Ended, type Exit, Leaving, without } from "./completion.ts";
import { assignField, type FieldChange, fieldText, putField, takeBack } from "./fields.ts";
import { type Frame, isFollowed, popFrame, pushFrame } from "./frames.ts";
import { changesNow, refuseSharing, Stale } from "./identity.ts";
import { mapLeaves, partsOf } from "./parts.ts";
import { emitInto, emitOutside, retraceable } from "./region.ts";

/** A loop that counts: start, stop and step of one integer type. */
export interface Counter {
  readonly start: Value;
  readonly stop: Value;
  readonly step: Value;
  /** The step where it is static. */
  readonly staticStep: number | bigint | undefined;
  readonly unroll: number | undefined;
}

export interface LoopParts {
  /** A counting loop, or the condition that held before the first turn. */
  readonly counter?: Counter;
  readonly go?: StagedScalar | true;
  readonly body: (index: StagedScalar | undefined) => Ended;
  /** What comes after each turn that goes on: does the next one follow? */
  readonly again?: () => StagedScalar | boolean;
  readonly vars: Variables;
  /** Does the exit end this loop (`break`), or one turn of it (`continue`)? */
  readonly breaks: (exit: Exit) => boolean;
  readonly continues: (exit: Exit) => boolean;
}

/** A loop's body as it was traced. */
interface Body {
  readonly region: OpenRegion;
  readonly index: Value | undefined;
  readonly slots: readonly Slot[];
  readonly finals: readonly unknown[];
  readonly changes: readonly FieldChange[];
  readonly fieldSlots: ReadonlyMap<unknown, Slot>;
  /** Does another turn follow? Undefined: nothing ends this loop early. */
  readonly go: Value | undefined;
  /** The exits that go further than this loop, with flags. */
  readonly exits: readonly Exit[];
}

const describeVar = (vars: Variables, i: number) => {
  const span = vars.spans[i];
  return { what: `\`${vars.names[i] ?? "this variable"}\``, spans: span ? [span] : [] };
};

/** A loop on the GPU. */
export function stagedLoop(trace: Trace, parts: LoopParts): Ended {
  const { carried, body } = traceTurns(trace, parts);
  const flags = body.exits.map(() => carried.enter(false, { what: "`break`", spans: [] }, true));
  const values = body.exits.map((exit) => (exit.value === absent ? undefined : exit.value));
  emitInto(trace, body.region, () => {
    flags.forEach((slot, i) => {
      const flag = body.exits[i]?.flag;
      carried.turn(slot, flag ?? false);
    });
  });
  const held = values.map((value, i) => holdReturn(trace, carried, body, value, i));
  if (body.go || parts.go) emitWhile(trace, carried, body, parts);
  else emitFor(trace, carried, body, parts);
  for (const { entry, after } of body.changes) if (after instanceof Stale) putField(entry, after);
  parts.vars.set(body.slots.map((slot, i) => writeBack(trace, slot, body.finals[i], carried.after(slot, body.finals[i]))));
  for (const change of body.changes) {
    const slot = body.fieldSlots.get(change.entry);
    if (slot) putField(change.entry, carried.after(slot, change.after));
  }
  if (body.exits.length === 0) return undefined;
  return new Leaving(
    body.exits.map((exit, i) => {
      const [flag, value] = [flags[i], held[i]];
      return {
        ...exit,
        flag: (flag ? carried.after(flag, exit.flag) : true) as StagedScalar | true,
        value: value ? value() : exit.value,
      };
    }),
    false,
  );
}

/** Carries a returned value out of the loop: zeros until it is returned. */
function holdReturn(trace: Trace, carried: Carried, body: Body, value: unknown, i: number): (() => unknown) | undefined {
  const exit = body.exits[i];
  if (!exit || exit.value === absent || value === undefined) return undefined;
  const zeros = mapLeaves(value, (leaf) => (leaf instanceof Staged ? (blankLike(trace, leaf) ?? carried.outside(leaf)) : leaf));
  const slot = carried.enter(zeros, { what: "what this function returns", spans: [] }, false);
  emitInto(trace, body.region, () => carried.turn(slot, value));
  return () => carried.after(slot, value);
}

/** The body, traced with what its turns keep: where they keep less than was granted, it is traced anew with what was found. */
function traceTurns(trace: Trace, parts: LoopParts): { readonly carried: Carried; readonly body: Body } {
  for (let limits: Limits = new Map(); ; ) {
    const takeBack = retraceable(trace);
    const carried = new Carried(trace, limits);
    const body = traceBody(trace, carried, parts);
    const broken = carried.broken();
    if (!broken) return { carried, body };
    takeBack();
    limits = broken;
  }
}

function traceBody(trace: Trace, carried: Carried, parts: LoopParts): Body {
  const { vars, counter } = parts;
  const before = vars.get();
  const region: OpenRegion = { params: [], ops: [] };
  const fieldSlots = new Map<unknown, Slot>();
  const made = new Map<unknown, Slot>();
  // What a field held before the loop is taken apart there.
  const around = trace.regions.length;
  const frame: Frame = pushFrame(trace, "loop", (value, what, literals) => {
    const slot = emitOutside(trace, around, () => carried.enterField(value, { what, spans: [] }, literals));
    if (slot) made.set(slot.carried, slot);
    return slot?.carried;
  });
  const began = changesNow(trace);
  let changes: readonly FieldChange[] | undefined;
  try {
    const index = counter ? trace.value(counter.start.type) : undefined;
    if (counter && index) noteLoopValue<Counted>(trace, index, counter);
    const slots = before.map((value, i) => carried.enter(value, describeVar(vars, i)));
    vars.set(slots.map((slot) => slot.carried));
    const { go, exits, finals } = emitInto(trace, region, () => {
      const end = settledEnd(parts.body(index && wrap(index)));
      const turn = endOfTurn(trace, region, end, parts);
      // Where the thread always ends in the first turn, nothing is handed on.
      const values = turn.exited ? slots.map((slot) => slot.carried) : vars.get();
      slots.forEach((slot, i) => {
        carried.turn(slot, turn.exited ? slot.pristine : values[i]);
      });
      refuseSharing(
        trace,
        frame,
        began,
        slots.map(({ before, merged }, i) => ({ before, after: values[i], ...merged })),
      );
      changes = takeBack(frame);
      for (const change of changes) {
        const slot = turn.exited ? undefined : fieldTurn(carried, change, made, (run) => emitOutside(trace, around, run));
        if (slot) fieldSlots.set(change.entry, slot);
      }
      return { ...turn, finals: values };
    });
    return { region, index, slots, finals, changes: changes ?? [], fieldSlots, go, exits };
  } finally {
    if (!changes) takeBack(frame);
    popFrame(trace, frame);
    vars.set(before);
  }
}

function fieldTurn(
  carried: Carried,
  { entry, after }: FieldChange,
  made: ReadonlyMap<unknown, Slot>,
  outside: (run: () => Slot) => Slot,
): Slot | undefined {
  const spans = entry.written ?? [];
  const known = made.get(entry.carried);
  if (known && entry.carried !== undefined) {
    carried.turn(known, after);
    return known;
  }
  if (Object.is(after, entry.before) || after instanceof Stale) return undefined;
  if (entry.readStatic)
    fail(
      "W2026",
      { what: fieldText(entry.object, entry.key), value: String(entry.before) },
      spans.length > 0 ? spans : spansHere(),
    );
  const slot = outside(() => carried.enter(entry.before, { what: fieldText(entry.object, entry.key), spans }));
  carried.turn(slot, after);
  return slot;
}

/** What the end of a turn decides: whether another follows, and which exits go further. */
function endOfTurn(
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

/** Results in the types of what is carried, now or when they are found. */
function resultsLike(trace: Trace, like: readonly Value[]): Value[] {
  return like.map((value) => {
    const result = trace.value(value.type);
    joinType(result, value);
    return result;
  });
}

function append(trace: Trace, op: Op, results: readonly Value[]): void {
  trace.append(withParts(op, { results }));
}

function emitFor(trace: Trace, carried: Carried, body: Body, { counter }: LoopParts): void {
  if (!counter || !body.index) throw new Error("a counting loop without a counter");
  const { params, init, next } = carried.list();
  body.region.params.push(body.index, ...params);
  emitInto(trace, body.region, () => trace.emit("yield", { values: next }, {}));
  const results = resultsLike(trace, params);
  const { start, stop, step, unroll } = counter;
  const op = makeOp(
    trace.ids,
    "for",
    { start, stop, step, carried: init },
    { unroll },
    { types: [], regions: [body.region], spans: trace.spans() },
  );
  append(trace, op as Op, results);
  carried.take(results);
}

/** Is the index still on this side of the stop? */
function inRange(index: Value, { stop, step, staticStep }: Counter): Value {
  const up = () => emitOne("cmp", { a: index, b: stop }, { is: "lt" });
  const down = () => emitOne("cmp", { a: index, b: stop }, { is: "gt" });
  if (staticStep !== undefined) return staticStep > 0 ? up() : down();
  const rises = emitOne("cmp", { a: step, b: zeroLike(step) }, { is: "gt" });
  const falls = emitOne("not", { a: rises });
  return emitOne("or", { a: emitOne("and", { a: rises, b: up() }), b: emitOne("and", { a: falls, b: down() }) });
}

/** `test` takes what is carried behind the flag that says whether to go on; `body` and the results are without the flag. */
function emitWhile(trace: Trace, carried: Carried, body: Body, parts: LoopParts): void {
  const { counter } = parts;
  const { params, init, next } = carried.list();
  const go0 = parts.go === undefined || parts.go === true ? constant(true, "pred") : parts.go.value;
  const bodyParams = body.index ? [body.index, ...params] : params;
  const firsts = counter ? [counter.start, ...init] : init;
  body.region.params.push(...bodyParams);
  emitInto(trace, body.region, () => {
    const go = body.go ?? constant(true, "pred");
    const following = counter && body.index ? [emitLike("add", { a: body.index, b: counter.step }, body.index), ...next] : next;
    trace.emit("yield", { values: [go, ...following] }, {});
  });
  const tested = resultsLike(trace, bodyParams);
  const flag = trace.value("pred");
  const test: OpenRegion = { params: [flag, ...tested], ops: [] };
  emitInto(trace, test, () => {
    const [index] = tested;
    const go = counter && index ? emitOne("and", { a: flag, b: inRange(index, counter) }) : flag;
    trace.emit("condition", { go, values: tested }, {});
  });
  const results = resultsLike(trace, bodyParams);
  const op = makeOp(
    trace.ids,
    "while",
    { carried: [go0, ...firsts] },
    {},
    { types: [], regions: [test, body.region], spans: trace.spans() },
  );
  append(trace, op as Op, results);
  carried.take(counter ? results.slice(1) : results);
}

/** A variable that still names the object it named before: what the loop changed in it is changed in that object. */
function writeBack(trace: Trace, slot: Slot, final: unknown, value: unknown): unknown {
  const { before } = slot;
  if (final !== slot.carried || value === before || !isFollowed(before) || !isFollowed(value)) return value;
  if (!partsOf(before)) return value;
  for (const key of Object.keys(before)) {
    const now = (value as Record<string, unknown>)[key];
    const was = (before as Record<string, unknown>)[key];
    if (now !== was) assignField(trace, before, key, now);
  }
  return before;
}
