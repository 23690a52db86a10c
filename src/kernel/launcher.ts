/** What `kernel.launch`, `bench` and `profile` call: options are checked, a launch is found among those that are ready, or prepared (launch.ts), and started. */
import { checkOptions, display, optionsOf, placeOnStack, type Spans } from "../base/diag/index.ts";
import type { Profile } from "../inspect/profile/written.ts";
import { type BackendStream, refuseInCapture } from "../runtime/index.ts";
import { benchmark } from "./bench.ts";
import { fail } from "./errors.ts";
import type { Instances } from "./instance.ts";
import { type Prepared, prepare, start } from "./launch.ts";
import { profileLaunch } from "./profile.ts";
import { ReadyLaunches } from "./ready-launches.ts";
import { startRecorded } from "./recorded-launch.ts";
import type { KernelSource } from "./source.ts";
import type { BenchConfig, LaunchConfig, ProfileConfig, Timing } from "./types.ts";

const launchNames = {
  grid: true,
  device: true,
  stream: true,
  overlapPrevious: true,
  watch: true,
  onLog: true,
  onWarning: true,
} as const;
const launchOptions = optionsOf<LaunchConfig>("launch()", launchNames);
const benchOptions = optionsOf<BenchConfig>("bench()", { ...launchNames, warmup: true, repeat: true, flush: true });

const profileOptions = optionsOf<ProfileConfig>("profile()", { ...launchNames, limit: true, latency: true, plain: true });

/** Refuses options of a launch that hold something else than their types say. W7046; devices and streams are refused where they are used. */
function checkLaunch(of: string, config: BenchConfig & ProfileConfig): void {
  const refuse = (option: string, given: unknown, expected: string) =>
    fail("W7046", { of, option, given: display(given), expected });
  const { onLog, onWarning } = config;
  if (onLog !== undefined && typeof onLog !== "function") refuse("onLog", onLog, "a function that takes a line");
  if (onWarning !== undefined && typeof onWarning !== "function")
    refuse("onWarning", onWarning, "a function that takes a warning");
  const { watch } = config;
  const seconds = typeof watch === "number" && watch > 0 && Number.isFinite(watch);
  if (watch !== undefined && typeof watch !== "boolean" && !seconds)
    refuse("watch", watch, "true, false, or a number of seconds above 0");
  const { limit, latency } = config;
  if (latency !== undefined && typeof latency !== "function") refuse("latency", latency, "a function that gives ticks");
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 0)) refuse("limit", limit, "a whole number from 0 on");
  for (const option of ["overlapPrevious", "flush", "plain"] as const) {
    const value = config[option];
    if (value !== undefined && typeof value !== "boolean") refuse(option, value, "true or false");
  }
}

/** W2601, W2602, W7046. */
export function checkLaunchConfig(config: LaunchConfig): void {
  checkOptions(config, launchOptions);
  checkLaunch("launch()", config);
}

/** W2601, W2602, W7046. */
export function checkBenchConfig(config: BenchConfig): void {
  checkOptions(config, benchOptions);
  checkLaunch("bench()", config);
}

/** W2601, W2602, W7046. */
export function checkProfileConfig(config: ProfileConfig): void {
  checkOptions(config, profileOptions);
  checkLaunch("profile()", config);
}

/** What a kernel value is made of. */
export interface KernelParts {
  readonly source: KernelSource;
  readonly instances: Instances;
}

/** Launches; the same arguments again cost little more than the driver's call. */
export class Launcher {
  readonly #source: KernelSource;
  readonly #instances: Instances;
  readonly #ready: ReadyLaunches;
  /** The options of the last launch; at first none that anybody has. */
  #checked: LaunchConfig = {};

  constructor({ source, instances }: KernelParts) {
    this.#source = source;
    this.#instances = instances;
    this.#ready = new ReadyLaunches(source);
  }

  /** The launch for these arguments; a new one remembers where the author called. W75xx, W70xx. */
  prepare(config: LaunchConfig, args: readonly unknown[]): Prepared {
    const prepared = this.#ready.find(config, args) ?? this.#make(config, args);
    if (config.overlapPrevious && !prepared.instance.waitsForPrevious) fail("W7518", { kernel: this.#source.name });
    return prepared;
  }

  #make(config: LaunchConfig, args: readonly unknown[]): Prepared {
    // Written down at once: a stack that waits to be asked for keeps alive what its functions hold, tensors among it.
    const spans = placeOnStack();
    const prepared = prepare(this.#source, this.#instances, config, args, spans);
    this.#ready.add(prepared);
    return prepared;
  }

  launch(config: LaunchConfig, args: readonly unknown[]): void {
    // Some 20 ns, which one object that serves all launches does not cost each time.
    if (config !== this.#checked) checkLaunchConfig(config);
    this.#checked = config;
    this.start(this.prepare(config, args), config);
  }

  /** Whether it has launched with these arguments before; if so, it launches again. */
  launchAgain(config: LaunchConfig, args: readonly unknown[]): boolean {
    if (!this.#ready.find(config, args)) return false;
    this.launch(config, args);
    return true;
  }

  /** Enqueues what was prepared, and gives the stream that it is in. */
  start(prepared: Prepared, config: LaunchConfig): BackendStream {
    const starts = prepared.instance.timeline && !prepared.onlyExplained ? startRecorded : start;
    return starts(this.#source, prepared, config);
  }

  profile(config: ProfileConfig, args: readonly unknown[]): Promise<Profile> {
    const spans = placeOnStack();
    let prepared: Prepared;
    try {
      checkProfileConfig(config);
      prepared = this.#profiled(config, args, spans);
      if (config.overlapPrevious && !prepared.instance.waitsForPrevious) fail("W7518", { kernel: this.#source.name });
    } catch (error) {
      return Promise.reject(error);
    }
    refuseInCapture(prepared.device, `${this.#source.name}.profile`, spans);
    const { backend, instance } = prepared;
    const compares = instance.timeline && config.plain !== false && !backend.profiles;
    const plain = compares ? prepare(this.#source, this.#instances, config, args, spans) : undefined;
    return profileLaunch(this.#source, prepared, config, plain);
  }

  #profiled(config: ProfileConfig, args: readonly unknown[], spans: Spans): Prepared {
    return prepare(this.#source, this.#instances, config, args, spans, "profile");
  }

  bench(config: BenchConfig, args: readonly unknown[]): Promise<Timing> {
    const spans = placeOnStack();
    let prepared: Prepared;
    try {
      checkBenchConfig(config);
      prepared = this.prepare(config, args);
    } catch (error) {
      return Promise.reject(error);
    }
    // Not in the promise, as with all that a capture refuses: one that nobody awaits would end the process.
    refuseInCapture(prepared.device, `${this.#source.name}.bench`, spans);
    return benchmark(this.#source.name, prepared.backend, () => this.start(prepared, config), config, spans);
  }
}
