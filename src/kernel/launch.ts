/** From arguments to a launch of the backend: `prepare` does once for the same arguments what `start` needs each time. index.ts has the whole way. */
import { type Spans, warningOf } from "../base/diag/index.ts";
import { readEnvironment } from "../base/env.ts";
import type { Dim, Dim3 } from "../base/types.ts";
import { isPlain, type OuterReads, TMA } from "../dsl/index.ts";
import type { MarkRecord, ProfileSink } from "../inspect/profile/index.ts";
import type { ProfileRecords } from "../ir/index.ts";
import {
  addressOf,
  type BackendStream,
  backendOf,
  captureOf,
  checkFits,
  checkLaunchShape,
  chooseDevice,
  type Device,
  type DeviceBackend,
  type DeviceTensor,
  elementBytes,
  failLater,
  isDeviceTensor,
  type Launch,
  type LoadedModule,
  type NamedMemory,
  normalizeDim,
  type ParameterBlock,
  prepareStream,
  type ScalarValue,
  spanElements,
  type WatchedLaunch,
} from "../runtime/index.ts";
import { type Arguments, sortArguments } from "./arguments.ts";
import { fail } from "./errors.ts";
import { explainLaunch } from "./explain.ts";
import { dependsOnArguments, type Instance, type Instances, shapeOf } from "./instance.ts";
import { load } from "./load.ts";
import { keepLog, openLog, takerError } from "./log.ts";
import { hiddenViews, pack, type ScalarSlot, scalarsOf } from "./parameters.ts";
import { placeInPtx } from "./ptx-place.ts";
import type { KernelSource } from "./source.ts";
import { checkStoredMaps } from "./stored-maps.ts";
import type { LaunchConfig } from "./types.ts";
import { questionsFor } from "./watch/questions.ts";
import { explainHang } from "./watch/report.ts";
import { watchSeconds } from "./watch/seconds.ts";

/** A launch that is ready to go, kept for the next one with the same arguments. */
export interface Prepared {
  readonly device: Device;
  readonly backend: DeviceBackend;
  readonly instance: Instance;
  /** What must still be as it was; undefined where nothing can have changed. */
  readonly reads: OuterReads | undefined;
  readonly module: LoadedModule;
  readonly parameters: ParameterBlock;
  readonly tensors: readonly DeviceTensor[];
  readonly grid: Dim3;
  /** The arguments it was made from, as given. */
  readonly args: readonly unknown[];
  readonly config: LaunchConfig;
  /** Where the author first launched with these arguments: what a failure on the device is reported at. */
  readonly spans: Spans;
  /** What messages call the memory that it uses. */
  readonly memories: () => readonly NamedMemory[];
  /** How long it may stand still, where it is watched. */
  readonly watched: number | undefined;
  /** What it costs has been told, and it is not to run. */
  readonly onlyExplained: boolean;
  /** The launch that was issued last with these arguments. */
  latest?: Launch;
  readonly scalars: readonly ScalarSlot[];
}

/** Every tensor behind the arguments: those behind tensor maps, too. W7505. */
export function tensorsOf(source: KernelSource, sorted: Arguments): DeviceTensor[] {
  return sorted.params.flatMap((p, i) => {
    if (p.kind === "scalar") return [];
    const tensor = p.kind === "tma" ? p.tma.tensor : sorted.values[i];
    return isDeviceTensor(tensor) ? [tensor] : fail("W7505", { kernel: source.name, name: p.name });
  });
}

/** The tensors and the buffers of shared memory that a kernel uses, for an emulator that finds an access beside them. */
function memoriesOf(sorted: Arguments, { buffers }: Instance): readonly NamedMemory[] {
  const tensors = sorted.params.flatMap((p, i): NamedMemory[] => {
    const tensor = sorted.values[i];
    if (p.kind !== "tensor" || !isDeviceTensor(tensor)) return [];
    const { dtype, shape, strides } = tensor;
    const size = elementBytes(dtype);
    const bytes = spanElements(shape, strides) * size;
    const begin = Number(addressOf(tensor));
    return [{ name: p.name, space: "global", begin, bytes, elements: { bytes: size, shape } }];
  });
  const shared = buffers.map(({ name, bytes, offset = 0 }): NamedMemory => ({ name, space: "shared", begin: offset, bytes }));
  return [...tensors, ...shared];
}

/** What a kernel has to record itself where it is profiled. */
const recordsOn = ({ kind }: DeviceBackend): ProfileRecords => (kind === "emulator" ? "marks" : "timeline");

