import type { DType, Element } from "../../base/types.ts";
import type { ScalarType } from "../../ir/index.ts";
import { memoryType } from "../../ir/index.ts";
import { own } from "../trace/staged.ts";
import { currentTrace } from "../trace/trace.ts";
import { bitcastTo, convertTo } from "./convert.ts";
import { overTiles } from "./elementwise.ts";
import { roundsQuotients } from "./unusable.ts";

/** Anything that converts: scalars and tiles. */
export type Convertible = number | bigint | boolean;

/** As the annotation of a kernel's parameter: a signed integer of 32 bits. */
export type i32 = number;
/** As the annotation of a kernel's parameter: a signed integer of 8 bits. */
export type i8 = number;
/** As the annotation of a kernel's parameter: an unsigned integer of 8 bits. */
export type u8 = number;
/** As the annotation of a kernel's parameter: a signed integer of 16 bits. */
export type i16 = number;
/** As the annotation of a kernel's parameter: an unsigned integer of 16 bits. */
export type u16 = number;
/** As the annotation of a kernel's parameter: an unsigned integer of 32 bits. */
export type u32 = number;
/** As the annotation of a kernel's parameter: a signed integer of 64 bits, a `bigint` to TypeScript. */
export type i64 = bigint;
/** As the annotation of a kernel's parameter: an unsigned integer of 64 bits, a `bigint` to TypeScript. */
export type u64 = bigint;
/** As the annotation of a kernel's parameter: a float of 16 bits (IEEE half). */
export type f16 = number;
/** As the annotation of a kernel's parameter: a float of 16 bits with the range of f32 (bfloat16). */
export type bf16 = number;
/** As the annotation of a kernel's parameter: a float of 32 bits. */
export type f32 = number;
/** As the annotation of a kernel's parameter: a float of 64 bits, as a number of JavaScript. */
export type f64 = number;
/** As the annotation of a kernel's parameter: true or false. */
export type bool = boolean;

function conversion<T>(type: ScalarType, name: string): (x: Convertible) => T {
  return roundsQuotients(
    own(
      overTiles(name, (x: Convertible): T => {
        currentTrace(`${name}(…)`);
        return convertTo(type, x) as T;
      }),
    ),
  );
}

/** Converts to i32; staged, also of a static value. Of a float: towards zero, saturating, NaN gives 0. Of a wider integer: it has to fit, which `debug` checks. A static number that does not fit is W2004. PTX `cvt`. */
export const i32 = conversion<number>("i32", "i32");
/** Converts to u32; staged, also of a static value. Of a float: towards zero, saturating, NaN gives 0. Of a wider integer: it has to fit, which `debug` checks. A static number that does not fit is W2004. PTX `cvt`. */
export const u32 = conversion<number>("u32", "u32");
/** Converts to i64; staged, also of a static value. Of a float: towards zero, saturating, NaN gives 0. Of a wider integer: it has to fit, which `debug` checks. A static number that does not fit is W2004. PTX `cvt`. */
export const i64 = conversion<bigint>("i64", "i64");
/** Converts to u64; staged, also of a static value. Of a float: towards zero, saturating, NaN gives 0. Of a wider integer: it has to fit, which `debug` checks. A static number that does not fit is W2004. PTX `cvt`. */
export const u64 = conversion<bigint>("u64", "u64");
/** Converts to i8, for memory of that type; arithmetic on it is done in i32. Staged, also of a static value. Of a float: towards zero, saturating, NaN gives 0. Of a wider integer: it has to fit, which `debug` checks. PTX `cvt`. */
export const i8 = conversion<number>("i8", "i8");
/** Converts to u8, for memory of that type; arithmetic on it is done in i32. Staged, also of a static value. Of a float: towards zero, saturating, NaN gives 0. Of a wider integer: it has to fit, which `debug` checks. PTX `cvt`. */
export const u8 = conversion<number>("u8", "u8");
/** Converts to i16, for memory of that type; arithmetic on it is done in i32. Staged, also of a static value. Of a float: towards zero, saturating, NaN gives 0. Of a wider integer: it has to fit, which `debug` checks. PTX `cvt`. */
export const i16 = conversion<number>("i16", "i16");
/** Converts to u16, for memory of that type; arithmetic on it is done in i32. Staged, also of a static value. Of a float: towards zero, saturating, NaN gives 0. Of a wider integer: it has to fit, which `debug` checks. PTX `cvt`. */
export const u16 = conversion<number>("u16", "u16");
/** Converts to f16, rounding to nearest even; staged, also of a static value. PTX `cvt.rn`. */
export const f16 = conversion<number>("f16", "f16");
/** Converts to bf16, rounding to nearest even; staged, also of a static value. PTX `cvt.rn`. */
export const bf16 = conversion<number>("bf16", "bf16");
/** Converts to f32, rounding to nearest even; staged, also of a static value. PTX `cvt.rn`. */
export const f32 = conversion<number>("f32", "f32");
/** Converts to f64, rounding to nearest even; staged, also of a static value. PTX `cvt.rn`. */
export const f64 = conversion<number>("f64", "f64");
/** Converts to fp8 with 4 bits of exponent and 3 of mantissa: to nearest even, saturating to the largest finite value (448). A format of storage: it has no arithmetic (W2014). PTX `cvt.rn.satfinite.e4m3x2`. */
export const e4m3 = conversion<number>("e4m3", "e4m3");
/** Converts to fp8 with 5 bits of exponent and 2 of mantissa: to nearest even, saturating to the largest finite value (57344). A format of storage: it has no arithmetic (W2014). PTX `cvt.rn.satfinite.e5m2x2`. */
export const e5m2 = conversion<number>("e5m2", "e5m2");
/** The truth of a number: `x !== 0` and not NaN; staged, also of a static value. PTX `setp`. */
export const bool = conversion<boolean>("pred", "bool");

/**
 * The same bits as another type of the same width: `bitcast("f32", bits)`. W2016. PTX `mov.b32`; CUDA `__float_as_int`, `__int_as_float`.
 *
 * @example
 * ```ts
 * const bits = kernel({ block: 1, grid: 1 }, (y: Tensor<"u32", 1>) => {
 *   y[0] = bitcast("u32", f32(1));
 * });
 *
 * await using gpu = await openDevice();
 * const y = gpu.zeros("u32", [1]);
 * bits.launch({}, y);
 * console.log((await y.read())[0]?.toString(16)); // 3f800000
 * ```
 */
export const bitcast: <D extends DType>(dtype: D, x: Convertible) => Element<D> = own(
  overTiles("bitcast", <D extends DType>(dtype: D, x: Convertible): Element<D> => {
    currentTrace("bitcast(…)");
    // To TypeScript a staged scalar is its element, as for `scalar`.
    return bitcastTo(memoryType(dtype), x) as unknown as Element<D>;
  }) as <D extends DType>(dtype: D, x: Convertible) => Element<D>,
);
