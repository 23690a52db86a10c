/** Functions of JavaScript's own that change none of the objects they are given, so that it does not matter who calls them. */
const methods = (owner: object, except: RegExp): unknown[] =>
  Object.entries(Object.getOwnPropertyDescriptors(owner)).flatMap(([name, { value }]) =>
    typeof value === "function" && name !== "constructor" && !except.test(name) ? [value as unknown] : [],
  );

const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as object;

export const onlyReads: ReadonlySet<unknown> = new Set([
  ...methods(Object, /^(assign|define|freeze|seal|preventExtensions|setPrototypeOf)/),
  ...methods(Reflect, /^(apply|construct|define|delete|preventExtensions|set)/),
  ...methods(Object.prototype, /^__/),
  ...methods(Array.prototype, /^(push|pop|shift|unshift|splice|fill|reverse|copyWithin|sort)$/),
  ...methods(typedArray, /^(set|fill|reverse|copyWithin|sort)$/),
  ...methods(Map.prototype, /^(set|delete|clear)$/),
  ...methods(Set.prototype, /^(add|delete|clear)$/),
  ...methods(WeakMap.prototype, /^(set|delete)$/),
  ...methods(WeakSet.prototype, /^(add|delete)$/),
  ...methods(Date.prototype, /^set/),
  ...methods(DataView.prototype, /^set/),
  ...methods(ArrayBuffer.prototype, /^(resize|transfer)/),
  ...[String.prototype, Number.prototype, BigInt.prototype, Boolean.prototype].flatMap((each) =>
    methods(each, /^(match|matchAll|replace|replaceAll|search|split)$/),
  ),
  ...[String, Number, Boolean, BigInt, Symbol].flatMap((each) => [each, ...methods(each, /^prototype$/)]),
  ...[JSON.stringify, Array.isArray, Array.of, Array.from, structuredClone],
  ...[Map, Set, Array, Object, Error, TypeError, RangeError],
]);
