/** What failed launches leave behind on a device: failures that are to be told, and memory that nobody can count on. */
import type { Spans, WarpsmithError } from "../../base/diag/index.ts";
import type { BackendStream, Launch } from "../../runtime/index.ts";
import type { GlobalMemory } from "../machine/memory.ts";
import type { TextureObjects } from "../machine/units/index.ts";
import { Doubts, type Range } from "./doubts.ts";
import { Failure, Failures, skippedError } from "./failures.ts";
import type { EmulatorModule } from "./module.ts";
import { memoryTakenBy, type TakenMemory } from "./taken-memory.ts";

/** A launch whose turn has come. */
export interface Turn {
  readonly launch: Launch;
  readonly module: EmulatorModule;
  /** The bytes of each parameter. */
  readonly given: readonly Uint8Array[];
  /** Where it runs, and its number among the tasks. */
  readonly stream: BackendStream;
  readonly issued: number;
}

export class Aftermath {
  readonly #memory: GlobalMemory;
  readonly #textures: TextureObjects;
  readonly #doubts = new Doubts<Failure>();
  readonly #failures: Failures;

  constructor(memory: GlobalMemory, textures: TextureObjects, issued: () => number) {
    this.#memory = memory;
    this.#textures = textures;
    this.#failures = new Failures(issued);
  }

  /** A launch has failed. Where it is of a kernel that finds addresses in memory and writes there, all memory is in doubt. */
  failed(turn: Turn, error: unknown): void {
    const failure = new Failure(error, turn.module.kernel, turn.stream, turn.issued);
    this.#failures.add(failure);
    const { given, written } = this.#takenBy(turn);
    for (const { base, size } of given) this.#doubts.add({ base, begin: 0, end: size }, failure, "given", turn.issued);
    this.#spoil(written, failure, turn.issued);
  }

  /** Something else has failed that the host had asked for. */
  refused(error: unknown, stream: BackendStream | undefined): void {
    this.#failures.add(new Failure(error, "a copy", stream));
  }

  /** Gives whether a launch must not run, as it takes memory in doubt. What it would have written is in doubt, too. */
  holdsBack(turn: Turn): boolean {
    if (!this.#doubts.any) return false;
    const { launch, module, stream, issued } = turn;
    const taken = this.#takenBy(turn);
    const spoiled = taken.given.find(({ base, size }) => this.#doubts.spoiled({ base, begin: 0, end: size }, issued));
    const failure = spoiled
      ? this.#doubts.spoiled({ base: spoiled.base, begin: 0, end: spoiled.size }, issued)
      : taken.others && this.#doubts.anywhere(issued);
    if (!failure) return false;
    const named = launch.memories?.find(({ space, begin }) => space === "global" && spoiled?.holds(begin, 1));
    const why = (): WarpsmithError => skippedError(module.kernel, named?.name, failure, launch.spans);
    this.#spoil(taken.written, this.#failures.skip(failure, module.kernel, stream, issued, why), issued);
    return true;
  }

  /** Throws where bytes that are to be read are in doubt. `place`: where the author reads. */
  check(range: Range, issued: number, place: () => Spans): void {
    const failure = this.#doubts.spoiled(range, issued) ?? this.#doubts.given(range);
    if (failure) throw this.#failures.refusal(failure, place);
  }

  /** The host has written there. */
  written(range: Range): void {
    this.#doubts.written(range);
  }

  copied(from: Range, to: Range, issued: number): void {
    this.#doubts.copied(from, to, issued);
  }

  freed(base: number): void {
    this.#doubts.freed(base);
  }

  /** What one who has waited for a stream, or for all, is to be told; undefined: nothing. */
  tell(stream?: BackendStream): unknown {
    return this.#failures.tell(stream);
  }

  /** The same of what had been issued when a failure was reported last. */
  tellBehind(): unknown {
    return this.#failures.tellBehind();
  }

  clear(): void {
    this.#failures.clear();
  }

  #takenBy({ module, given }: Turn): TakenMemory {
    return memoryTakenBy(module, given, this.#memory, this.#textures);
  }

  #spoil(regions: TakenMemory["written"], failure: Failure, issued: number): void {
    for (const { base, size } of regions) this.#doubts.add({ base, begin: 0, end: size }, failure, "spoiled", issued);
  }
}
