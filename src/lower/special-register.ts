import { type Reg, type SpecialRegister, special } from "../ptx/index.ts";
import { type Context, emit, fresh } from "./context.ts";

/** What a special register of 32 bits holds at this point, in a register of its own. */
export function readSpecial(ctx: Context, name: SpecialRegister): Reg {
  const r = fresh(ctx, "b32");
  emit(ctx, "mov.special", {}, [r, special(name)]);
  return r;
}
