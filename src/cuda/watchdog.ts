/** Watched launches of a device: where their kernels record, and whether they go on. */
import type { WarpsmithError } from "../base/diag/index.ts";
import { launchesApart, watchBytes, watchRoomBytes, watchSlots } from "../base/watch-layout.ts";
import type { Launch, WatchedLaunch, WatchQuestions, WatchRecords } from "../runtime/index.ts";
import { eventDisableTiming, hostAlloc, streamNonBlocking } from "./constants.ts";
import type { CudaContext } from "./context.ts";
import { take64 } from "./out-values.ts";
import { notReady, success } from "./results.ts";

/** Milliseconds between looks at the records, and before the first of a wait: most waits are shorter. */
const lookEvery = 250;

/** Not in step with what a kernel does again and again: that could look the same each time. */
const untilNext = (): number => lookEvery * (0.8 + 0.4 * Math.random());

/** Milliseconds that mbarriers have for an answer before the records are read, how often they are read, and the longest that a copy may take. */
const answerIn = 50;
const mostRounds = 20;
const copiedWithin = 500;

/** A launch that hangs, while its mbarriers are asked what they lack. */
interface Asking {
  readonly watch: WatchedLaunch;
  questions: WatchQuestions;
  readonly seconds: number;
  /** What is said where no answer comes. */
  readonly hung: WarpsmithError;
  /** What is on its way: the questions, or the records. Between two looks at these it is nothing. */
  step: "ask" | "pause" | "read";
  since: number;
  /** How often the records were read for answers. */
  rounds: number;
}

/** The memory of the records on both sides, and what they are read by: a stream of its own, which waits for no kernel. */
interface Room {
  readonly address: bigint;
  readonly stream: bigint;
  readonly event: bigint;
  /** Page-locked, and what was read before. */
  readonly host: bigint;
  readonly now: Uint32Array;
  readonly before: Uint32Array;
  /** Page-locked, behind `now`: the questions, which are written behind the records. */
  readonly words: Uint32Array;
}

/**
 * Looks at the records while somebody waits for the device, and loses the device where a launch has hung. Nothing here waits for the device: each
 * step is taken when it is asked again.
 */
export class Watchdog {
  readonly #context: CudaContext;
  #room: Room | undefined;
  #launches = 0;
  /** When somebody was waiting last, when to look next, and when the records were found changed last. */
  #asked = 0;
  #next = 0;
  #changed = 0;
  #reading = false;
  #asking: Asking | undefined;

  constructor(context: CudaContext) {
    this.#context = context;
  }

  records(): WatchRecords {
    this.#room ??= this.#open();
    const { address } = this.#room;
    return {
      address,
      next: () => {
        this.#launches = (this.#launches % (2 ** 32 / launchesApart - 1)) + 1;
        return this.#launches * launchesApart;
      },
    };
  }

