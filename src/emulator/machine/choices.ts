/**
 * The machine leaves a lot open: when a copy lands, which warp goes first, whether a wait gives up. Whatever it leaves open is asked
 * here, and so a launch is a function of its PTX, its input and its schedule. 0 is the answer of a machine that surprises nobody.
 */

/** What can be asked, and what an answer other than 0 means. */
export const choiceMeanings = {
  land: "an asynchronous operation lands later than at once",
  read: "it reads its source later than at once",
  tear: "it lands in pieces, out of order",
  forced: "where one operation has to land, it is not the oldest",
  cluster: "a cluster begins before an earlier one",
  resident: "more than one cluster runs at a time",
  order: "warps take their turns in another order",
  turn: "a warp's turn is cut short, or it is held up",
  part: "the lanes of a warp part without a branch",
  split: "other lanes of a warp go first than those furthest behind",
  meet: "lanes at one place do not join again yet",
  lanes: "lanes run in another order",
  "try-wait": "a wait gives up",
  leader: "elect.sync elects another lane than the lowest, which is what the hardware elects",
  sleep: "nanosleep takes long",
} as const;

export type ChoiceName = keyof typeof choiceMeanings;
const choiceNames = Object.keys(choiceMeanings) as readonly ChoiceName[];

export interface Choices {
  /** A whole number below `n`, which is at least 1. */
  pick(what: ChoiceName, n: number): number;
}

/** An answer other than 0: the `nth` of its name in its launch, both counted from 0. */
export interface Choice {
  readonly launch: number;
  readonly what: ChoiceName;
  readonly nth: number;
  readonly picked: number;
}

/** The answers of a run other than 0, in their order. */
export type Trace = readonly Choice[];

/**
 * `eager`: always 0. `lazy`: operations land when nothing else can go on. `torn`: as lazily, and in pieces. A number: by that seed.
 * A trace: its answers, else 0.
 */
export type Schedule = "eager" | "lazy" | "torn" | number | Trace;

type Answer = (what: ChoiceName, nth: number, n: number) => number;

const last = (n: number): number => n - 1;
/** Backwards, in four bursts; see `async-queue.ts`. */
const backwards = 6;

const lazy: Answer = (what, _, n) => (what === "land" || what === "read" ? last(n) : 0);
const torn: Answer = (what, _, n) => (what === "land" ? last(n) : what === "tear" ? Math.min(backwards, last(n)) : 0);

/** 32 bits out of 32 bits, without a pattern. */
function mix(x: number): number {
  let y = Math.imul(x ^ (x >>> 16), 0x7feb352d);
  y = Math.imul(y ^ (y >>> 15), 0x846ca68b);
  return (y ^ (y >>> 16)) >>> 0;
}

/** How often an answer is drawn, else it is 0. One surprise in a calm run shows other mistakes than a run full of them, so seeds differ in it. */
const rates = [0, 1 / 24, 1 / 6, 1 / 2, 1] as const;

/** Answers depend on nothing but the seed, the name and the number: where one of them is taken away, the others stay. */
function seeded(seed: number, launch: number): Answer {
  const base = mix(mix(seed) + launch);
  const bases = new Map(choiceNames.map((what, i) => [what, mix(base + Math.imul(i + 1, 0x9e3779b9))]));
  const rate = new Map(choiceNames.map((what, i) => [what, rates[mix(mix(seed) ^ Math.imul(i + 1, 0x85ebca6b)) % rates.length]]));
  return (what, nth, n) => {
    const drawn = mix((bases.get(what) ?? 0) + nth);
    // Nobody is passed over for ever: 0 is an answer, too, where all are drawn.
    return drawn / 2 ** 32 < (rate.get(what) ?? 0) ? mix(drawn) % n : 0;
  };
}

function replayed(trace: Trace, launch: number): Answer {
  const answers = new Map<ChoiceName, Map<number, number>>();
  for (const choice of trace) {
    if (choice.launch !== launch) continue;
    const known = answers.get(choice.what) ?? new Map<number, number>();
    answers.set(choice.what, known.set(choice.nth, choice.picked));
  }
  return (what, nth, n) => Math.min(answers.get(what)?.get(nth) ?? 0, n - 1);
}

function answersOf(schedule: Exclude<Schedule, "eager">, launch: number): Answer {
  if (schedule === "lazy") return lazy;
  if (schedule === "torn") return torn;
  return typeof schedule === "number" ? seeded(schedule, launch) : replayed(schedule, launch);
}

/**
 * The choices of one launch of a device, counted from 0; undefined where they are always 0. `note` is told of every answer other than
 * 0.
 */
export function createChoices(schedule: Schedule, launch: number, note?: (choice: Choice) => void): Choices | undefined {
  if (schedule === "eager") return undefined;
  const answer = answersOf(schedule, launch);
  const counts = new Map<ChoiceName, number>();
  return {
    pick: (what, n) => {
      if (n < 2) return 0;
      const nth = counts.get(what) ?? 0;
      counts.set(what, nth + 1);
      const picked = answer(what, nth, n);
      if (picked !== 0) note?.({ launch, what, nth, picked });
      return picked;
    },
  };
}
