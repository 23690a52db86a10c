/** What the L2 cache is to do with what is accessed, as an attribute says it. PTX ISA 9.7.9.18 (`createpolicy.fractional`). */

export const firstPolicies = ["evictFirst", "evictLast", "evictNormal", "evictUnchanged"] as const;
export const otherPolicies = ["evictFirst", "evictUnchanged"] as const;

export interface Policy {
  readonly primary: (typeof firstPolicies)[number];
  /** What becomes of accesses that the fraction leaves out; PTX takes `evictUnchanged` where nothing is said. */
  readonly secondary: (typeof otherPolicies)[number] | undefined;
  /** Of the accesses, over 0 and up to 1. */
  readonly fraction: number;
}

/** `evictLast`, `evictLast 0.5`, `evictLast 0.5 evictFirst`. */
export const policyText = ({ primary, secondary, fraction }: Policy): string =>
  [primary, ...(fraction === 1 && !secondary ? [] : [fraction]), ...(secondary ? [secondary] : [])].join(" ");

/** Undefined where the text is no policy. */
export function readPolicy(text: string): Policy | undefined {
  const [primary, fraction = "1", secondary, ...more] = text.split(" ");
  const [first, other] = [firstPolicies.find((p) => p === primary), otherPolicies.find((p) => p === secondary)];
  const part = Number(fraction);
  if (!first || (secondary !== undefined && !other) || more.length > 0 || !(part > 0 && part <= 1)) return undefined;
  return { primary: first, secondary: other, fraction: part };
}
