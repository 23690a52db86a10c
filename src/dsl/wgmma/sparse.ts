import { elementBytes } from "../../base/element-types.ts";
import type { TileType, Value } from "../../ir/index.ts";
import { asView } from "../memory/shared-memory.ts";
import { SharedViewObject } from "../memory/shared-view.ts";
import { TensorObject } from "../memory/tensor.ts";
import type { SharedView, Tensor } from "../memory/types.ts";
import { describe } from "../numbers/describe.ts";
import { loadTile } from "../tiles/access.ts";
import { failHere } from "../trace/fail-here.ts";
import { type HasOperatorFix, operatorFix, productFix, type WrittenOperator } from "../trace/operator-fix.ts";
import { type HasStructure, OwnObject, ownMethods, Staged, type Structure, structure } from "../trace/staged.ts";
import { readTile } from "../trace/staged-tile.ts";
import type { Trace } from "../trace/trace.ts";
import { type InputType, makeOperand, type Operand, type OperandObject } from "./operand.ts";
import { RegisterOperand, registerOperand } from "./register-operand.ts";
import { checkRows } from "./sharing.ts";

interface SparseParts {
  /** In shared memory or in registers. */
  readonly stored: OperandObject | RegisterOperand;
  /** A tile of u16. */
  readonly metadata: Value;
  readonly warpgroups: number;
}

/** A left operand of which half of each row is stored. */
export class SparseOperand extends OwnObject implements Operand, HasStructure, HasOperatorFix {
  readonly parts: SparseParts;

  constructor(parts: SparseParts) {
    super();
    this.parts = parts;
  }

  get dtype(): InputType {
    return this.parts.stored.dtype;
  }
  /** With what is not stored. */
  get shape(): readonly [number, number] {
    const [rows, cols] = this.parts.stored.shape;
    return [rows, 2 * cols];
  }
  get metadata(): Value {
    return this.parts.metadata;
  }

  at(stage: number): Operand {
    return failHere("W6109", { index: String(stage), extent: 0 });
  }

  /** Which warpgroups run it is for the registers' own tile to say. */
  get inRegisters(): boolean {
    return this.parts.stored instanceof RegisterOperand;
  }

  side(name: "A"): Value {
    const { stored } = this.parts;
    return stored instanceof RegisterOperand ? stored.value : stored.side(name);
  }

  [operatorFix](written: WrittenOperator): string | undefined {
    return productFix(written);
  }

  get [structure](): Structure {
    const { stored, metadata, warpgroups } = this.parts;
    return {
      shape: `sparse ${stored[structure].shape} over ${warpgroups}`,
      leaves: [stored, new Staged(metadata)],
      rebuild: ([merged, words]) =>
        new SparseOperand({ stored: merged as SparseParts["stored"], metadata: (words as Staged).value, warpgroups }),
      describe: `a sparse operand [${this.shape.join(", ")}] of ${this.dtype}`,
    };
  }
}
ownMethods(SparseOperand);

const shown = (n: unknown): string => (typeof n === "number" ? String(n) : "?");

/** W6101–W6108, W6114, W6123, W6125. */
function storedOf(trace: Trace, given: unknown): OperandObject | RegisterOperand {
  const tile = readTile(given);
  if (tile) return registerOperand(trace, tile);
  if (!(given instanceof SharedViewObject)) return failHere("W6114", { given: describe(given) });
  const [rows = 0, cols = 0] = given.shape.slice(-2);
  return makeOperand(asView(given), [rows, cols]);
}

/** W6101–W6108, W6110, W6114, W6116, W6123, W6125, W6127. */
export function makeSparse(
  trace: Trace,
  matrix: unknown,
  given: SharedView | Tensor,
  sharing: number | undefined,
): SparseOperand {
  const stored = storedOf(trace, matrix);
  const warpgroups = sharing ?? (stored instanceof RegisterOperand ? stored.warpgroups : 1);
  const [rows, cols] = stored.shape;
  checkRows(trace, "a sparse operand", rows, warpgroups);
  const bytes = elementBytes[stored.dtype];
  const wanted = [rows, cols / (bytes === 4 ? 4 : 8)];
  const metadata: unknown = given;
  if (!(metadata instanceof SharedViewObject || metadata instanceof TensorObject))
    return failHere("W4516", { given: describe(metadata) });
  const extents: readonly unknown[] =
    metadata instanceof TensorObject ? metadata.parts.dims.map((d) => d.extent) : metadata.shape;
  if (metadata.dtype !== "u16" || String(extents) !== String(wanted))
    failHere("W6127", { wanted: `u16 [${wanted.join(", ")}]`, given: `${metadata.dtype} [${extents.map(shown).join(", ")}]` });
  const layout = { kind: "metadata", bytes: bytes === 1 ? 1 : 2, warpgroups } as const;
  const type: TileType = { kind: "tile", dtype: "u16", shape: wanted, layout };
  const tile = readTile(loadTile(trace, metadata.checked(trace), type));
  if (!tile) throw new TypeError("a load gives a tile");
  return new SparseOperand({ stored, metadata: tile.value, warpgroups });
}

/** W6127, W6128. */
export function checkSparse({ parts }: SparseOperand, b: OperandObject, warpgroups: number): void {
  const over = (n: number): string => `for ${n} warpgroup${n === 1 ? "" : "s"}`;
  const { stored } = parts;
  if (stored instanceof RegisterOperand && stored.warpgroups !== warpgroups)
    failHere("W6127", { wanted: over(warpgroups), given: over(stored.warpgroups) });
  if (parts.warpgroups !== warpgroups) failHere("W6127", { wanted: over(warpgroups), given: over(parts.warpgroups) });
  const { swizzle } = b.parts.view;
  if (swizzle !== "128B" && swizzle !== "64B") failHere("W6128", { swizzle });
}
