import type { ScalarType } from "../ir/index.ts";
import type { DType, Element } from "../types.ts";
import { roundsQuotients } from "./hooks/quotient-takers.ts";
import { memoryType } from "./memory/dtype.ts";
import { bitcastTo, convertTo } from "./numbers/convert.ts";
import { own } from "./staged.ts";
import { currentTrace } from "./trace.ts";

/** Anything that converts: scalars and tiles. */
export type Convertible = number | bigint | boolean;

/** The names of scalar types, as annotations of a kernel's parameters. */
export type i32 = number;
export type i8 = number;
export type u8 = number;
export type i16 = number;
export type u16 = number;
export type u32 = number;
export type i64 = bigint;
export type u64 = bigint;
export type f16 = number;
export type bf16 = number;
export type f32 = number;
export type f64 = number;
export type bool = boolean;

function conversion<T>(type: ScalarType, name: string): (x: Convertible) => T {
  return roundsQuotients(
    own((x: Convertible): T => {
      currentTrace(`${name}(…)`);
      return convertTo(type, x) as T;
    }),
  );
}

/** Conversions give staged values, also from static ones. To 32-bit integer. From a float: towards zero; out of range saturates, NaN gives 0. */
export const i32 = conversion<number>("i32", "i32");
export const u32 = conversion<number>("u32", "u32");
export const i64 = conversion<bigint>("i64", "i64");
export const u64 = conversion<bigint>("u64", "u64");
/** To 8 and 16 bits, for memory of those types: from a float saturating, from a wider integer it must fit (checked in debug). They compute as i32. */
export const i8 = conversion<number>("i8", "i8");
export const u8 = conversion<number>("u8", "u8");
export const i16 = conversion<number>("i16", "i16");
export const u16 = conversion<number>("u16", "u16");
/** To a float, rounding to nearest even. */
export const f16 = conversion<number>("f16", "f16");
export const bf16 = conversion<number>("bf16", "bf16");
export const f32 = conversion<number>("f32", "f32");
export const f64 = conversion<number>("f64", "f64");
/** To fp8, rounding to nearest even and saturating to the largest finite value. */
export const e4m3 = conversion<number>("e4m3", "e4m3");
export const e5m2 = conversion<number>("e5m2", "e5m2");
/** `x !== 0`. */
export const bool = conversion<boolean>("pred", "bool");

/** The same bits as another type of the same width: `bitcast("f32", bits)`. */
export const bitcast: <D extends DType>(dtype: D, x: Convertible) => Element<D> = own(
  <D extends DType>(dtype: D, x: Convertible): Element<D> => {
    currentTrace("bitcast(…)");
    return bitcastTo(memoryType(dtype), x) as unknown as Element<D>;
  },
);

export { cdiv } from "./math/integers.ts";
