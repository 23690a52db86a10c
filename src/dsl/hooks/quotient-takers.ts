const takers = new WeakSet<object>();

/** Declares a function of the dsl that says how an integer quotient is rounded, and so may be given one that is not rounded yet. */
export function roundsQuotients<F extends object>(f: F): F {
  takers.add(f);
  return f;
}

export const takesQuotients = (f: unknown): boolean => typeof f === "function" && takers.has(f);