  /** Called again and again while somebody waits. */
  look(now = performance.now()): void {
    const room = this.#room;
    if (!room || this.#context.lost) return;
    if (now - this.#asked > 4 * lookEvery) this.#next = now + lookEvery;
    this.#asked = now;
    if (this.#asking) this.#goOnAsking(room, this.#asking, now);
    else if (this.#reading) this.#compare(room, now);
    else if (now >= this.#next && this.#watched().length > 0) this.#read(room);
  }

  #watched(): readonly Launch[] {
    return [...this.#context.streams].flatMap((stream) => stream.pending).filter(({ watch }) => watch !== undefined);
  }

  #read(room: Room): void {
    const { driver } = this.#context;
    const copied = driver.cuMemcpyDtoHAsync_v2(room.host, room.address, watchBytes, room.stream);
    this.#reading = copied === success && driver.cuEventRecord(room.event, room.stream) === success;
    this.#next = performance.now() + untilNext();
  }

  #compare(room: Room, now: number): void {
    if (this.#context.driver.cuEventQuery(room.event) === notReady) return;
    this.#reading = false;
    this.#next = now + untilNext();
    if (Buffer.compare(bytesOf(room.now), bytesOf(room.before)) !== 0) {
      room.before.set(room.now);
      this.#changed = now;
      return;
    }
    // While the driver dumps what the GPU was stopped for, nothing changes.
    if (this.#context.dump?.written) return;
    const seconds = (now - this.#changed) / 1000;
    for (const { watch } of this.#watched()) {
      if (!watch || seconds < watch.seconds) continue;
      const hung = watch.explain(room.now, seconds);
      if (!hung) continue;
      const questions = watch.questions(room.now);
      if (!questions) this.#context.abandon(hung);
      else this.#ask(room, { watch, questions, seconds, hung, step: "ask", since: now, rounds: 0 });
      return;
    }
  }

  #ask(room: Room, asking: Asking): void {
    this.#asking = asking;
    this.#context.stopped = () => asking.watch.explain(room.now, asking.seconds, "stopped");
    this.#put(room, asking);
  }

  #put(room: Room, asking: Asking): void {
    room.words.set(asking.questions.words);
    const at = [room.address + BigInt(watchBytes), room.host + BigInt(watchBytes)] as const;
    this.#mark(room, asking, this.#context.driver.cuMemcpyHtoDAsync_v2(...at, 4 * watchSlots, room.stream));
  }

  #goOnAsking(room: Room, asking: Asking, now: number): void {
    if (asking.step === "pause") {
      if (now - asking.since < answerIn) return;
      Object.assign(asking, { step: "read", since: now });
      const copied = this.#context.driver.cuMemcpyDtoHAsync_v2(room.host, room.address, watchBytes, room.stream);
      this.#mark(room, asking, copied);
      return;
    }
    const code = this.#context.driver.cuEventQuery(room.event);
    if (code === notReady && now - asking.since < copiedWithin) return;
    if (code !== success) this.#fail(asking, code);
    else if (asking.step === "ask") Object.assign(asking, { step: "pause", since: now });
    else this.#hear(room, asking, now);
  }

  #hear(room: Room, asking: Asking, now: number): void {
    const { watch, questions, seconds, hung } = asking;
    asking.rounds++;
    if (!questions.answered(room.now) && asking.rounds < mostRounds) {
      Object.assign(asking, { step: "pause", since: now });
      return;
    }
    const next = questions.next?.(room.now);
    if (!next) {
      this.#context.abandon(watch.explain(room.now, seconds) ?? hung);
      return;
    }
    Object.assign(asking, { questions: next, step: "ask", since: now, rounds: 0 });
    this.#put(room, asking);
  }

  #mark(room: Room, asking: Asking, copied: number): void {
    const code = copied === success ? this.#context.driver.cuEventRecord(room.event, room.stream) : copied;
    if (code !== success) this.#fail(asking, code);
  }

  /** The question may have stopped the device; else it still hangs. */
  #fail({ hung }: Asking, code: number): void {
    if (!this.#context.notice(code)) this.#context.abandon(hung);
  }

  #open(): Room {
    const { driver, memory } = this.#context;
    this.#context.enter();
    const check = (code: number): void => this.#context.check(code, "make room for what watched kernels record");
    const address = take64((out) => driver.cuMemAlloc_v2(out, watchRoomBytes), check);
    const host = take64((out) => driver.cuMemHostAlloc(out, watchRoomBytes, hostAlloc.portable), check);
    const stream = take64((out) => driver.cuStreamCreate(out, streamNonBlocking), check);
    const event = take64((out) => driver.cuEventCreate(out, eventDisableTiming), check);
    check(driver.cuMemsetD32Async(address, 0, watchRoomBytes / 4, stream));
    check(driver.cuEventRecord(event, stream));
    while (driver.cuEventQuery(event) === notReady);
    const view = memory.viewOf(host, watchRoomBytes);
    const now = new Uint32Array(view.buffer, view.byteOffset, watchBytes / 4);
    const words = new Uint32Array(view.buffer, view.byteOffset + watchBytes, watchSlots);
    return { address, stream, event, host, now, words, before: new Uint32Array(watchBytes / 4) };
  }

  /** Nothing is under way any more. */
  dispose(): void {
    const room = this.#room;
    if (!room) return;
    const { driver } = this.#context;
    driver.cuEventDestroy_v2(room.event);
    driver.cuStreamDestroy_v2(room.stream);
    driver.cuMemFree_v2(room.address);
    driver.cuMemFreeHost(room.host);
    this.#room = undefined;
  }
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array => new Uint8Array(buffer, byteOffset, byteLength);
