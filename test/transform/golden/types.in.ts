import { helper } from "warpsmith";

type Box<T> = { readonly v: T };
export const typed = helper(<T extends number>(x: T, box?: Box<T>): x is T => {
  interface Local { a: number }
  const y = (x as unknown as number) satisfies number;
  const z: Local = { a: box!.v + <number>y };
  const list = new Array<number>(3) as readonly number[];
  assertNumber(z.a);
  return list[0]! > y;
});
function assertNumber(n: unknown): asserts n is number {
  "use kernel";
  if (typeof n !== "number") throw new TypeError(`not a number: ${n}`);
}
