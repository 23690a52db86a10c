import { exactMembers } from "../base/diag/index.ts";
import { own } from "../dsl/index.ts";
import { fail } from "./errors.ts";
import type { KernelParts } from "./launcher.ts";
import type { Kernel } from "./types.ts";

// biome-ignore lint/suspicious/noExplicitAny: a kernel of whatever parameters
type Any = any;

/** A value with a kernel's members that says what to do instead where it is called. W7510. */
export function kernelValue<K extends Kernel<Any[]>>(members: K): K {
  const called = own((..._args: readonly unknown[]): never => fail("W7510", { kernel: members.name }));
  for (const [name, member] of Object.entries(Object.getOwnPropertyDescriptors(exactMembers(members))))
    Object.defineProperty(called, name, { ...member, enumerable: true });
  // It has been given all members of K, and K says nothing of how it is called.
  return called as unknown as K;
}

const parts = new WeakMap<object, KernelParts>();

/** Notes what a kernel value was made of, for `partsOf`. */
export const remember = (kernel: Kernel<Any[]>, made: KernelParts): void => void parts.set(kernel, made);

/** What `kernel()` made a value of; undefined for anything else. */
export const partsOf = (value: unknown): KernelParts | undefined => (typeof value === "function" ? parts.get(value) : undefined);
