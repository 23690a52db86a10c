import { defineErrors } from "../../base/diag/index.ts";

/** What to do where a value is undefined. */
const missing =
  "see what is not there: an argument, a field, an element of an array; `x.shape` of a matrix has two numbers, `x.shape[0]` and `x.shape[1]`";

/** W2xxx: what staged code can say. */
export const languageErrors = defineErrors({
  W2001: {
    message: (a: { what: string }) => `${a.what} has a meaning only inside a kernel`,
    fix: () => `call it from a function given to kernel(), or from a helper that begins with "use kernel"`,
  },
  W2002: {
    message: (a: { name: string }) => `\`${a.name}\` returns a value, and a kernel returns nothing`,
    fix: () => "write the result to a tensor, and return nothing",
  },
  W2003: {
    message: (a: { op: string; a: string; b: string }) =>
      `\`${a.op}\` has ${a.a} on one side and ${a.b} on the other, and they do not mix by themselves`,
    fix: (a: { fix: string }) => a.fix,
  },
  W2004: {
    message: (a: { literal: string; type: string }) => `\`${a.literal}\` is no value of type ${a.type}, which it meets here`,
    fix: (a: { fix: string }) => a.fix,
  },
  W2005: {
    message: () => "`/` divides two integers here, and does not say how to round",
    fix: ({ text = "a / b" }: { text?: string | undefined }) =>
      `for an integer write \`Math.trunc(${text})\`, \`Math.floor(${text})\` or \`(${text}) | 0\`; for a fraction convert one side, as in \`f32(a) / b\``,
  },
  W2006: {
    message: (a: { op: string; what: string }) =>
      `\`${a.op}\` computes with numbers, and ${a.what} stands on one side of it: a bool is not a number`,
    fix: (a) =>
      a.op === "&" || a.op === "|"
        ? `for two truth values write \`${a.op}${a.op}\`; for a number of one, \`i32(b)\``
        : "write `b ? 1 : 0` or `i32(b)` for the number, `n !== 0` for the truth value",
  },
  W2007: {
    message: (a: { op: string }) =>
      `\`${a.op}\` converts its operands before it compares them, which a value of the GPU cannot do`,
    fix: (a: { op: string }) => `write \`${a.op}=\``,
  },
  W2008: {
    message: (a: { noun: string }) =>
      `JavaScript cannot read ${a.noun.includes(" ") ? a.noun : `${/^[aefi]/.test(a.noun) ? "an" : "a"} ${a.noun}`} while the kernel is traced: its value is known only on the GPU`,
    fix: () =>
      'compute with it in a kernel, or in a helper that begins with "use kernel" (in explicit code: `expr(x).add(y)`); print it with console.log(…)',
  },
  W2009: {
    message: (a: { op: string; what: string; instead?: string | undefined }) =>
      `\`${a.op}\` computes with numbers, not with ${a.what}`,
    fix: (a) =>
      a.instead ??
      (a.what === "`undefined`"
        ? missing
        : "take the element itself, `x.at(i).value` or `x[i]`, or the field that holds the number"),
  },
  W2010: {
    message: (a: { what: string; wanted: string; got: string }) => `${a.what} is ${a.wanted}, and ${a.got} is given`,
    fix: (a: { fix: string }) => a.fix,
  },
  W2011: {
    message: (a: { op: string; what: string }) => `\`${a.op}\` works on integers, not on ${a.what}`,
    fix: () => "convert it first: `i32(x)` or `u32(x)`; for a whole exponent multiply, for a power of floats convert with f32(x)",
  },
  W2012: {
    message: (a: { type: string }) => `the negative of a ${a.type} is no ${a.type}`,
    fix: (a: { type: string }) =>
      a.type === "u32" ? "convert it first, `-i32(n)`, or write `(0 - i32(n)) >>> 0` to wrap" : "convert it first, `-i64(n)`",
  },
  W2013: {
    message: (a: { op: string }) => `a 64-bit integer, which is a bigint, has no ${/^[a-z]/.test(a.op) ? a.op : `\`${a.op}\``}`,
    fix: (a: { instead: string }) => a.instead,
  },
  W2014: {
    message: (a: { op: string; what: string }) => `the GPU has no \`${a.op}\` for ${a.what}: fp8 is a format of storage`,
    fix: () => "convert it first: `f16(x)` or `f32(x)`",
  },
  W2015: {
    message: (a: { what: string }) => `${a.what} would decide while the kernel is traced what is known only on the GPU`,
    fix: () => "compare with `===`, or keep the values in a tensor or in shared memory and index that",
  },
  W2016: {
    message: (a: { from: string; fromBits: number; to: string; toBits: number }) =>
      `bitcast keeps the bits, and ${a.from} has ${a.fromBits} of them where ${a.to} has ${a.toBits}`,
    fix: (a: { to: string }) => `give a value of the same width, or convert the number with \`${a.to}(x)\``,
  },
  W2017: {
    message: (a: { what: string; got: string }) => `${a.what} is a whole number, and ${a.got} is given`,
    fix: (a) => (a.got === "`undefined`" ? missing : "convert it: `i32(x)`, or round the quotient: `Math.trunc(a / b)`"),
  },
  W2020: {
    message: (a: { name: string }) => `\`${a.name}\` may have no value here: not every way to this place assigns it`,
    fix: (a: { name: string }) =>
      `give \`${a.name}\` a value where it is declared, or assign it on both sides of the branch and before the loop`,
  },
  W2021: {
    message: (a: { found: number; wanted: number }) =>
      `this file was compiled for version ${a.found} of the hooks, and this is version ${a.wanted}`,
    fix: () => "compile it again: delete the build's output and its cache, and use one version of warpsmith",
  },
  W2023: {
    message: () => "the condition of this loop was known while tracing at first, and is now decided on the GPU",
    fix: () => "write `for (const i of range(…))`, or let what it depends on begin on the GPU: `let i = i32(0)`",
  },
  W2024: {
    message: (a: { what: string }) =>
      `this changes how many elements an ${a.what} has, depending on a value of the GPU`.replace("an collection", "a collection"),
    fix: () =>
      "keep what the GPU counts in a tensor or in shared memory, `found.at(count).value = x; count += 1`; an array of the kernel is as long on every way: where the number of iterations is known while tracing, `for (const i of staticRange(4))`",
  },
  W2025: {
    message: () =>
      "this object is nested too deeply, holds itself or holds the same parts many times, so it cannot be carried through a branch or loop on the GPU",
    fix: () => "assign only the fields that change, or keep the object in a `const`",
  },
  W2026: {
    message: (a: { what: string; value: string; object?: string | undefined }) =>
      `this loop on the GPU changes ${a.what}${a.object === undefined ? "" : ` (\`${a.object}\`)`}, which it has read before as ${a.value}, and the GPU holds no such value`,
    fix: (a) =>
      a.value === "`null`"
        ? "keep a boolean beside it that says whether there is one, and let it begin with an object of the same fields"
        : "keep a number or a boolean in its place that says which it is, and decide by that",
  },
  W2027: {
    message: () => "a range is a loop on the GPU, and its elements cannot be spread or collected while the kernel is traced",
    fix: () => "write `for (const i of range(…))`, or staticRange(…) for elements that are known while tracing",
  },
  W2028: {
    message: () => "the step of a range is 0, so the loop would never end",
    fix: () => "give a positive step, or a negative one to count down",
  },
  W2029: {
    message: (a: { got: string }) => `staticRange runs while the kernel is traced, and ${a.got} is not known then`,
    fix: () => "write `range(…)` for a loop on the GPU, or make the bound a `Static<number>` parameter",
  },
  W2030: {
    message: (a: { iterations: number }) =>
      `this loop runs while the kernel is traced, and has not ended after ${a.iterations} iterations`,
    fix: () => "write `for (const i of range(…))`, or `while (bool(true))` for a loop on the GPU that `break` ends",
  },
  W2031: {
    message: (a: { what: string }) => `\`for … of\` goes through a range or an iterable, not through ${a.what}`,
    fix: () => "write `for (const i of range(n))`, and take the element inside the loop",
  },
  W2032: {
    message: () => "this case goes on into the next one, depending on a value of the GPU",
    fix: () => "end the case with `break`, and repeat the statements or put them in a function",
  },
  W2033: {
    message: (a: { text: string; method?: string | undefined }) =>
      a.method === undefined
        ? `\`${a.text}\` is a kernel, and a kernel is launched, not called`
        : `\`${a.text}\` is a kernel, and a kernel cannot call \`${a.text}.${a.method}\`: only the host launches kernels`,
    fix: (a: { text: string }) =>
      `launch it from the host: \`${a.text}.launch({ grid }, …)\`; put what both need into a helper that begins with "use kernel"`,
  },
  W2035: {
    message: (a: { text: string }) => `\`${a.text}\` would decide while the kernel is traced what is known only on the GPU`,
    fix: (a: { instead: string }) => a.instead,
  },
  W2036: {
    message: (a: { text: string }) =>
      `\`${a.text}\` gives something else each time the kernel is traced, and the compiled kernel is used again`,
    fix: (a: { text: string }) =>
      `compute it on the host, and pass it at the launch: a parameter \`value: f32\`, and \`${a.text}${a.text.startsWith("new ") ? "" : "()"}\` for it`,
  },
  W2037: {
    message: (a: { text: string }) =>
      `\`${a.text}\` calls itself more than 256 times deep: a function whose end is decided on the GPU never ends while it is traced`,
    fix: () => "write a loop: `for (const i of range(…))` or `while`; let recursion depend on static values only",
  },
  W2039: {
    message: (a: { what: string; index?: string | undefined }) =>
      `${a.what} is indexed with ${a.index === undefined ? "a value" : `\`${a.index}\``} that is known only on the GPU`.replace(
        "` that is",
        "`, which is",
      ),
    fix: () =>
      "keep the values where the GPU can index them: in a tensor that the kernel takes, or in `sharedMemory.alloc(…)`, written once before a syncThreads(); or let the index be static, `for (const i of staticRange(n))`",
  },
  W2040: {
    message: (a: { type: string; key: string }) => `${a.type} on the GPU has no \`.${a.key}\``,
    fix: () => "compute with operators and Math; in code without the transform use `expr(x).add(y)` and the like",
  },
  W2041: {
    message: (a: { what: string }) => `${a.what} cannot depend on a value of the GPU`,
    fix: () => "use static values for names and shapes; print values with console.log(…)",
  },
  W2042: {
    message: () => "an exception cannot be thrown depending on a value of the GPU",
    fix: () => 'stop the kernel with `assert(condition, "message")`, or decide with a static value',
  },
  W2043: {
    message: () => "`delete` cannot be followed on the GPU",
    fix: () => "assign `undefined`, or build a new object without the field",
  },
  W2044: {
    message: (a: { text: string; what: string }) => `\`${a.text}\` returns ${a.what}, and the statement discards it`,
    fix: (a: { keep: string; assign: string | undefined }) =>
      a.assign === undefined
        ? `keep the result: \`${a.keep}\``
        : `to assign, write \`${a.assign}\`; to keep the result, \`${a.keep}\``,
  },
  W2045: {
    message: (a: { message: string }) => `the assertion does not hold: ${a.message}`,
    fix: () => "correct the static value that it checks, or the assertion",
  },
  W2046: {
    message: (a: { what: string; key: string }) => `\`.${a.key}\` of ${a.what} cannot be assigned`,
    fix: () => "keep the new value in a variable or an object of your own",
  },
  W2047: {
    message: () => "this function returns a value on some ways through it and none on others, and the GPU decides which",
    fix: () => "end the function with a `return` that gives a value of the same type",
  },
  W2049: {
    message: (a: { what: string }) =>
      `Whether ${a.what} changes depends on a value of the GPU, and a typed array holds what JavaScript knows.`,
    fix: () => "keep what changes in a plain array, `[...values]`, or in shared memory",
  },
  W2050: {
    message: (a: { what: string }) =>
      `Another variable may hold the same object, and ${a.what} was changed through that one, so what it is here depends on a value of the GPU.`,
    fix: () => "change the object through one variable only, or give the other a copy of its own: `{ ...o }`",
  },
  W2051: {
    message: (a: { what: string }) =>
      `After an iteration of this loop ${a.what} and another variable may hold the same object, and the loop changes it.`,
    fix: () => "give one of them a copy: `p = { ...q }`",
  },
  W2053: {
    message: (a: { inner: string; outer: string }) => `\`${a.inner}\` is compiled inside the kernel \`${a.outer}\``,
    fix: () => "compile and launch kernels from the host",
  },
  W2055: {
    message: (a: { kernel: string }) =>
      `JavaScript's stack ends here while ${a.kernel} is compiled: its branches, cases and calls nest too deeply`,
    fix: () =>
      "take it apart: join nested conditions with `&&`, look up in a tensor what many cases would say, or let a loop over `range` do what a function that calls itself does",
  },
  W2057: {
    message: (a: { most: number }) => `this switch has more than ${a.most} cases, and the GPU decides which`,
    fix: () => "put what the cases give into a tensor and look it up there, or decide in steps: one `switch` inside another",
  },
  W2058: {
    message: (a: { text: string | undefined; what: string }) =>
      `the condition${a.text === undefined ? "" : ` \`${a.text}\``} is an object, ${a.what}, and an object is always true`,
    fix: (a: { text: string | undefined; element: string | undefined }) =>
      a.element === undefined || a.text === undefined
        ? "compare a number of it, or leave the condition out: the object is always there"
        : `compare a number: \`${a.text}${a.element} !== 0\``,
  },
  W2059: {
    message: (a: { name: string }) =>
      `\`${a.name}\` is three numbers, \`.x\`, \`.y\` and \`.z\`, and stands here in place of one`,
    fix: (a: { name: string }) => `write \`${a.name}.x\``,
  },
  W2060: {
    message: (a: { spec: string; what: string }) =>
      `What \`${a.spec}\` makes of ${a.what} depends on values that only the GPU knows`,
    fix: () =>
      'give the number itself, `console.log("%d", n)`; print an object by `%O`, or without a specifier: `console.log("state", o)`',
  },
  W2061: {
    message: (a: { given: string }) => `\`%j\` writes JSON, which has no bigint, and ${a.given} is given`,
    fix: () => "write `%d`, or convert it: `f64(x)`",
  },
  W2067: {
    message: (a: { text: string; depth: number }) =>
      `\`${a.text}\` is call ${a.depth} of calls inside one another, and this is as deep as they are followed here`,
    fix: () => "write a loop instead of functions that call the next one, or call them one after the other",
  },
  W2068: {
    message: () => "Whether these two are one object depends on a value of the GPU",
    fix: () => "compare a number that says which object is meant: `let which = 0`, assigned together with the object",
  },
  W2069: {
    message: (a: { text: string }) =>
      `only some threads come here, and \`${a.text}\` of JavaScript may change an object for all of them: what it does cannot be followed`,
    fix: () => "assign the fields or elements themselves, `o.k = 7`, or call it before the branch or loop",
  },
  W2070: {
    message: (a: { what: string }) => `${a.what} cannot be changed: its object is frozen, or it is read-only`,
    fix: () => "make a copy with the change, `o = { ...o, k: 7 }`, or leave Object.freeze out",
  },
  W2071: {
    message: (a: { text: string; what: string }) =>
      `\`${a.text}\` indexes ${a.what}, and only tensors, views and arrays are indexed with \`[ ]\``,
    fix: (a: { fix: string }) => a.fix,
  },
  W2074: {
    message: (a: { what: string; key: string }) => `${a.what} has no \`.${a.key}\``,
    fix: (a: { meant: string | undefined; members: readonly string[] }) =>
      a.meant === undefined
        ? a.members.length === 0
          ? "look its members up in the documentation"
          : `it has ${a.members.map((m) => `\`.${m}\``).join(", ")}`
        : `did you mean \`.${a.meant}\`?`,
  },
  W2075: {
    message: (a: { text: string; construct: boolean }) =>
      `\`${a.text}\` is not a ${a.construct ? "class" : "function"}, and is called here`,
    fix: (a: { meant: string | undefined }) =>
      a.meant === undefined ? "call what is a function, or correct its name" : `did you mean \`${a.meant}\`?`,
  },
  W2076: {
    message: (a: { value: string; key: string; written?: string | undefined }) =>
      a.written === undefined || a.written === a.value
        ? `this takes \`.${a.key}\` of \`${a.value}\``
        : `this takes \`.${a.key}\` of \`${a.written}\`, which is ${a.value}`,
    fix: (a: { key: string; meant?: string | undefined; names?: readonly string[] }) => {
      if (a.meant !== undefined) return `did you mean \`.${a.meant}\`? Where there may be none, write \`?.${a.key}\``;
      const there = a.names && a.names.length > 0 ? ` (there are ${a.names.map((name) => `\`.${name}\``).join(", ")})` : "";
      return `see whether that name is right${there} and where the value should come from, or write \`?.${a.key}\` where there may be none`;
    },
  },
  W2077: {
    message: (a: { name: string }) => `\`${a.name}\` is called or read here, and is imported as a type alone`,
    fix: (a) => `import it without \`type\`: \`import { ${a.name} } from "warpsmith"\``,
  },
  W2079: {
    message: (a: { after: bigint; type: string }) =>
      `this range does not end: the number after its last one is ${a.after}, which is no ${a.type}`,
    fix: () => "let it end sooner, or count in 64 bits, `range(0n, 2147483647n, 4n)`",
  },
  W2080: {
    message: (a: { text: string }) => `\`${a.text}\` is a function, and it is not called`,
    fix: (a) => `write \`${a.text}()\``,
  },
  W2081: {
    message: (a: { op: string; is: boolean }) =>
      `\`${a.op}\` with NaN is ${a.is}, whatever stands on its other side: NaN equals nothing`,
    fix: () => "to ask whether x is NaN, write `x !== x`",
  },
  W2082: {
    message: (a: { op: string }) =>
      `\`${a.op}\` asks whether two tensors are one object, and each parameter of a kernel is an object of its own: whether they share memory is not known here`,
    fix: () => "compare them on the host, and pass the answer as a `Static<boolean>`",
  },
  W2083: {
    message: (a: { name: string }) => `\`${a.name}\` is CUDA's name, and nothing is called that here`,
    fix: (a: { name: string; instead: string }) => `write \`${a.instead}\`; docs/cuda.md has the rest`,
  },
  W2084: {
    message: (a: { what: string }) => `\`…\` and \`[a, b] = …\` take a list apart, and ${a.what} is none`,
    fix: () =>
      "take its elements by an index, `x[i]`, or in a loop, `for (const i of range(n))`; for the greatest or the sum of what the threads of a block hold, `block.max(v)` and `block.sum(v)`",
  },
  W2085: {
    message: (a: { what: string }) =>
      `${a.what} around the kernel holds a value of the GPU when the kernel has been traced: the program finds no number there`,
    fix: () =>
      "store it in a tensor, `out[i] = v`, and read that on the host, `await out.read()`; what the kernel alone needs belongs in an object that is made in it",
  },
  W7048: {
    message: (a: { of: string; given: string }) => `${a.of} takes a function, and it was given ${a.given}.`,
    fix: (a) => `write ${a.of.replace("()", "(")}(x) => { … })`,
  },
  W7712: {
    message: (a: { message: string; places: number; numbers: number; most: number }) =>
      `numbers behind the message of an assertion: ${a.numbers}, and places {} in it: ${a.places}. They have to be as many, and ${a.most} at most: ${a.message}`,
    fix: () => 'write a {} for each number: assert(id < rows, "ids[{}] is a row of the table", at)',
  },
});
