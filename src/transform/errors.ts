/** Errors of transform: text that the language does not have. */
import { defineErrors, type Fail, type MakeError, raising } from "../base/diag/index.ts";

/** W1xxx: what the text of a kernel or helper may not say. */
export const transformErrors = defineErrors({
  W1001: {
    message: (a: { message: string }) => `TypeScript cannot read this file: ${a.message}`,
    fix: () => "correct the syntax at the place shown",
  },
  W1002: {
    message: (a: { what: string }) => `${a.what} cannot run on the GPU: a kernel has no event loop`,
    fix: () =>
      "remove `async` and `await`; wait inside a kernel with an mbarrier, on the host after `launch` with `read()` or `sync()`",
  },
  W1003: {
    message: () => "a generator cannot run on the GPU",
    fix: () => "return an array, or take a callback and call it where you would `yield`",
  },
  W1004: {
    message: () => "`try` has no meaning in a kernel: nothing that runs on the GPU can be caught",
    fix: () => 'test for the case with `if`, or stop the kernel with `assert(condition, "message")`',
  },
  W1005: {
    message: (a: { what: string }) => `\`${a.what}\` hides which names a kernel uses`,
    fix: () => "write the code where it stands, with the names it means",
  },
  W1006: {
    message: () => "`var` outlives its block, so it is not clear what a branch or loop on the GPU changes",
    fix: () => "use `let` or `const`, declared where its value is needed",
  },
  W1007: {
    message: (a: { text: string }) => `\`${a.text}\` compares the true or false of the first comparison with a number`,
    fix: (a: { text: string; left: string; middle: string; right: string }) => `write \`${a.left} && ${a.middle} ${a.right}\``,
  },
  W1008: {
    message: (a: { name: string }) =>
      `a kernel cannot assign \`${a.name}\`, which is declared outside it: no thread on the GPU can write a JavaScript variable`,
    fix: (a: { name: string }) => `declare \`${a.name}\` inside the kernel, or write the result to a tensor`,
  },
  W1009: {
    message: (a: { name: string }) =>
      `\`${a.name}\` is assigned again elsewhere in this file, so it is not clear which of its values the kernel means`,
    fix: (a: { name: string }) =>
      `make \`${a.name}\` a \`const\`, or pass it as an argument, \`${a.name}: Static<…>\` or \`${a.name}: i32\``,
  },
  W1010: {
    message: () => "`arguments` is not available in a kernel or helper",
    fix: () => "name the parameters, or take the rest of them with `(...values)`",
  },
  W1011: {
    message: () => "a kernel is launched without an object, so `this` is undefined in it",
    fix: () => "pass what you need as an argument",
  },
  W1012: {
    message: () => "`super` and `extends` are not available in code that runs on the GPU",
    fix: () => "keep the other object in a field and call its methods, or declare the class outside the kernel",
  },
  W1013: {
    message: () => "a kernel cannot load a module while it runs",
    fix: () => "import the module at the top of the file",
  },
  W1014: {
    message: () => "`using` disposes of a resource of the host, and a kernel has none",
    fix: () => "declare it with `const`; declare resources in host code, before the launch",
  },
  W1015: {
    message: (a: { name: string }) => `the private name \`${a.name}\` cannot be followed through branches and loops on the GPU`,
    fix: (a: { name: string }) => `use a field that TypeScript keeps private: \`private ${a.name.replace(/^#/, "")}\``,
  },
  W1016: {
    message: () => "an object literal in a kernel or helper cannot have a getter or setter",
    fix: () => "write a method, or compute the value as a plain property",
  },
  W1017: {
    message: (a: { name: string }) =>
      `a function written in this loop keeps \`${a.name}\`, and the loop's body changes it, so it is not clear which value the function sees`,
    fix: (a: { name: string }) => `copy it first, \`const my = ${a.name};\`, and use the copy in the function`,
  },
  W1018: {
    message: (a: { name: string }) =>
      `\`${a.name}\` is used by a function above a statement that may leave, and declared below it`,
    fix: (a: { name: string }) => `move the declaration of \`${a.name}\` up, before the statement that may leave`,
  },
  W1019: {
    message: (a: { name: string }) => `\`${a.name}\` is declared in one case of this \`switch\` and used in another`,
    fix: (a: { name: string }) => `declare \`${a.name}\` before the \`switch\``,
  },
  W1020: {
    message: (a: { name: string }) =>
      `the parameter \`${a.name}\` is assigned by a function inside and used in another parameter's default value`,
    fix: (a: { name: string }) => `copy it in the body, \`let my = ${a.name};\`, and assign the copy`,
  },
  W1021: {
    message: (a: { what: string }) => `${a.what} cannot be used in a kernel or helper`,
    fix: (a: { instead: string }) => a.instead,
  },
  W1022: {
    message: () => "`delete` removes a field of an object, and this is none",
    fix: () => "leave it out: a variable ends with its block",
  },
  W1023: {
    message: (a: { name: string; word: string }) => `\`${a.name}\` is declared by \`${a.word}\`, and assigned here`,
    fix: (a) => (a.word === "const" ? `declare it by \`let\`: \`let ${a.name} = …\`` : "assign another variable"),
  },
  W1024: {
    message: (a: { text: string }) => `this condition assigns: \`${a.text}\``,
    fix: (a: { compared: string; text: string }) =>
      `to compare, write \`${a.compared}\`; to assign and ask what was assigned, put it into parentheses: \`(${a.text})\``,
  },
  W2054: {
    message: () => "the text of this kernel or helper nests more deeply than JavaScript can follow: this is its innermost part",
    fix: () =>
      "take it apart: name parts of a long expression with `const`, join nested conditions with `&&`, look up in an array or a tensor what many cases would say",
  },
});

export type ErrorCode = keyof typeof transformErrors;
export const makeError: MakeError<typeof transformErrors> = raising(transformErrors).makeError;
export const fail: Fail<typeof transformErrors> = raising(transformErrors).fail;
