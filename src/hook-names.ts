/** Bumped whenever the calls that transformed code makes change their meaning. Checked when a module opens its hooks. */
export const hooksVersion = 1;

/** What transformed code may call: the only thing that `transform` knows of `dsl`. `dsl/hooks-interface.ts` says what each means. */
export const hookNames = [
  "fn", "method", "body",
  "ret", "brk", "cont", "if", "then", "forOf", "loop", "switch", "label", "keys",
  "bin", "un", "and", "or", "nullish", "cond", "first", "template", "key", "spread", "elements",
  "get", "getOpt", "set", "update", "updatePost", "remove", "box", "born",
  "call", "callOpt", "invoke", "invokeOpt", "make", "tagged",
  "stmt", "raise",
] as const;

export type HookName = (typeof hookNames)[number];
