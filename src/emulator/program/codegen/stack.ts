/** Memory on the stack of a thread (PTX ISA 9.7.20): addresses of the space local. */

import type { Operand } from "../../../ptx/parse/index.ts";
import { type DataType, u32, u64 } from "../../../ptx/parse/index.ts";
import { type Rule, type Rules, typeIn } from "./rule.ts";
import type { Writer } from "./writer.ts";

const defaultAlignment = 8;

function setAddress(w: Writer, d: Operand | undefined, type: DataType, address: string): void {
  if (type === u64) w.setHalves(d, address, "0");
  else w.setInt(d, type, address);
}

const alloca: Rule = (w, [d, size, alignment], _, i) => {
  const type = typeIn(i);
  const bytes = type === u64 ? w.address64(size) : w.unsigned(size, type);
  const align = alignment?.kind === "int" ? Number(alignment.value) : defaultAlignment;
  w.line(`w.at=${i.index};`);
  setAddress(w, d, type, w.keep(`w.stack.allocate(l,${bytes},${align})`));
};

const stacksave: Rule = (w, [d], _, i) => setAddress(w, d, typeIn(i), "w.stack.top[l]");

const stackrestore: Rule = (w, [a], _, i) => {
  w.line(`w.at=${i.index};`);
  w.line(`w.stack.restore(l,${typeIn(i) === u64 ? w.address64(a) : w.unsigned(a, u32)});`);
};

export const stackRules: Rules = { alloca, stacksave, stackrestore };
