import { checkOptions, display, exactMethods, isClass, optionsOf, type Spans } from "../base/diag/index.ts";
import type { BackendGraph, BackendStream } from "./backend.ts";
import { fail } from "./errors/index.ts";
import { authorStream, type Capture, checkOpen, type Home, refuseCaptured } from "./home.ts";
import { memoryOf } from "./tensor.ts";
import type { DeviceTensor, Graph, Stream } from "./types.ts";

interface GraphLaunchConfig {
  readonly stream?: Stream;
}
const launchOptions = optionsOf<GraphLaunchConfig>("graph.launch()", { stream: true });

/** What a graph needs of its capture. */
type Kept = Pick<Capture, "uses" | "disposed">;

/** Launches of one capture, with the memory that they use. */
class RuntimeGraph implements Graph {
  readonly #home: Home;
  readonly #graph: BackendGraph;
  readonly #kept: Kept;
  /** `home.epoch` when it was made: what its kernels need besides tensors is there from then on. */
  readonly #epoch: number;
  #disposed = false;

  constructor(home: Home, graph: BackendGraph, kept: Kept) {
    this.#home = home;
    this.#graph = graph;
    this.#kept = kept;
    this.#epoch = ++home.epoch;
  }

  launch(config: GraphLaunchConfig = {}): void {
    checkOptions(config, launchOptions);
    const { stream } = config;
    const home = this.#home;
    checkOpen(home);
    refuseCaptured(home, "The launch of a graph");
    if (this.#disposed) fail("W7031", {});
    const { uses } = this.#kept;
    for (const [storage, { dtype, shape }] of uses) if (storage.freed) fail("W7032", { dtype, shape });
    const own = stream === undefined ? undefined : authorStream(stream, home);
    own?.follow(this.#epoch);
    for (const storage of uses.keys()) storage.order(own);
    home.launches += 1;
    home.backend.launchGraph(this.#graph, own === undefined ? home.backend.defaultStream : own.handle);
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    if (this.#home.closed) return;
    this.#home.backend.destroyGraph(this.#graph);
    for (const tell of this.#kept.disposed) tell();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}
exactMethods(RuntimeGraph);

/** Refuses, before any of it runs, what cannot be a recording. W7030, W7034. */
function checkRecord(record: unknown): void {
  if (typeof record !== "function") fail("W7034", { given: display(record) });
  if (isClass(record)) fail("W7034", { given: "a class" });
  const kind = Object.prototype.toString.call(record);
  if (kind === "[object AsyncFunction]") fail("W7030", {});
  if (kind.endsWith("GeneratorFunction]")) fail("W7034", { given: "a generator, which runs nothing when it is called" });
}

/** Runs what the author gave to `capture`. An async function that was compiled to an ordinary one shows by what it gives. */
function runCaptured(home: Home, capture: Capture, record: () => unknown): void {
  home.capture = capture;
  let given: unknown;
  try {
    given = record();
  } finally {
    home.capture = undefined;
  }
  const later = given instanceof Promise ? given : undefined;
  // What is wrong is told here, once.
  later?.catch(() => {});
  if (capture.refused) throw capture.refused;
  if (later) fail("W7030", {});
}

/** See `Device.capture`. */
export function captureGraph(home: Home, record: () => void): Graph {
  checkOpen(home);
  refuseCaptured(home, "A capture within a capture");
  checkRecord(record);
  const parts: Kept = { uses: new Map(), disposed: [] };
  try {
    const graph = home.backend.capture((stream) => {
      runCaptured(home, { stream, ...parts, refused: undefined }, record);
    });
    return new RuntimeGraph(home, graph, parts);
  } catch (error) {
    for (const tell of parts.disposed) tell();
    throw error;
  }
}

/** Notes the memory that a captured launch uses, and gives the stream for it. W7006, W7012, W7023, W7033. */
export function recordLaunch(
  home: Home,
  capture: Capture,
  { stream, tensors }: { readonly stream: Stream | undefined; readonly tensors: readonly DeviceTensor[] },
  spans: Spans,
): BackendStream {
  if (stream !== undefined) fail("W7033", {}, spans);
  for (const tensor of tensors) {
    const { dtype, shape } = tensor;
    capture.uses.set(memoryOf(tensor, home, spans).memory(spans), { dtype, shape });
  }
  return capture.stream;
}
