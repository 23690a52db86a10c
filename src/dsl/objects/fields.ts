import { failHere, spansHere } from "../trace/fail-here.ts";
import { activeTrace, type Trace } from "../trace/trace.ts";
import { controlOf, type FieldEntry, type Frame, isFollowed, isOlderThanBranch, youngerFrames } from "./frames.ts";
import { Heap } from "./heap.ts";
import { isUnsureField, noteChange, relatedTo, Stale } from "./identity.ts";
import { noteAssigned, noteElements, notePresence, noteRead } from "./outer-reads.ts";
import { noField } from "./parts.ts";

type Fields = Record<PropertyKey, unknown>;

function entryOf(frame: Frame, object: object, key: PropertyKey): FieldEntry | undefined {
  return frame.fields.get(object)?.get(key);
}

function addEntry(trace: Trace, frame: Frame, entry: FieldEntry): FieldEntry {
  const { object, key } = entry;
  const fields = frame.fields.get(object) ?? new Map<PropertyKey, FieldEntry>();
  frame.fields.set(object, fields);
  fields.set(key, entry);
  if (frame.whole.has(object)) entry.readStatic = true;
  controlOf(trace).journal.note(() => {
    putBack(entry);
    fields.delete(key);
  });
  return entry;
}

/** Gives the field what it held before the frame. */
function putBack({ object, key, present, before }: FieldEntry): void {
  if (present) (object as Fields)[key] = before;
  else Reflect.deleteProperty(object, key);
}

/** Element keys come as numbers and as text: one name for each. */
const named = (key: PropertyKey): PropertyKey => (typeof key === "number" ? String(key) : key);

const variables = new WeakMap<object, string>();

/** A variable that an inner function assigns lives in a field of its own. */
export function boxed(name: string, value: unknown): { v: unknown } {
  const box = { v: value };
  variables.set(box, name);
  return box;
}

export function fieldText(object: object, key: PropertyKey): string {
  if (Array.isArray(object)) return `element ${String(key)} of an array`;
  return `\`${variables.get(object) ?? `.${String(key)}`}\``;
}

/** Is the field a plain one that an assignment may change? */
function isVariable(object: object, key: PropertyKey): boolean {
  const descriptor = Object.getOwnPropertyDescriptor(object, key);
  return descriptor !== undefined && "value" in descriptor && descriptor.writable === true;
}

/** May an assignment give the object this field? An array gets no new elements under a condition of the GPU. */
export const mayGetField = (object: object, key: PropertyKey): boolean =>
  !Object.hasOwn(object, key) && !Array.isArray(object) && Object.isExtensible(object);

const plainEntry = (object: object, key: PropertyKey): FieldEntry => ({
  object,
  key,
  present: Object.hasOwn(object, key),
  before: (object as Fields)[key],
  conditional: false,
  readStatic: false,
  written: undefined,
});

/** Does the field hold what it held before the loop, though an assignment on another way changes it? A later iteration may find what that one left. */
const isAsBefore = ({ object, key, present, before, carried, conditional }: FieldEntry): boolean =>
  conditional && carried === undefined && Object.hasOwn(object, key) === present && Object.is((object as Fields)[key], before);

/**
 * What a loop makes of a field when it is first met there. `conditional`: by an assignment that not every iteration gets to; nobody has read the field yet, and a static number
 * or an object is carried, too.
 */
function enterLoop(trace: Trace, frame: Frame, object: object, key: PropertyKey, conditional: boolean): FieldEntry {
  const present = Object.hasOwn(object, key);
  const before = (object as Fields)[key];
  const changing = frame.changing?.has(object, key) === true;
  const carried = present || changing ? frame.carry?.(before, fieldText(object, key), conditional || changing) : undefined;
  if (carried !== undefined) (object as Fields)[key] = carried;
  return addEntry(trace, frame, {
    object,
    key,
    present,
    before,
    readStatic: false,
    written: undefined,
    conditional,
    ...(carried === undefined ? {} : { carried }),
  });
}

/**
 * The value of a field. In a loop that is younger than the object, what the field holds on the GPU becomes carried. `inside`: the loops around this frame alone
 * have to know of it.
 */
export function readField(trace: Trace, object: object, rawKey: PropertyKey, inside?: Frame): unknown {
  const key = named(rawKey);
  noteRead(trace, object, key);
  if (!isFollowed(object)) return (object as Fields)[key];
  const frames = youngerFrames(trace, object, inside);
  if (frames.length > 0 && (isVariable(object, key) || mayGetField(object, key))) {
    const innermostLoop = frames.findLastIndex((frame) => frame.kind === "loop");
    for (const frame of frames.slice(0, innermostLoop + 1)) {
      const known = entryOf(frame, object, key);
      if (known) {
        if (isAsBefore(known)) known.readStatic = true;
        continue;
      }
      // A branch around the loop has to know what the field was before the loop put its own value there.
      if (frame.kind !== "loop") addEntry(trace, frame, plainEntry(object, key));
      else {
        const entry = enterLoop(trace, frame, object, key, false);
        if (entry.carried === undefined) entry.readStatic = true;
      }
    }
  }
  return (object as Fields)[key];
}

