import { defineErrors } from "../define-errors.ts";

/** W2xxx: what staged code can say. */
export const languageErrors = defineErrors({
  W2001: {
    message: (a: { what: string }) => `${a.what} has a meaning only inside a kernel`,
    fix: () => `call it from a function given to kernel(), or from a helper that begins with "use kernel"`,
  },
});
