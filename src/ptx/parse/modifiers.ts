/** What the modifiers of an instruction name, beside types (types.ts). */
import type { StateSpace } from "./tree.ts";

const spaces: Readonly<Record<string, StateSpace>> = {
  ...{ global: "global", const: "const", local: "local" },
  ...{ shared: "shared", "shared::cta": "shared", "shared::cluster": "shared" },
  ...{ param: "param", "param::entry": "param", "param::func": "param" },
};

/** The state space that the value of a slot names, its part left out: `shared::cta` is shared. Without one, addresses are generic. */
export const spaceNamed = (value: string | undefined): StateSpace | "generic" => spaces[value ?? ""] ?? "generic";

/** The extents of a product of matrices. */
export interface MatrixShape {
  readonly m: number;
  readonly n: number;
  readonly k: number;
}

/** Of `m16n8k16`. */
export function shapeNamed(text: string | undefined): MatrixShape {
  const [, m, n, k] = /^m(\d+)n(\d+)k(\d+)$/.exec(text ?? "") ?? [];
  return { m: Number(m), n: Number(n), k: Number(k) };
}