/** What the object's own field holds, for what asks only whether there is one: a loop may add it. */
export function readPresence(object: object, key: PropertyKey): unknown {
  const trace = activeTrace();
  if (trace) notePresence(trace, object, key);
  if (trace && !Object.hasOwn(object, key)) readField(trace, object, key);
  return Object.getOwnPropertyDescriptor(object, key)?.value;
}

/** A field of an object. */
export interface FieldRef {
  readonly object: object;
  readonly key: PropertyKey;
}

/** Assigns a field and notes it in every branch and loop that is younger than the object. */
export function writeField(trace: Trace, object: object, rawKey: PropertyKey, value: unknown): void {
  assignField(trace, object, rawKey, value);
  if (!isFollowed(object)) return;
  const key = named(rawKey);
  noteChange(trace, object, key);
  for (const other of relatedTo(trace, object)) makeStale(trace, { object: other, key });
}

/** Marks a field that may have been changed through another object. */
export function makeStale(trace: Trace, { object, key }: FieldRef): void {
  const present = Object.hasOwn(object, key);
  if (present ? !isVariable(object, key) || (object as Fields)[key] instanceof Stale : Array.isArray(object)) return;
  assignField(
    trace,
    object,
    key,
    new Stale(fieldText(object, key), spansHere().slice(0, 1), present && !isUnsureField((object as Fields)[key])),
  );
}

/** The same, where what else may be this object is as it should be. */
export function assignField(trace: Trace, object: object, rawKey: PropertyKey, value: unknown): void {
  const key = named(rawKey);
  if (!isFollowed(object)) {
    if (ArrayBuffer.isView(object) && isOlderThanBranch(trace, object))
      failHere("W2049", { what: `element ${String(key)} of this typed array` });
    noteAssigned(trace, object, key, false);
    (object as Fields)[key] = value;
    return;
  }
  if (Object.isFrozen(object) || Object.getOwnPropertyDescriptor(object, key)?.writable === false)
    failHere("W2070", { what: fieldText(object, key) });
  if (Array.isArray(object) && (key === "length" || !Object.hasOwn(object, key))) refuseNewLength(trace, object);
  const frames = youngerFrames(trace, object);
  noteAssigned(trace, object, key, frames.length > 0);
  const conditional = (frame: Frame): boolean => frame !== frames.at(-1);
  for (const frame of frames) {
    let entry = entryOf(frame, object, key);
    if (!entry) {
      // A write that a branch inside the loop may skip: the old value of the same iteration is needed beside it. No value is needed beside a mark.
      const inLoop = frame.kind === "loop" && conditional(frame);
      const carries = !(value instanceof Stale) || frame.changing?.has(object, key) === true;
      if (inLoop && carries) entry = enterLoop(trace, frame, object, key, true);
      else entry = addEntry(trace, frame, { ...plainEntry(object, key), conditional: inLoop });
    }
    entry.written = spansHere();
  }
  (object as Fields)[key] = value;
}

/** Gives a field the value that it is known to hold on the way that is traced now: noted in the innermost frame alone. */
export function assumeField(trace: Trace, object: object, key: PropertyKey, value: unknown): void {
  const frame = controlOf(trace).frames.at(-1);
  if (frame && !entryOf(frame, object, key)) addEntry(trace, frame, plainEntry(object, key));
  (object as Fields)[key] = value;
}

/** Refuses what would make an array longer or shorter depending on a value of the GPU. */
export function refuseNewLength(trace: Trace, array: object): void {
  if (isOlderThanBranch(trace, array)) failHere("W2024", { what: Array.isArray(array) ? "array" : "collection" });
}

/** Refuses to list the fields of an object that not every way to here has given the same ones. */
export function refuseUnsureFields(object: unknown): void {
  if (typeof object !== "object" || object === null) return;
  for (const { value } of Object.values(Object.getOwnPropertyDescriptors(object))) if (isUnsureField(value)) value.refuse();
}

/** Prepares the elements of an array for a function that reads (and perhaps changes) them all. */
export function touchElements(array: readonly unknown[], changes: boolean): void {
  const trace = activeTrace();
  if (trace) noteElements(trace, array);
  if (!trace || youngerFrames(trace, array).length === 0) return;
  for (const key of array.keys()) {
    const value = readField(trace, array, key);
    if (changes) writeField(trace, array, key, value);
  }
}

export interface FieldChange {
  readonly entry: FieldEntry;
  readonly after: unknown;
  /** Has the object the field at the end? */
  readonly made: boolean;
}

/** What has been done to fields in a frame. */
export const changesOf = (frame: Frame): readonly FieldChange[] =>
  entriesOf(frame).map((entry) => ({
    entry,
    after: (entry.object as Fields)[entry.key],
    made: Object.hasOwn(entry.object, entry.key),
  }));

/** Makes everything as it was before the frame. */
export function rollBack(frame: Frame): void {
  for (const entry of entriesOf(frame)) putBack(entry);
}

/** The fields as they were when the frame began. */
export function heapBefore(frame: Frame): Heap {
  const heap = new Heap();
  for (const { object, key, present, before } of entriesOf(frame)) heap.set(object, key, present ? before : noField);
  return heap;
}

const entriesOf = ({ fields }: Frame): readonly FieldEntry[] => [...fields.values()].flatMap((of) => [...of.values()]);

/** Sets a field to what branches or a loop have made of it; the frames outside know of it already. */
export function putField(entry: FieldEntry, value: unknown): void {
  (entry.object as Fields)[entry.key] = value;
}
