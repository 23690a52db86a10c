import { defineErrors } from "../define-errors.ts";

const listed = (names: readonly string[]): string =>
  names.length === 1 ? `its only option is ${names[0]}` : `its options are ${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

/** W26xx: objects of options, on the host and in kernels. */
export const optionsErrors = defineErrors({
  W2601: {
    message: (a: { of: string; name: string; near: string | undefined; names: readonly string[] }) =>
      `${a.of} has no option \`${a.name}\``,
    fix: (a) => `${a.near === undefined ? "leave it out" : `write \`${a.near}\``}; ${listed(a.names)}`,
  },
  W2602: {
    message: (a: { of: string; given: string; names: readonly string[] }) =>
      `${a.of} takes its options as an object, and ${a.given} is given`,
    fix: (a) => `write { ${a.names[0]}: … }; ${listed(a.names)}`,
  },
});
