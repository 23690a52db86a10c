import { type Prepared, reuse } from "./launch.ts";
import type { KernelSource } from "./source.ts";
import type { LaunchConfig } from "./types.ts";

/** Launches whose objects are those on the way from the root. An object that nobody else has is gone with all behind it. */
interface Node {
  readonly next: WeakMap<object, Node>;
  /** Latest first. They differ in what is no object: numbers, strings, the grid. */
  readonly ready: Prepared[];
}

/** How many launches are kept that differ in nothing but numbers, strings and the grid. */
const kept = 8;

const makeNode = (): Node => ({ next: new WeakMap(), ready: [] });
const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/**
 * Launches of a kernel that are ready to go, found by the tensors, tensor maps and other objects among their arguments: as many as these
 * live, so that the layers of a model each keep theirs.
 */
export class ReadyLaunches {
  readonly #source: KernelSource;
  readonly #root = makeNode();
  #latest: Prepared | undefined;

  constructor(source: KernelSource) {
    this.#source = source;
  }

  /** The launch for these arguments, its scalars rewritten. */
  find(config: LaunchConfig, args: readonly unknown[]): Prepared | undefined {
    const source = this.#source;
    if (this.#latest && reuse(source, this.#latest, config, args)) return this.#latest;
    let node: Node | undefined = this.#root;
    for (const arg of args) if (isObject(arg)) node = node?.next.get(arg);
    if (!node) return undefined;
    const { ready } = node;
    const index = ready.findIndex((p) => reuse(source, p, config, args));
    const found = ready[index];
    if (!found) return undefined;
    if (index > 0) ready.unshift(...ready.splice(index, 1));
    this.#latest = found;
    return found;
  }

  add(prepared: Prepared): void {
    let node = this.#root;
    for (const arg of prepared.args) {
      if (!isObject(arg)) continue;
      const next: Node = node.next.get(arg) ?? makeNode();
      node.next.set(arg, next);
      node = next;
    }
    node.ready.unshift(prepared);
    node.ready.length = Math.min(node.ready.length, kept);
    this.#latest = prepared;
  }
}
