import type { StateSpace } from "./tree.ts";

const spaces: Readonly<Record<string, StateSpace>> = {
  ...{ global: "global", const: "const", local: "local" },
  ...{ shared: "shared", "shared::cta": "shared", "shared::cluster": "shared" },
  ...{ param: "param", "param::entry": "param", "param::func": "param" },
};

/** The state space that the value of a slot names, its part left out: `shared::cta` is shared. Without one, addresses are generic. */
export const spaceNamed = (value: string | undefined): StateSpace | "generic" => spaces[value ?? ""] ?? "generic";
