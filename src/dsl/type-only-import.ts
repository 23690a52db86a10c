import { authorsCall, fail } from "../diag/index.ts";

/** Names of the package that are types and values, so that an editor may import them as types. */
const both = /^([iuf](8|16|32|64)|bf16|tf32|e4m3|e5m2|bool|TMA|Tensor|Mbarriers|Pipeline|TileScheduler|WGMMAMatrix|SharedView)$/;

/** W2077 where JavaScript has not found a name that `import { type f32 }` leaves out; every other error passes. */
export function refuseTypeOnly(error: unknown): void {
  if (!(error instanceof ReferenceError)) return;
  const name = /^(\w+) is not defined$/.exec(error.message)?.[1];
  if (name !== undefined && both.test(name)) fail("W2077", { name }, authorsCall(error.stack ?? ""));
}
