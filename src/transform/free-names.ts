import { ts } from "./typescript.ts";

/** Gives names that the file does not use. */
export interface FreeNames {
  /** The first of `base`, `base$1`, `base$2`, … that is free; taken from then on. */
  take(base: string): string;
  /** The next of `base1`, `base2`, … that is free. */
  next(base: string): string;
}

export function freeNames(file: ts.SourceFile): FreeNames {
  const taken = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) taken.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(file);
  let last = 0;
  const firstFree = (candidate: () => string): string => {
    let name = candidate();
    while (taken.has(name)) name = candidate();
    taken.add(name);
    return name;
  };
  return {
    take(base) {
      let i = 0;
      return firstFree(() => (i++ === 0 ? base : `${base}$${i - 1}`));
    },
    next: (base) => firstFree(() => `${base}${++last}`),
  };
}
