/**
 * When asynchronous operations land. One object per launch decides, so that the units need no other word for time: whatever they
 * move, they hand over as a movement.
 */
import type { Choices } from "../choices.ts";

/** Operations of one channel land in the order of their issue; all others in any. */
export type Channel = object;

/** Fills what is undefined until an operation has landed: NaN in every float type. */
export const spoiltByte = 0xff;

/** What one asynchronous operation does. */
export interface Movement {
  /** What is waited for to wait for it: an mbarrier, groups. */
  readonly tells?: object | undefined;
  /** All of it at once, from source to destination. */
  move(): void;
  /** Makes what is undefined from now on recognisable. Not called where it lands at once. */
  spoil?(): void;
  /** Reads the source, to be written later or piece by piece. Without it, it is read and written at once. */
  take?(): Pieces;
  /** The source has been read. */
  taken?(): void;
  /** Everything has been written: tells those who wait. */
  landed(): void;
}

/** What an operation writes, in pieces of up to 16 bytes. */
export interface Pieces {
  readonly count: number;
  put(piece: number): void;
}

export interface AsyncQueue {
  issue(channel: Channel | undefined, movement: Movement): void;
  /** Called between rounds of the scheduler: lands what is due. Gives whether something has landed. */
  tick(): boolean;
  /**
   * Called when nothing else can run: reads the source of one operation, or lands it, if there is one; one that tells something that is
   * `awaited`, if there is one.
   */
  landOne(awaited?: ReadonlySet<object>): boolean;
  readonly inFlight: number;
}

/** Ticks that an operation may wait; the last: until nothing else can go on. */
const delays = [0, 1, 8, 64, 512, Number.POSITIVE_INFINITY] as const;
/** Ways to land in pieces: 0 is none; then by fours the order of the pieces, and within them one more burst than that. */
const tears = 16;
/** Ticks between bursts of an operation whose last burst comes as late as it can. */
const gap = 8;
/** Ticks without a landing after which one is forced: threads may spin for what a waiting one has yet to do. */
const longestDelay = 256;

const eager: AsyncQueue = {
  issue: (_, movement) => {
    movement.move();
    movement.taken?.();
    movement.landed();
  },
  tick: () => false,
  landOne: () => false,
  inFlight: 0,
};

/** An operation under way. */
interface Flight {
  readonly channel: Channel | undefined;
  readonly movement: Movement;
  readonly readAt: number;
  readonly landAt: number;
  readonly tear: number;
  /** What it has read. */
  pieces: Pieces | undefined;
  /** Pieces that have been written. */
  done: number;
}

/** The place of the i-th piece in one of four orders: forwards, backwards, and both with strides. */
function pieceAt(i: number, count: number, order: number): number {
  const at = order & 1 ? count - 1 - i : i;
  if (order < 2) return at;
  // Of an odd and an even half each: every piece once.
  const half = (count + 1) >> 1;
  return at < half ? 2 * at : 2 * (at - half) + 1;
}

function putThrough(flight: Flight, pieces: Pieces, end: number): void {
  for (; flight.done < end; flight.done += 1) pieces.put(pieceAt(flight.done, pieces.count, flight.tear >> 2));
}

/** Reads the source, if it has not been read and can be by itself. Gives whether it has now. */
function read(flight: Flight): boolean {
  const { movement } = flight;
  if (flight.pieces || !movement.take) return false;
  flight.pieces = movement.take();
  movement.taken?.();
  return true;
}

/** Reads and writes what is due before the end. */
function advance(flight: Flight, now: number): void {
  const { readAt, landAt, tear } = flight;
  if (now < readAt) return;
  read(flight);
  if (tear === 0 || !flight.pieces) return;
  const bursts = 2 + (tear & 3);
  const apart = Number.isFinite(landAt) ? Math.max(1, (landAt - readAt) / bursts) : gap;
  const due = Math.min(bursts - 1, 1 + Math.floor((now - readAt) / apart));
  putThrough(flight, flight.pieces, Math.floor((flight.pieces.count * due) / bursts));
}

function finish(flight: Flight): void {
  const { movement, pieces } = flight;
  if (pieces) putThrough(flight, pieces, pieces.count);
  else {
    movement.move();
    movement.taken?.();
  }
  movement.landed();
}

/** Without choices, everything lands at once. */
export function createAsyncQueue(choices: Choices | undefined): AsyncQueue {
  return choices ? new ChosenQueue(choices) : eager;
}

class ChosenQueue implements AsyncQueue {
  readonly #choices: Choices;
  #flights: Flight[] = [];
  #now = 0;
  #lastLanding = 0;

  constructor(choices: Choices) {
    this.#choices = choices;
  }

  get inFlight(): number {
    return this.#flights.length;
  }

  issue(channel: Channel | undefined, movement: Movement): void {
    const delay = this.#delay("land");
    const tear = movement.take ? this.#choices.pick("tear", tears) : 0;
    const reads = movement.take ? Math.min(this.#delay("read"), delay) : delay;
    const free = channel === undefined || !this.#flights.some((flight) => flight.channel === channel);
    if (delay === 0 && free) {
      eager.issue(channel, movement);
      return;
    }
    movement.spoil?.();
    const flight: Flight = {
      channel,
      movement,
      readAt: this.#now + reads,
      landAt: this.#now + delay,
      tear,
      pieces: undefined,
      done: 0,
    };
    this.#flights.push(flight);
    if (free) advance(flight, this.#now);
  }

  #delay(what: "land" | "read"): number {
    return delays[this.#choices.pick(what, delays.length)] ?? 0;
  }

  tick(): boolean {
    if (this.#flights.length === 0) {
      this.#lastLanding = this.#now;
      return false;
    }
    this.#now += 1;
    if (this.#now - this.#lastLanding > longestDelay) return this.landOne();
    const before = this.#flights.length;
    const busy = new Set<Channel>();
    this.#flights = this.#flights.filter((flight) => !this.#landsIfDue(flight, busy));
    return this.#flights.length < before;
  }

  /** `busy`: channels with an operation that is still under way. */
  #landsIfDue(flight: Flight, busy: Set<Channel>): boolean {
    const { channel, landAt } = flight;
    if (channel && busy.has(channel)) return false;
    if (landAt <= this.#now) {
      this.#lastLanding = this.#now;
      finish(flight);
      return true;
    }
    if (channel) busy.add(channel);
    advance(flight, this.#now);
    return false;
  }

  landOne(awaited?: ReadonlySet<object>): boolean {
    const needed = awaited ? this.#flights.filter(({ movement }) => movement.tells && awaited.has(movement.tells)) : [];
    const candidates = needed.length > 0 ? needed : this.#flights;
    const chosen = candidates[this.#choices.pick("forced", candidates.length)];
    if (!chosen) return false;
    const { channel } = chosen;
    const first = (channel && this.#flights.find((flight) => flight.channel === channel)) ?? chosen;
    // Whoever waits for the source alone may go on before anything is written.
    if (first.movement.taken && read(first)) return true;
    this.#flights = this.#flights.filter((flight) => flight !== first);
    this.#lastLanding = this.#now;
    finish(first);
    return true;
  }
}
