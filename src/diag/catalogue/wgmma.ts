import { defineErrors } from "../define-errors.ts";

/** W6xxx. */
export const wgmmaErrors = defineErrors({
  W6001: {
    message: (a: { name: string | undefined; pending: number }) => `this reads ${a.name ?? "an accumulator"} before its product is known to be finished`,
    fix: (a: { pending: number }) =>
      `write \`wgmma.wait(0)\` before it${a.pending > 0 ? ` (\`wgmma.wait(${a.pending})\` leaves the ${a.pending} newer products running)` : ""}`,
  },
  W6002: {
    message: () => "nothing waits for this product before the kernel ends",
    fix: () => "write `wgmma.wait(0)` on every path from here to the end of the kernel",
  },
});
