import { isAcc, isScalar } from "../../ir/index.ts";
import { zeroLike } from "../numbers/constant.ts";
import { wrap } from "../numbers/operands.ts";
import { Staged } from "../staged.ts";
import type { Trace } from "../trace.ts";

/** What stands for a value of that type where nobody reads it; undefined where nothing can. Emits. */
export function blankLike(trace: Trace, { value }: Staged): Staged | undefined {
  if (isScalar(value.type)) return wrap(zeroLike(value));
  if (!isAcc(value.type)) return undefined;
  const [zeros] = trace.emit("acc.zero", {}, {}, { types: [value.type] }).results;
  return zeros && new Staged(zeros);
}
