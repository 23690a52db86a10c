import { optionsOf } from "../../base/diag/index.ts";
import { firstPolicies, otherPolicies, policyText } from "../../ir/index.ts";
import { checkOptionsHere, describe } from "../numbers/describe.ts";
import { failHere } from "../trace/fail-here.ts";

/** What becomes of bytes in the L2 cache: they go first, last, as usual, or what they were to be before stays. */
export type CachePolicy = "evictFirst" | "evictLast" | "evictNormal" | "evictUnchanged";

/** A policy for a part of the accesses, which the hardware picks by their addresses. PTX `createpolicy.fractional` (9.7.9.18). */
export interface FractionalPolicy {
  /** For the fraction. */
  primary: CachePolicy;
  /** Over 0 and up to 1. Static. W3025. */
  fraction: number;
  /** For the rest. Default "evictUnchanged". W3025. */
  secondary?: "evictFirst" | "evictUnchanged";
}
const policyOptions = optionsOf<FractionalPolicy>("cacheHint", { primary: true, fraction: true, secondary: true });

/** What the L2 cache is to do with the bytes: the same for all of them, or for a fraction. A hint: results never depend on it. PTX `.L2::cache_hint`. */
export type CacheHint = CachePolicy | FractionalPolicy;

const quoted = (names: readonly string[]): string =>
  `${names
    .slice(0, -1)
    .map((n) => `"${n}"`)
    .join(", ")} or "${names.at(-1)}"`;

function oneOf<T extends string>(what: string, allowed: readonly T[], given: unknown): T {
  const found = allowed.find((name) => name === given);
  return found ?? failHere("W3025", { what, given: shown(given), allowed: quoted(allowed) });
}
const shown = (x: unknown): string => (typeof x === "string" || typeof x === "number" ? JSON.stringify(x) : describe(x));

/** A cache hint as ops have it; "" where there is none. W2601, W3025. */
export function readHint(hint: unknown): string {
  if (hint === undefined) return "";
  if (typeof hint !== "object" || hint === null) return oneOf("a cache hint", firstPolicies, hint);
  checkOptionsHere(hint, policyOptions);
  const given = hint as Readonly<Record<keyof FractionalPolicy, unknown>>;
  const primary = oneOf("`primary` of a cache hint", firstPolicies, given.primary);
  const secondary =
    given.secondary === undefined ? undefined : oneOf("`secondary` of a cache hint", otherPolicies, given.secondary);
  const { fraction } = given;
  if (typeof fraction !== "number" || !(Math.fround(fraction) > 0 && fraction <= 1))
    return failHere("W3025", {
      what: "`fraction` of a cache hint",
      given: shown(fraction),
      allowed: "a number over 0 and up to 1 that is known while the kernel is compiled",
    });
  return policyText({ primary, secondary, fraction });
}
