/** Values that a caller without types, or with a bug, may give in place of any argument. */

/** Answers to everything with itself: what asks a value for its fields finds them all. */
const chameleon: unknown = new Proxy(() => {}, {
  get: (_, key) => (key === Symbol.toPrimitive ? () => 1 : key === "then" ? undefined : chameleon),
  apply: () => chameleon,
  has: () => true,
});

/** Each by what a failing test calls it. Fresh ones each time: a call may keep or change what it is given. */
export const wrongValues = (): readonly (readonly [name: string, value: unknown])[] => [
  ["nothing", undefined],
  ["null", null],
  ["3", 3],
  ["-1", -1],
  ["0.5", 0.5],
  ["NaN", Number.NaN],
  ["1e99", 1e99],
  ["2 ** 53 - 1", Number.MAX_SAFE_INTEGER],
  ["a bigint", 3n],
  ["true", true],
  ["a text", "x"],
  ["an empty text", ""],
  ["a symbol", Symbol("s")],
  ["{}", {}],
  ["an object without a prototype", Object.create(null)],
  ["[]", []],
  ["[null]", [null]],
  ["[a symbol]", [Symbol("s")]],
  ["[0, 3, 2]", [0, 3, 2]],
  ["[an array]", [[1, 2], [3]]],
  ["[an object without a prototype]", [Object.create(null)]],
  ["a function", () => 3],
  ["a class", class {}],
  ["a map", new Map([["grid", 1]])],
  ["a promise", Promise.resolve(1)],
  ["a typed array", new Float32Array(4)],
  ["a proxy of everything", chameleon],
];
