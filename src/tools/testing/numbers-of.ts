import { types } from "node:util";
import { isFloat16Array } from "@petamoriken/float16";
import { display } from "../../base/diag/index.ts";
import { decodeTable } from "../../base/small-floats.ts";
import { fail } from "./errors.ts";

/** Without the proxy through which an element is read where the engine has no `Float16Array`. */
function halves(bits: Uint16Array): Float32Array {
  const table = decodeTable("f16");
  const numbers = new Float32Array(bits.length);
  for (let i = 0; i < bits.length; i++) numbers[i] = table[bits[i] as number] as number;
  return numbers;
}

/** A tensor of a device, or what reading one promises. */
const isToRead = (x: unknown): boolean =>
  types.isPromise(x) || (typeof x === "object" && x !== null && "read" in x && typeof x.read === "function" && "dtype" in x);

/**
 * The numbers of a list, for loops that read them again and again; refuses what is none. `what` begins a sentence. W7901. Typed arrays
 * are given back as they are. Of any other list each element is read once, into a new one.
 */
export function numbersOf(what: string, given: unknown): ArrayLike<number> {
  const refuse = (shown: string): never => fail("W7901", { what, given: shown, expected: "a list of numbers" });
  const isList = typeof given === "object" && given !== null && "length" in given && typeof given.length === "number";
  if (isToRead(given))
    return fail("W7901", {
      what,
      given: display(given),
      expected: "a list of numbers",
      give: "what a tensor holds: `await x.read()`",
    });
  if (!isList) refuse(display(given));
  if (given instanceof BigInt64Array || given instanceof BigUint64Array)
    return fail("W7901", {
      what,
      given: `a ${given.constructor.name}`,
      expected: "a list of numbers",
      give: "numbers: `Array.from(x, Number)`, which are exact to 2 ** 53",
    });
  // A view with a length is a typed array, as a DataView has none.
  if (ArrayBuffer.isView(given)) return given as unknown as ArrayLike<number>;
  if (isFloat16Array(given)) return halves(new Uint16Array(given.buffer, given.byteOffset, given.length));
  const list = given as ArrayLike<unknown>;
  const numbers = new Float64Array(list.length);
  for (let i = 0; i < list.length; i++) {
    const value = list[i];
    if (typeof value === "number") numbers[i] = value;
    else refuse(`a list with ${display(value)} at ${i}`);
  }
  return numbers;
}
