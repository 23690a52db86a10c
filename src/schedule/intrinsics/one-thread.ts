import { binary, branch, currentTrace, noVariables, truth } from "../../dsl/emit.ts";

/** What the thread of number 0 does alone. */
export function oneThread(number: number, run: () => unknown): void {
  const yes = (): undefined => void run();
  const isFirst = truth(binary("===", number, 0));
  if (typeof isFirst === "boolean") throw new Error("a thread's number is known on the GPU alone");
  branch(currentTrace("a store"), isFirst, yes, () => undefined, noVariables);
}
