import type { Literal, ScalarType } from "../../ir/index.ts";

/** A type as the author writes it. */
export const typeText = (type: ScalarType): string => (type === "pred" ? "bool" : type);

/** A type with its article: "an i32". */
export const aType = (type: ScalarType): string =>
  `${/^[aeifu8]/.test(typeText(type)) && !/^u/.test(typeText(type)) ? "an" : "a"} ${typeText(type)}`;

/** A literal as the author writes it. */
export const literalText = (value: Literal): string =>
  typeof value === "bigint" ? `${value}n` : Object.is(value, -0) ? "-0" : String(value);
