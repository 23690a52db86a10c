import { display } from "../base/diag/index.ts";
import {
  integerRange,
  isFloatType,
  isIntegerType,
  isSignedType,
  ofElementTypes,
  elementBytes as sizes,
} from "../base/element-types.ts";
import type { DType } from "../base/types.ts";
import { fail } from "./errors/index.ts";

interface ElementInfo {
  readonly kind: "float" | "integer" | "bigint" | "bool";
  /** Of integers, both inclusive. */
  readonly min?: bigint;
  readonly max?: bigint;
}

function infoOf(dtype: DType): ElementInfo {
  if (!isIntegerType(dtype)) return { kind: isFloatType(dtype) ? "float" : "bool" };
  const [min, max] = integerRange(8 * sizes[dtype], isSignedType(dtype));
  return { kind: sizes[dtype] === 8 ? "bigint" : "integer", min, max };
}

/** What the host may write to memory of each element type. */
export const elementInfo = ofElementTypes(infoOf);

/** Bytes of one element. W7002 for a name that is no element type. */
export function elementBytes(dtype: DType): 1 | 2 | 4 | 8 {
  checkDType(dtype);
  return sizes[dtype];
}

/** Refuses what TypeScript could not: a name that is no element type (W7002). */
export function checkDType(dtype: DType): ElementInfo {
  if (typeof dtype !== "string" || !Object.hasOwn(elementInfo, dtype)) fail("W7002", { given: display(dtype) });
  return elementInfo[dtype];
}
