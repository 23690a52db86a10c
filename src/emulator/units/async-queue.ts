/**
 * When asynchronous operations land. One object per cluster holds the policy, so that the units need no other word for time:
 * whatever they move, they hand over as a landing.
 */

/** Operations of one channel land in the order of their issue; channels in any. */
export type Channel = object;

export type AsyncPolicy =
  /** At once. */
  | { readonly kind: "eager" }
  /** Only when nothing else runs, in the order of issue; one of them, too, when others have run (or spun) for very long. */
  | { readonly kind: "lazy" }
  /** Any time from its issue on; decided by the seed. */
  | { readonly kind: "random"; readonly seed: number };

export interface AsyncQueue {
  issue(channel: Channel, land: () => void): void;
  /** Called between steps of the scheduler: may land something. Gives whether it did. */
  tick(): boolean;
  /** Called when nothing else can run: lands one operation, if there is one. */
  landOne(): boolean;
  readonly inFlight: number;
}

/** Ticks without a landing after which a lazy queue lands one: threads may spin for what a waiting one has yet to do. */
const longestDelay = 256;

const eager: AsyncQueue = {
  issue: (_channel, land) => land(),
  tick: () => false,
  landOne: () => false,
  inFlight: 0,
};

/** A queue under a policy. */
export function createAsyncQueue(policy: AsyncPolicy): AsyncQueue {
  if (policy.kind === "eager") return eager;
  const pending: { readonly channel: Channel; readonly land: () => void }[] = [];
  let delay = 0;
  const take = (index: number): boolean => {
    const chosen = pending[index];
    if (!chosen) return false;
    const first = pending.findIndex((p) => p.channel === chosen.channel);
    const [landing] = pending.splice(first, 1);
    delay = 0;
    landing?.land();
    return true;
  };
  const random = policy.kind === "random" ? mulberry(policy.seed) : undefined;
  return {
    issue: (channel, land) => void pending.push({ channel, land }),
    tick: () => {
      if (pending.length === 0) return false;
      if (random) return random() < 0.25 && take(Math.floor(random() * pending.length));
      delay += 1;
      return delay > longestDelay && take(0);
    },
    landOne: () => take(random ? Math.floor(random() * pending.length) : 0),
    get inFlight() {
      return pending.length;
    },
  };
}

/** Numbers in [0, 1) (mulberry32). */
function mulberry(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let x = Math.imul(state ^ (state >>> 15), 1 | state);
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
}
