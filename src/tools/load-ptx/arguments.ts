/** Arguments of a launch against the parameters of its entry. */

import { display } from "../../base/diag/index.ts";
import type { DType } from "../../base/types.ts";
import { encodeElements } from "../../runtime/index.ts";
import { fail } from "./errors.ts";
import type { PtxEntry, PtxParameter } from "./types.ts";
import { rawBytes, typedValue, type Value } from "./values.ts";

/** What a plain number, bigint or boolean is to a parameter of that type. */
interface Plain {
  /** As the end of a sentence. */
  readonly expected: string;
  encode(value: unknown): Uint8Array | undefined;
}

const floats: Readonly<Record<string, DType>> = { f16: "f16", bf16: "bf16", f32: "f32", f64: "f64" };

const float = (dtype: DType): Plain => ({
  expected: "a number",
  encode: (value) => (typeof value === "number" ? encodeElements(dtype, [value]) : undefined),
});

/** `int` and `unsigned` are both `.u32` to compilers: what fits one of them fits. */
function integer(bits: number, numbers: boolean): Plain {
  const [low, high] = [-(2n ** BigInt(bits - 1)), 2n ** BigInt(bits) - 1n];
  const asBigint = (value: unknown): bigint | undefined => {
    if (typeof value === "bigint") return value;
    if (numbers && typeof value === "boolean" && bits === 8) return value ? 1n : 0n;
    return numbers && Number.isSafeInteger(value) ? BigInt(value as number) : undefined;
  };
  const range = `${bits === 64 && numbers ? "a bigint or a safe whole number" : numbers ? "a whole number" : "a bigint"} from ${low} to ${high}`;
  return {
    expected: numbers ? range : `${range}, or scalar("f${bits}", x) where it is a float: .b${bits} does not say`,
    encode(value) {
      const whole = asBigint(value);
      if (whole === undefined || whole < low || whole > high) return undefined;
      const bytes = new Uint8Array(8);
      new DataView(bytes.buffer).setBigUint64(0, BigInt.asUintN(64, whole), true);
      return bytes.slice(0, bits / 8);
    },
  };
}

function plainOf({ type, bytes }: PtxParameter): Plain | undefined {
  const dtype = floats[type];
  const [, kind, width] = /^([usb])(\d+)$/.exec(type) ?? [];
  const bits = Number(width);
  const size = dtype === undefined ? bits / 8 : Number(type.replace(/\D/g, "")) / 8;
  if (size !== bytes) return undefined;
  if (dtype !== undefined) return float(dtype);
  return bits > 64 ? undefined : integer(bits, kind !== "b" || bits === 8);
}

/** The argument as a value of that parameter's size. W7806, W7809. */
function argumentValue(entry: PtxEntry, parameter: PtxParameter, index: number, argument: unknown): Value {
  const typed = typedValue(argument);
  const { name, bytes } = parameter;
  if (typed && typed.bytes !== bytes)
    fail("W7806", { entry: entry.demangled, index, parameter: name, given: typed.bytes, bytes });
  if (typed) return typed;
  const plain = plainOf(parameter);
  const encoded = plain?.encode(argument);
  if (encoded) return rawBytes(encoded, bytes);
  const expected = plain?.expected ?? `struct(…) or a typed array of ${bytes} bytes`;
  const tensor = bytes === 8 ? "; a tensor or pointer() for an address" : "";
  return fail("W7809", {
    place: `Argument ${index} of ${entry.demangled}, of type .${parameter.type}`,
    given: display(argument),
    expected: expected + tensor,
  });
}

/** The parameters of an entry for a message, without the entry's own name in front. */
export const parameterNames = ({ name, parameters }: PtxEntry): readonly string[] =>
  parameters.map((p) => `${p.name.replace(`${name}_`, "")} of ${p.bytes} bytes`);

/** The values of a launch, one for each parameter. W7805, W7806, W7809. */
export function valuesOf(entry: PtxEntry, args: readonly unknown[]): readonly Value[] {
  const { parameters } = entry;
  if (args.length !== parameters.length)
    fail("W7805", { entry: entry.demangled, parameters: parameterNames(entry), given: args.length });
  return parameters.map((parameter, i) => argumentValue(entry, parameter, i, args[i]));
}