/** Checks everything, compiles and loads what is new, and packs the parameters. `profile`: it is to be profiled, on a device that says what is to be recorded for that, or here it is said what. */
export function prepare(
  source: KernelSource,
  instances: Instances,
  config: LaunchConfig,
  args: readonly unknown[],
  spans: Spans,
  profile?: ProfileRecords | "profile",
): Prepared {
  const { nonPortableCluster } = source.options;
  const sorted = sortArguments(source, args);
  const shape = shapeOf(source, args);
  const grid = config.grid === undefined ? shape.grid : normalizeDim(`The grid of ${source.name}`, config.grid);
  if (!grid) fail("W7508", { kernel: source.name });
  const tensors = tensorsOf(source, sorted);
  const device = chooseDevice(tensors, config.device);
  const backend = backendOf(device);
  const explaining = readEnvironment().values?.stages?.explain;
  // What a kernel costs is asked of a GPU, where nothing is checked that the author does not ask for.
  const debug = source.options.debug ?? (device.kind === "emulator" && !explaining);
  const asked = profile ?? (backend.profiles ? "profile" : undefined);
  const records = asked === "profile" ? recordsOn(backend) : asked;
  const watched = backend.watchRecords && watchSeconds(config.watch, source.options.debug);
  const watch = watched !== undefined && ({ watch: true } as const);
  const options = { ...shape.options, target: backend.target, debug, ...(records && { profile: records }), ...watch };
  const { instance, reads } = instances.find(sorted, options);
  const { block, cluster } = instance;
  checkStoredMaps(source, sorted, instance);
  checkLaunchShape({ grid, block, cluster, nonPortableCluster, sharedBytes: instance.sharedBytes }, backend.target);
  const module = load(source, sorted, instance, backend);
  checkFits(module, block);
  if (explaining) explainLaunch({ source, sorted, instance, grid }, explaining);
  const parameters = backend.parameters(module);
  const places = pack(source, sorted, backend, parameters.views);
  return {
    device,
    backend,
    instance,
    reads,
    module,
    parameters,
    tensors,
    grid,
    args,
    config,
    spans,
    onlyExplained: explaining !== undefined,
    memories: once(() => memoriesOf(sorted, instance)),
    watched,
    scalars: scalarsOf(source, sorted, places),
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Frozen objects that were found to hold nothing that can change: found once, true for ever. */
const unchanging = new WeakSet<object>();
const outermost: readonly object[] = [];

/** Objects that are compared by value may have been changed since: only what cannot change, or is passed at launch, is known again. */
const isStable = (value: unknown, within = outermost): boolean =>
  typeof value !== "object" ||
  value === null ||
  isDeviceTensor(value) ||
  value instanceof TMA ||
  unchanging.has(value) ||
  isUnchanging(value, within);

/** Whether a plain object or an array is frozen, has no accessors, and all that it holds is stable. */
function isUnchanging(value: object, within: readonly object[]): boolean {
  if (!Object.isFrozen(value) || !isPlain(value) || within.includes(value)) return false;
  const inside = [...within, value];
  const stable = Reflect.ownKeys(value).every((key) => {
    const field = Object.getOwnPropertyDescriptor(value, key);
    return field !== undefined && "value" in field && isStable(field.value, inside);
  });
  if (stable) unchanging.add(value);
  return stable;
}

function sameGrid(grid: Dim | undefined, { config, grid: [x, y, z] }: Prepared): boolean {
  if (grid === undefined || config.grid === undefined) return grid === config.grid;
  return typeof grid === "number"
    ? grid === x && y === 1 && z === 1
    : grid[0] === x && (grid[1] ?? 1) === y && (grid[2] ?? 1) === z;
}

/** Whether `prepared` serves a call with these arguments; rewrites the scalars that differ. */
export function reuse(source: KernelSource, prepared: Prepared, config: LaunchConfig, args: readonly unknown[]): boolean {
  if (args.length !== prepared.args.length || config.device !== prepared.config.device) return false;
  if (config.watch !== prepared.config.watch || !sameGrid(config.grid, prepared)) return false;
  const kept = prepared.args as unknown[];
  const { scalars } = prepared;
  let next = 0;
  for (let i = 0; i < args.length; i++) {
    const isScalar = scalars[next]?.argument === i;
    if (isScalar) next++;
    if (Object.is(args[i], kept[i])) {
      if (!isStable(args[i])) return false;
    } else if (!isScalar || !scalars[next - 1]?.fits(args[i]) || dependsOnArguments(source)) return false;
  }
  if (prepared.reads && !prepared.reads.holds()) return false;
  for (const s of scalars) {
    const view = prepared.parameters.views[s.parameter];
    if (view && !Object.is(kept[s.argument], args[s.argument])) {
      s.write(view, args[s.argument] as ScalarValue);
      kept[s.argument] = args[s.argument];
    }
  }
  return true;
}

/** Who wants to know what of a launch. */
export interface LaunchListener {
  /** Takes the profile, on a device that makes one by itself. */
  readonly profile?: ProfileSink;
  /** Gets what marks of a profile have recorded when the launch is done, and whether some had no room. */
  readonly onMarks?: (records: readonly MarkRecord[], lost: boolean) => void;
}

/** What the backend is told. The same object serves every launch that differs in nothing. */
function describe(
  prepared: Prepared,
  stream: BackendStream,
  overlapPrevious: boolean,
  more: Pick<Launch, "explain" | "profile" | "marks" | "turn" | "warned">,
): Launch {
  const { instance, module, parameters, grid, spans, backend } = prepared;
  return {
    module,
    parameters,
    grid,
    block: instance.block,
    cluster: instance.cluster,
    sharedBytes: instance.sharedBytes,
    stream,
    overlapPrevious,
    cooperative: instance.cooperative,
    spans,
    memories: backend.kind === "emulator" ? prepared.memories() : [],
    watch: watchLaunch(prepared),
    placeOf: (line) => placeInPtx(instance, line),
    ...more,
  };
}

/** Gives the launch a number, by which its records are known. */
function watchLaunch(prepared: Prepared): WatchedLaunch | undefined {
  const { backend, instance, parameters, grid, spans, watched: seconds, memories, module } = prepared;
  const records = seconds === undefined ? undefined : backend.watchRecords?.();
  if (seconds === undefined || !records) return undefined;
  const launch = records.next();
  const [address, number] = hiddenViews(parameters.views, instance.hidden, "watch");
  address?.setBigUint64(0, records.address, true);
  number?.setUint32(0, launch, true);
  const { block, cluster, waits, buffers } = instance;
  const watched = { kernel: module.kernel, launch, seconds, grid, block, cluster, waits, buffers, memories, spans };
  return {
    seconds,
    explain: (words, still, stopped) => explainHang(watched, words, still, stopped),
    questions: (words) => questionsFor(words, launch, waits),
  };
}

/** Passes warnings to `onWarning`. What that throws is reported by the next `read()` or `sync()`: the launch has run. */
function warnedBy(kernel: string, { device, spans }: Prepared, { onWarning }: LaunchConfig): Launch["warned"] {
  if (!onWarning) return undefined;
  return (warning) => {
    try {
      onWarning(warningOf(warning));
    } catch (error) {
      failLater(device, takerError({ kernel, listener: "onWarning" }, error, spans));
    }
  };
}

/** Enqueues. */
export function start(source: KernelSource, prepared: Prepared, config: LaunchConfig, listener?: LaunchListener): BackendStream {
  const { backend, device, instance } = prepared;
  const stream = prepareStream(device, config.stream, prepared.tensors);
  const overlap = config.overlapPrevious ?? false;
  if (prepared.onlyExplained) return stream;
  const warned = warnedBy(source.name, prepared, config);
  if (instance.logs.length > 0) startWithLog(source, prepared, config, stream, overlap, { ...listener, warned });
  else if (listener?.profile || warned)
    backend.launch(describe(prepared, stream, overlap, { profile: listener?.profile, warned }));
  else {
    const again = prepared.latest;
    const launch =
      again?.stream === stream && again.overlapPrevious === overlap && !again.watch
        ? again
        : describe(prepared, stream, overlap, {});
    prepared.latest = launch;
    backend.launch(launch);
  }
  return stream;
}

function startWithLog(
  source: KernelSource,
  prepared: Prepared,
  config: LaunchConfig,
  stream: BackendStream,
  overlap: boolean,
  listener: LaunchListener & Pick<Launch, "warned">,
): void {
  const { backend, device, instance, parameters } = prepared;
  const capture = captureOf(device);
  if (capture) {
    if (instance.prints) fail("W7519", { kernel: source.name });
    const kept = keepLog({ name: source.name, block: instance.block }, backend, instance.logs);
    capture.disposed.push(kept.free);
    hiddenViews(parameters.views, instance.hidden, "log")[0]?.setBigUint64(0, kept.address, true);
    backend.launch(describe(prepared, stream, overlap, { explain: kept.explain, turn: kept.turn, warned: listener.warned }));
    return;
  }
  const kernel = { name: source.name, block: instance.block };
  const taker = { onLog: config.onLog, onMarks: listener.onMarks, spans: prepared.spans };
  const { warned } = listener;
  const log = openLog(kernel, device, backend, instance.logs, taker);
  hiddenViews(parameters.views, instance.hidden, "log")[0]?.setBigUint64(0, log.address, true);
  const { explain, marks, turn } = log;
  backend.launch(describe(prepared, stream, overlap, { explain, marks, turn, profile: listener.profile, warned }));
  log.launched(stream);
}
