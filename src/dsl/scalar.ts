import type { ScalarType, Value } from "../ir/index.ts";
import { Staged } from "./staged.ts";

/**
 * A number, bigint or boolean on the GPU. To TypeScript it is `number`, `bigint` or `boolean`; JavaScript itself cannot compute
 * with it, so turning it into a primitive is an error that says so.
 */
export class StagedScalar extends Staged {
  get type(): ScalarType {
    return this.value.type as ScalarType;
  }
}

export const isStagedScalar = (x: unknown): x is StagedScalar => x instanceof StagedScalar;

/** What the author sees of an op's result. The cast is the boundary: to TypeScript a staged scalar is a number. */
export const scalar = (value: Value): never => new StagedScalar(value) as never;
