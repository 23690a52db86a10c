import type { Spans } from "../../base/diag/index.ts";
import { Journal } from "../trace/journal.ts";
import { isOwnFunction, isOwnObject } from "../trace/staged.ts";
import { activeTrace, type Trace } from "../trace/trace.ts";
import { noteMade } from "./outer-reads.ts";

/** What a field was when a branch or loop began, and how it was used there. */
export interface FieldEntry {
  readonly object: object;
  readonly key: PropertyKey;
  readonly present: boolean;
  readonly before: unknown;
  /** In a loop: what stands for the field at the start of each iteration, where something was made for it. */
  readonly carried?: unknown;
  /** In a loop: an assignment made the entry, and not every iteration gets to it. */
  readonly conditional: boolean;
  /** It was read as it is before the loop, or as a static value, before anything was written. */
  readStatic: boolean;
  /** The last assignment. */
  written: Spans | undefined;
}

/** Fields of objects. */
export class FieldSet {
  private readonly keys = new Map<object, Set<PropertyKey>>();

  add({ object, key }: { readonly object: object; readonly key: PropertyKey }): void {
    const known = this.keys.get(object);
    if (known) known.add(key);
    else this.keys.set(object, new Set([key]));
  }

  has(object: object, key: PropertyKey): boolean {
    return this.keys.get(object)?.has(key) === true;
  }

  of(object: object): ReadonlySet<PropertyKey> | undefined {
    return this.keys.get(object);
  }
}

/** What makes what stands for a field at the start of each iteration of a loop, or undefined where it stays static. `all`: also of numbers and objects. */
export type CarryField = (before: unknown, what: string, all: boolean) => unknown;

/** A branch or the body of a loop while it is traced. `probe`: runs at trace time, and may be undone. */
export interface Frame {
  readonly kind: "branch" | "loop" | "probe";
  readonly parent: Frame | undefined;
  readonly fields: Map<object, Map<PropertyKey, FieldEntry>>;
  readonly carry: CarryField | undefined;
  /** Of a loop: fields that its body is known to change after it has read them. They are carried, whatever they hold before. */
  readonly changing: FieldSet | undefined;
  /** Of a loop: objects that its body has read as a whole, see `readWhole`. */
  readonly whole: Set<object>;
  open: boolean;
}

export interface ControlState {
  readonly frames: Frame[];
  readonly births: WeakMap<object, Frame>;
  /** How many calls the current statement is inside: 0 in the kernel's own body. */
  calls: number;
  /** What takes back what frames have noted of fields. */
  readonly journal: Journal;
}

const control = {
  make: (): ControlState => ({ frames: [], births: new WeakMap(), calls: 0, journal: new Journal() }),
  save: ({ journal }: ControlState) => journal.save(),
};
export const controlOf = (trace: Trace): ControlState => trace.state(control);

export function pushFrame(trace: Trace, kind: Frame["kind"], carry?: CarryField, changing?: FieldSet): Frame {
  const state = controlOf(trace);
  const frame: Frame = { kind, parent: state.frames.at(-1), fields: new Map(), carry, changing, whole: new Set(), open: true };
  state.frames.push(frame);
  return frame;
}

/** Opens a frame again that was popped. */
export function reopenFrame(trace: Trace, frame: Frame): Frame {
  frame.open = true;
  controlOf(trace).frames.push(frame);
  return frame;
}

/** Ends a frame. The stack is cut back to it even where an error left others open. */
export function popFrame(trace: Trace, frame: Frame): void {
  const { frames } = controlOf(trace);
  for (let i = frames.length - 1; i >= 0; i--) {
    const top = frames.pop();
    if (top) top.open = false;
    if (top === frame) return;
  }
}

/** Notes that an object was made here, or in `frame`. Only for an object that nobody has seen before. */
export function bornHere<T>(x: T, frame?: Frame): T {
  const trace = activeTrace();
  if (!trace || typeof x !== "object" || x === null) return x;
  noteMade(trace, x);
  const state = controlOf(trace);
  const born = frame ?? state.frames.at(-1);
  if (born) state.births.set(x, born);
  return x;
}

/** Was the object made in the frame, which is open, or in one inside it? */
export const isMadeIn = (trace: Trace, object: object, frame: Frame): boolean => !youngerFrames(trace, object).includes(frame);

type Constructor = abstract new (...args: unknown[]) => object;

/**
 * `new made(…args)`, where the object counts as made here before its constructor runs: the constructor assigns fields of a new object, not
 * of an older one. Until the constructor is done, the object is known by a prototype that no other object has.
 */
export function constructHere(made: Constructor, args: readonly unknown[]): unknown {
  const target = function target() {};
  const prototype: object = bornHere(Object.create(made.prototype as object));
  Object.setPrototypeOf(target, made);
  target.prototype = prototype;
  const object: object = Reflect.construct(made, args, target);
  if (Object.getPrototypeOf(object) === prototype) Object.setPrototypeOf(object, made.prototype as object);
  return bornHere(object);
}

/** The open frames that are younger than the object, outermost first: what is done to it there must be merged. `inside`: those around it alone. */
export function youngerFrames(trace: Trace, object: object, inside?: Frame): readonly Frame[] {
  const { frames: all, births } = controlOf(trace);
  if (all.length === 0) return all;
  const frames = inside ? all.slice(0, all.indexOf(inside)) : all;
  let born = births.get(object) ?? births.get(Object.getPrototypeOf(object) ?? object);
  while (born && !born.open) born = born.parent;
  return born ? frames.slice(frames.indexOf(born) + 1) : frames;
}

/** Is it an object whose fields are followed? The dsl's own are values that never change. */
export const isFollowed = (x: unknown): x is object =>
  ((typeof x === "object" && x !== null && !isOwnObject(x)) || (typeof x === "function" && !isOwnFunction(x))) &&
  !ArrayBuffer.isView(x);

/** Does a branch or loop of the GPU decide whether the trace gets here? */
export const isUnderControl = (trace: Trace): boolean => controlOf(trace).frames.some((frame) => frame.kind !== "probe");

/** Is the object older than a branch or loop of the GPU in which the trace now stands? */
export const isOlderThanBranch = (trace: Trace, object: object): boolean =>
  youngerFrames(trace, object).some((frame) => frame.kind !== "probe");
