import { isOwnObject } from "../trace/staged.ts";
import { activeTrace, type Trace } from "../trace/trace.ts";
import { readField } from "./fields.ts";
import { controlOf, type Frame, isFollowed, youngerFrames } from "./frames.ts";
import { noteWhole } from "./outer-reads.ts";
import { type FieldsThen, holdsStaged, partsOf } from "./parts.ts";

/**
 * Reads all fields of an object at once, and which fields there are, for what does not ask for them one by one: `in`, functions of
 * JavaScript's own. A loop has to know, because what it changes later was read here as it is in the first iteration.
 */
export function readWhole(trace: Trace, object: unknown): void {
  noteWhole(trace, object);
  readStaged(trace, object);
}

/** `inside`: the loops around this frame alone have to know. */
function readStaged(trace: Trace, object: unknown, inside?: Frame): void {
  if (!isFollowed(object)) return;
  const loops = youngerFrames(trace, object, inside).filter((frame) => frame.kind === "loop");
  if (loops.length === 0) return;
  const changing = loops.flatMap((loop) => [...(loop.changing?.of(object) ?? [])]);
  const staged = Reflect.ownKeys(object).filter((key) => holdsStaged(Object.getOwnPropertyDescriptor(object, key)?.value));
  // What another side of a branch has assigned, or added.
  const assigned = loops.flatMap(({ fields }) => [...(fields.get(object)?.keys() ?? [])]);
  for (const key of [...changing, ...staged, ...assigned]) readField(trace, object, key, inside);
  for (const { whole } of loops) {
    if (whole.has(object)) continue;
    whole.add(object);
    controlOf(trace).journal.note(() => whole.delete(object));
  }
}

/** Objects that are looked through for one call. */
const mostObjects = 20_000;

/** The same for everything that a function which is not transformed can get at from these. */
export function readAll(values: readonly unknown[]): void {
  const trace = activeTrace();
  if (!trace || !controlOf(trace).frames.some(({ kind }) => kind === "loop")) return;
  const seen = new Set<object>();
  const visit = (x: unknown): void => {
    if (typeof x !== "object" || x === null || isOwnObject(x) || seen.has(x) || ArrayBuffer.isView(x)) return;
    if (seen.size >= mostObjects) return;
    seen.add(x);
    readStaged(trace, x);
    if (x instanceof Map || x instanceof Set) for (const entry of x.entries()) entry.forEach(visit);
    for (const { value } of Object.values(Object.getOwnPropertyDescriptors(x))) visit(value);
  };
  values.forEach(visit);
}

/** Is a loop traced now, around `inside` where that is given? */
export function isInLoop(trace: Trace, inside?: Frame): boolean {
  const { frames } = controlOf(trace);
  return frames.some((frame, i) => frame.kind === "loop" && (!inside || i < frames.indexOf(inside)));
}

/** Reads what a copy of the value is made from: the objects in it, as their fields are or were in `heap`. */
export function readCopied(trace: Trace, value: unknown, heap?: FieldsThen, inside?: Frame): void {
  if (!isInLoop(trace, inside)) return;
  const seen = new Set<unknown>();
  const visit = (x: unknown): void => {
    if (typeof x !== "object" || x === null || seen.has(x)) return;
    seen.add(x);
    if (!partsOf(x, heap)?.keys) return;
    readStaged(trace, x, inside);
    // The fields as they are after that: a loop has put its own values there.
    partsOf(x, heap)?.leaves.forEach(visit);
  };
  visit(value);
}
