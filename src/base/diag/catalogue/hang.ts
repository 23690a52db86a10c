import { defineErrors } from "../define-errors.ts";

/** Warps that wait for the same. */
export interface HungGroup {
  readonly what: string;
  readonly who: readonly string[];
  /** How many more there are. */
  readonly more: number;
}

export interface Hung {
  readonly kernel: string;
  readonly seconds: number;
  readonly groups: readonly HungGroup[];
  /** What is known of blocks that have not begun. */
  readonly beyond: string;
}

const line = ({ what, who, more }: HungGroup): string => `\n  ${who.join(", ")}${more > 0 ? ` and ${more} more` : ""} ${what}`;

/** By what a group lacks: the commonest reason first. */
const hints: readonly (readonly [lack: RegExp, fix: string])[] = [
  [
    /of the mbarrier/,
    "see that everybody whom the barrier counts arrives in each phase, that it expects the bytes that come, and that the wait asks for the right parity; on the emulator the report also says where arrivals came from",
  ],
  [/barrier of the grid/, "launch no more blocks than fit the GPU at once, and let every block come to each `syncGrid`"],
  [/the barrier of the cluster/, "let every thread of all blocks of the cluster arrive at its barrier, as often as the others"],
  [
    /in no wait that is recorded/,
    "see that the loop that runs ends; for a computation that takes so long, give the launch more time: `watch: 60`",
  ],
  [/; it finds /, "see that what the loop waits for can come: that somebody who runs at the same time writes it"],
];

const usual = "see that every thread that a barrier counts comes to it, as often as the others";

const fixOf = ({ groups }: Hung): string => hints.find(([lack]) => groups.some(({ what }) => lack.test(what)))?.[1] ?? usual;

/** W775x: launches that do not end. */
export const hangErrors = defineErrors({
  W7750: {
    message: (a: Hung) =>
      `${a.kernel} does not end: nothing has changed in it for ${a.seconds} s.${a.groups.map(line).join("")}${a.beyond}`,
    fix: (a: Hung) => `${fixOf(a)}. CUDA gives this process no device any more: start the program again`,
  },
});
