import { readPolicy } from "../ir/index.ts";
import { f32, type Reg } from "../ptx/index.ts";
import { type Context, emitFirst, sharedRegister } from "./context.ts";

const levels = {
  evictFirst: "L2::evict_first",
  evictLast: "L2::evict_last",
  evictNormal: "L2::evict_normal",
  evictUnchanged: "L2::evict_unchanged",
} as const;

/** The policy that a cache hint stands for, made once at the kernel's beginning. */
export function policy(ctx: Context, hint: string | undefined): Reg | undefined {
  const read = hint ? readPolicy(hint) : undefined;
  if (!hint || !read) return undefined;
  const { primary, secondary, fraction } = read;
  const modifiers = { level: levels[primary], rest: secondary ? levels[secondary] : "", type: "b64" } as const;
  return sharedRegister(ctx, `policy ${hint}`, "b64", (r) =>
    emitFirst(ctx, "createpolicy", modifiers, [r, fraction === 1 ? undefined : f32(fraction)]),
  );
}
