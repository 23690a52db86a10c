import { atLaunch, noSpans, type Span, type WarpsmithError } from "../base/diag/index.ts";
import type { BackendStream, Launch } from "../runtime/index.ts";
import type { DumpFile } from "./core-dump/dump-file.ts";
import { explainDump } from "./core-dump/explain.ts";
import { makeError } from "./errors.ts";
import { describeResult, isFatal, success } from "./results.ts";
import type { Driver, DriverLibrary, HostMemory } from "./symbols.ts";

/** A stream, and the launches in it that no wait has covered yet. */
export class CudaStream implements BackendStream {
  readonly role = "stream";
  readonly handle: bigint;
  /** Launches from number `#first` on. */
  #pending: Launch[] = [];
  #first = 0;

  constructor(handle: bigint) {
    this.handle = handle;
  }

  get native(): bigint {
    return this.handle;
  }

  get pending(): readonly Launch[] {
    return this.#pending;
  }

  /** Counts the launches so far: what a wait that begins now will cover. */
  get issued(): number {
    return this.#first + this.#pending.length;
  }

  add(launch: Launch): void {
    this.#pending.push(launch);
    if (this.#pending.length >= 1024) this.retire(this.#first + 512);
  }

  /** The launches before number `mark` have ended well. */
  retire(mark: number): void {
    const count = mark - this.#first;
    if (count <= 0) return;
    this.#pending.splice(0, count);
    this.#first = mark;
  }
}

/** The context that this thread's driver calls go to. */
let current: CudaContext | undefined;

/** A device's primary context: results become errors here, and a device that was lost stays lost. */
export class CudaContext {
  readonly driver: Driver;
  readonly memory: HostMemory;
  readonly name: string;
  readonly handle: bigint;
  readonly streams = new Set<CudaStream>();
  /** The failure that lost the device; undefined while it works. */
  failure: WarpsmithError | undefined;
  /** A kernel still runs that will never end: the driver's calls that wait for the device would not come back. */
  hung = false;
  /** Whether the failure has been reported to a caller. */
  #told = false;

  /** Where the driver writes what the GPU stopped a kernel for. */
  dump: DumpFile | undefined;
  /** What has ruined the device, where it fails while a launch that hangs is asked. */
  stopped: (() => WarpsmithError | undefined) | undefined;
  readonly #leaveDriver: (() => void) | undefined;

  constructor(library: DriverLibrary, name: string, handle: bigint) {
    this.#leaveDriver = library.leaveAtExit;
    this.driver = library.driver;
    this.memory = library.memory;
    this.name = name;
    this.handle = handle;
  }

  get lost(): boolean {
    return this.failure !== undefined;
  }

  /** The failure that lost the device, until a caller has been given it. */
  get untold(): WarpsmithError | undefined {
    return this.#told ? undefined : this.failure;
  }

  /** Before every group of driver calls. On a lost device: what ruined it, the first time; then W8009. */
  enter(): void {
    if (this.failure) throw this.#tell(this.failure);
    if (current === this) return;
    this.check(this.driver.cuCtxSetCurrent(this.handle), "become this process's device");
    current = this;
  }

  /** Other code may find the thread without a context. */
  leave(): void {
    if (current === this) current = undefined;
  }

  /** Turns a result into an error: `what` is what the device was asked to do. W8008–W8010. */
  check(code: number, what: string): void {
    if (code === success) return;
    this.checkFatal(code);
    throw makeError("W8010", { what, reason: describeResult(code) });
  }

  /** Throws where the result says that an earlier launch has ruined the device. */
  checkFatal(code: number): void {
    this.notice(code);
    if (this.failure) throw this.#tell(this.failure);
  }

  /**
   * Remembers what ruined the device, without telling anybody yet. Gives whether the device is lost. Where failures are dumped, the driver goes on for a while as if nothing had failed: its events
   * pass, and what is read is wrong. That the dump is there says it first.
   */
  notice(code: number): boolean {
    const dumped = !this.failure && this.dump?.written === true;
    if (!this.failure && (isFatal(code) || dumped)) this.failure = this.#explain(code);
    // Behind a dump the driver's own end has been seen to find its memory damaged.
    if (dumped) this.#leaveDriver?.();
    return this.lost;
  }

  /** A kernel hangs: the device is lost, and the process will end without the driver. */
  abandon(failure: WarpsmithError): void {
    this.failure ??= failure;
    this.hung = true;
    this.#leaveDriver?.();
  }

  #tell(failure: WarpsmithError): WarpsmithError {
    if (!this.#told) {
      this.#told = true;
      return failure;
    }
    return makeError("W8009", { device: this.name, cause: failure.sentence }, failure.spans, { cause: failure });
  }

  #explain(code: number): WarpsmithError {
    const stopped = this.stopped?.();
    if (stopped) return stopped;
    const launches = [...this.streams].flatMap((stream) => stream.pending);
    for (const { explain, spans } of launches) {
      const error = explain?.();
      if (error) return atLaunch(error, spans);
    }
    const told = this.dump?.written ? explainDump(this.dump, launches) : undefined;
    if (told) return told;
    const places = new Map(launches.map((launch) => [placeOf(launch), launch]));
    const [only] = places.values();
    const spans = places.size === 1 && only ? only.spans : noSpans;
    const kernels = places.size === 1 && only ? [only.module.kernel] : [...places.keys()];
    const reason = isFatal(code) ? describeResult(code) : "the GPU stopped it, and the core dump that says why cannot be read";
    return makeError("W8008", { reason, kernels, unwatched: this.dump === undefined }, spans);
  }
}

function placeOf(launch: Launch): string {
  const span: Span | undefined = launch.spans[0];
  return span ? `${launch.module.kernel} (${span.file}:${span.line})` : launch.module.kernel;
}
