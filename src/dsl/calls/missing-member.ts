/** Errors for members and functions that do not exist: they name what the author likely meant, where JavaScript would throw a TypeError. */
import { likely, meantMember, textAt } from "../../base/diag/index.ts";
import { describe } from "../numbers/describe.ts";
import { failHere, spansHere } from "../trace/fail-here.ts";
import { isOwnFunction } from "../trace/staged.ts";
import { isStagedTile } from "../trace/staged-tile.ts";
import { functionMeta } from "./functions.ts";

/** Names that an author may write after the dot: no symbols, nothing of Object, nothing hidden. */
function membersOf(x: unknown): string[] {
  const names = new Set<string>();
  for (let at: unknown = x; at !== null && at !== undefined && at !== Object.prototype && at !== Function.prototype; ) {
    for (const name of Object.getOwnPropertyNames(at)) if (/^[a-z]\w*$/i.test(name) && name !== "constructor") names.add(name);
    at = Object.getPrototypeOf(at);
  }
  return [...names];
}

/** Members of the dsl's objects that are for the dsl alone: they are suggested to no author. */
const internal = new Set([
  ...["parts", "what", "own", "used", "side", "layout", "type", "address", "ofBlock"],
  ...["length", "name", "prototype"],
]);
const shown = 12;

/** What arrays and other libraries call the extents of a tensor. */
const otherNames: Readonly<Record<string, string>> = {
  length: "shape[0]",
  size: "shape[0]",
  len: "shape[0]",
  dims: "shape",
  ndim: "rank",
};

/** What stands before the key where the error is. */
function textBefore(key: string): string | undefined {
  const [here] = spansHere();
  const text = here && textAt(here);
  const end = text?.indexOf(`.${key}`) ?? -1;
  return end > 0 ? withoutCast(text?.slice(0, end).replace(/[!?]$/, "") ?? "") : undefined;
}

/** The object as the author writes it. */
function writtenAs(x: unknown, key: string): string {
  const text = textBefore(key);
  return text === undefined ? describe(x) : `\`${text}\``;
}

/** `(x as T)` is x. */
const withoutCast = (text: string): string => text.replace(/^\(([\w.]+) as .*\)(?=$|\.\w+$)/, "$1");

/** W2074 where an object of the dsl has no member of that name. */
export function checkMember(x: object, key: PropertyKey): void {
  if (typeof key !== "string" || key in x) return;
  const members = membersOf(x).filter((name) => !internal.has(name));
  // What is one or two letters long is like anything.
  const meant =
    (key in otherNames && "shape" in x ? otherNames[key] : undefined) ?? (key.length > 2 ? meantMember(key, members) : undefined);
  failHere("W2074", { what: writtenAs(x, key), key, meant, members: members.slice(0, shown) });
}

/** The index of an element access as the author writes it, and what stands before it. */
function writtenIndex(): { readonly text: string; readonly object: string; readonly index: string } | undefined {
  const [here] = spansHere();
  const text = here && textAt(here);
  const [, object, index] = /^(.*)\[([^[\]]*)\]$/.exec(text ?? "") ?? [];
  return text && object && index ? { text, object: withoutCast(object), index } : undefined;
}

/** What to type in place of `x[i]`, where `x` is an object of the dsl that has no elements by index. */
function fixOfIndex(x: object): string {
  const { object, index } = writtenIndex() ?? { object: "x", index: "i" };
  if ("at" in x) return `write \`${object}.at(${index})\``;
  if ("map" in x) return `go through all elements, \`${object}.map((x) => …)\`, or store it and index what it is stored to`;
  if (isStagedTile(x))
    return "its elements are spread over threads: store it, `out.storeTile([0], t)` or `view.store(t)`, and index that";
  const members = membersOf(x).filter((name) => !internal.has(name));
  return members.length === 0
    ? "look its members up in the documentation"
    : `it has ${members
        .slice(0, shown)
        .map((m) => `\`.${m}\``)
        .join(", ")}`;
}

/** W2071: `x[i]` of an object of the dsl that has no elements by index. */
export const failIndexed = (x: object): never =>
  failHere("W2071", { text: writtenIndex()?.text ?? "x[i]", what: describe(x), fix: fixOfIndex(x) });

/** The last field that was read and is not there. */
let missed: { readonly of: object; readonly key: string } | undefined;

/** Notes a field of an object that is not there: an error about what is then taken of it names those that are. */
export function noteField(x: unknown, key: PropertyKey): void {
  const isMissing = typeof x === "object" && x !== null && typeof key === "string" && !(key in x);
  missed = isMissing ? { of: x, key } : undefined;
}

/** W2076 where there is no object. */
export function checkObject(x: unknown, key: PropertyKey): void {
  if (x !== null && x !== undefined) return;
  const written = textBefore(String(key));
  const names = missed && written?.replace(/[!?]$/, "").endsWith(`.${missed.key}`) ? membersOf(missed.of) : [];
  const meant = missed && likely(missed.key, names);
  failHere("W2076", { value: String(x), key: String(key), written, meant, names: names.slice(0, shown) });
}

/** W2075: what is called is no function. `receiver`: the object that has no such method. */
export function failNoFunction(written: string, receiver: unknown, construct: boolean): never {
  const text = withoutCast(written);
  const dot = text.lastIndexOf(".");
  const found = dot < 0 || receiver === undefined ? undefined : meantMember(text.slice(dot + 1), methodsOf(receiver));
  return failHere("W2075", { text, construct, meant: found === undefined ? undefined : text.slice(0, dot + 1) + found });
}

const methodsOf = (x: unknown): readonly string[] =>
  membersOf(x).filter((name) => !internal.has(name) && typeof (Object(x) as Record<string, unknown>)[name] === "function");

/** What the host does with a kernel. That one is not compiled inside another is told where it is: W2053. */
const hostMethods = new Set<PropertyKey>(["launch", "bench", "profile"]);

/** W2033: a method of a kernel, such as `inner.launch`, in a kernel. */
export function checkKernelMethod(x: object, key: PropertyKey): void {
  if (!hostMethods.has(key)) return;
  const isKernel = functionMeta(x)?.role === "kernel" || (isOwnFunction(x) && "launch" in x && "compile" in x);
  if (isKernel)
    failHere("W2033", { text: textBefore(String(key)) ?? (x as { readonly name: string }).name, method: String(key) });
}
