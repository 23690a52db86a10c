import { defineErrors } from "../../base/diag/index.ts";

/** W7741–W7749: profiles of launches, and the marks in kernels. */
export const profileErrors = defineErrors({
  W7741: {
    message: (a: { call: string; given: string; longest: number }) =>
      `${a.call} takes a name of 1 to ${a.longest} characters that is known before the launch, and it was given ${a.given}`,
    fix: () => 'write the name as text: profile.begin("load")',
  },
  W7742: {
    message: (a: { name: string }) => `The span "${a.name}" begins here and ends nowhere in this kernel`,
    fix: (a) => `write profile.end(${JSON.stringify(a.name)}) where it ends`,
  },
  W7743: {
    message: (a: { name: string }) => `The span "${a.name}" ends here and begins nowhere in this kernel`,
    fix: (a) => `write profile.begin(${JSON.stringify(a.name)}) where it begins`,
  },
});
