import { textAt } from "../../base/diag/index.ts";
import { fieldsOf } from "../../base/fields.ts";
import { callFunction } from "../calls/call.ts";
import { functionMeta, isTraced } from "../calls/functions.ts";
import { checkKernelMethod, checkMember, checkObject, failIndexed, noteField } from "../calls/missing-member.ts";
import { fail } from "../errors/index.ts";
import { describe } from "../numbers/describe.ts";
import { isWide } from "../numbers/integers.ts";
import { refuseTriple } from "../numbers/triple.ts";
import { isOnGpu, StagedText, usable } from "../numbers/unusable.ts";
import { readField, writeField } from "../objects/fields.ts";
import { isFollowed } from "../objects/frames.ts";
import { noteAnswer, noteMade, noteRead } from "../objects/outer-reads.ts";
import { failHere, spansHere } from "../trace/fail-here.ts";
import { isStagedScalar, StagedScalar } from "../trace/scalar.ts";
import { indexGet, indexSet, isIndexable, isOwnFunction, isOwnObject, noteMember } from "../trace/staged.ts";
import type { Trace } from "../trace/trace.ts";

type Fields = Record<PropertyKey, unknown>;

/** An object of the language is one that the memory refuses by what it is. */
const isIndex = (key: unknown): boolean =>
  typeof key === "number" || isOwnObject(key) || typeof key === "bigint" || (typeof key === "string" && /^\d+$/.test(key));

function accessorOf(object: unknown, key: PropertyKey): PropertyDescriptor | undefined {
  for (let at: unknown = object; at !== null && at !== undefined && typeof at !== "string"; at = Object.getPrototypeOf(at)) {
    const descriptor = Object.getOwnPropertyDescriptor(Object(at), key);
    if (descriptor) return descriptor.get || descriptor.set ? descriptor : undefined;
  }
  return undefined;
}

function scalarField(x: StagedScalar, key: PropertyKey): unknown {
  const method: unknown =
    Object.hasOwn(StagedScalar.prototype, key) && key !== "type" && key !== "noun" ? fieldsOf(x)[key] : undefined;
  if (typeof method === "function") return method;
  return failHere("W2040", { type: isWide(x) ? "a bigint" : x.type === "pred" ? "a boolean" : "a number", key: String(key) });
}

/** JavaScript's own accessors that only count or name. */
const plainAccessors = new Set<unknown>(
  [Map.prototype, Set.prototype, ArrayBuffer.prototype, Object.getPrototypeOf(Uint8Array.prototype) as object].flatMap(
    (prototype) => Object.values(Object.getOwnPropertyDescriptors(prototype)).flatMap((d) => d.get ?? []),
  ),
);

interface HostTensor {
  readonly dtype: string;
  readonly shape: readonly number[];
}

/** A tensor of a device, or a tensorSpec, that the kernel did not get as a parameter. */
const isHostTensor = (x: unknown): x is HostTensor =>
  typeof x === "object" &&
  x !== null &&
  !isOwnObject(x) &&
  "dtype" in x &&
  "strides" in x &&
  "rank" in x &&
  "shape" in x &&
  Array.isArray(x.shape);

const failHostTensor = ({ dtype, shape }: HostTensor): never =>
  failHere("W3021", { dtype, rank: shape.length, shape: shape.join(", ") });

/** A key of the GPU: W2039 at the index itself. */
function failIndex(object: unknown, key: unknown): never {
  if (key instanceof StagedText) failHere("W2041", { what: "a key" });
  usable(key);
  const [here, ...around] = spansHere();
  const index = here?.parts?.[0];
  const spans = index ? [index, ...around] : spansHere();
  return fail("W2039", { what: describe(object), index: index && textAt(index) }, spans);
}

/** `object[key]` in a trace. */
export function getField(trace: Trace, object: unknown, key: unknown): unknown {
  usable(object);
  if (isHostTensor(object) && (isOnGpu(key) || isIndex(key) || key === "at" || key === "subview")) failHostTensor(object);
  refuseTriple(key);
  if (isStagedScalar(object)) return scalarField(object, key as PropertyKey);
  if (isIndexable(object) && (isOnGpu(key) || isIndex(key))) return object[indexGet](key);
  if (isOwnObject(object) && (isStagedScalar(key) || isIndex(key))) failIndexed(object);
  if (isOnGpu(key)) failIndex(object, key);
  const name = key as PropertyKey;
  checkObject(object, name);
  noteField(object, name);
  if (typeof object === "function") checkKernelMethod(object, name);
  if (isOwnObject(object) || isOwnFunction(object)) {
    checkMember(object as object, name);
    const member = (object as Fields)[name];
    // Such as the shape of a tensor, which stays what it is.
    if (Array.isArray(member)) noteMade(trace, member);
    return noteMember(member);
  }
  const accessor = accessorOf(object, name);
  if (accessor && !plainAccessors.has(accessor.get)) return readAccessor(trace, accessor.get, object, name);
  if (!accessor && isFollowed(object)) {
    trace.hostKeys?.push(name);
    return readField(trace, object, name);
  }
  trace.hostKeys?.push(name);
  noteRead(trace, object, name);
  return (object as Fields)[name];
}

function readAccessor(trace: Trace, get: unknown, object: unknown, key: PropertyKey): unknown {
  const answer = callAccessor(trace, get, object, [], key);
  if (get !== undefined && !isTraced(get)) noteAnswer(trace, object, key, answer);
  return answer;
}

function callAccessor(trace: Trace, f: unknown, receiver: unknown, args: readonly unknown[], key: PropertyKey): unknown {
  if (f === undefined) return undefined;
  return callFunction(trace, {
    f,
    receiver,
    args,
    text: functionMeta(f)?.name || `.${String(key)}`,
    construct: false,
    reads: args.length === 0,
  });
}

/** `object[key] = value` in a trace. */
export function setField(trace: Trace, object: unknown, key: unknown, value: unknown): unknown {
  usable(object);
  if (isHostTensor(object)) failHostTensor(object);
  refuseTriple(key);
  if (isIndexable(object) && (isOnGpu(key) || isIndex(key))) {
    object[indexSet](key, usable(value));
    return value;
  }
  if (isOnGpu(key)) failIndex(object, key);
  const name = key as PropertyKey;
  checkObject(object, name);
  const accessor = accessorOf(object, name);
  if (isOwnObject(object) && accessor?.set) {
    fieldsOf(object)[name] = usable(value);
    return value;
  }
  if (isStagedScalar(object) || isOwnObject(object)) return failHere("W2046", { what: describe(object), key: String(name) });
  if (accessor) callAccessor(trace, accessor.set, object, [value], name);
  else {
    trace.hostKeys?.push(name);
    writeField(trace, object as object, name, value);
  }
  return value;
}
