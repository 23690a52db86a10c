import type { BackendGraph, Launch } from "../runtime/index.ts";
import { captureRelaxed, streamNonBlocking } from "./constants.ts";
import { type CudaContext, CudaStream } from "./context.ts";
import { take64 } from "./out-values.ts";

/** A stream whose launches the driver records. */
class CaptureStream extends CudaStream {
  readonly launches: Launch[] = [];

  override add(launch: Launch): void {
    this.launches.push(launch);
  }
}

/** An executable graph (CUDA driver API, "Graph Management"), and its launches for messages. */
export class CudaGraph implements BackendGraph {
  readonly role = "graph";
  readonly handle: bigint;
  readonly launches: readonly Launch[];

  constructor(handle: bigint, launches: readonly Launch[]) {
    this.handle = handle;
    this.launches = launches;
  }
}

/** The graphs of a context. Each is captured from a stream of its own, so that work in others goes on. */
export class CudaGraphs {
  readonly #context: CudaContext;
  readonly #live = new Set<CudaGraph>();

  constructor(context: CudaContext) {
    this.#context = context;
  }

  capture(record: (stream: CudaStream) => void): CudaGraph {
    const { driver } = this.#context;
    this.#context.enter();
    const stream = new CaptureStream(
      take64((out) => driver.cuStreamCreate(out, streamNonBlocking), this.#check("make a stream")),
    );
    try {
      const made = new CudaGraph(this.#instantiate(this.#record(stream, record)), stream.launches);
      this.#live.add(made);
      return made;
    } finally {
      driver.cuStreamDestroy_v2(stream.handle);
    }
  }

  /** Each launch of a graph comes after what the stream holds, and after launches of the same graph elsewhere. */
  launch(graph: CudaGraph, stream: CudaStream): void {
    this.#context.enter();
    this.#context.check(this.#context.driver.cuGraphLaunch(graph.handle, stream.handle), "launch a graph");
    for (const launch of graph.launches) stream.add(launch);
  }

  /** The driver keeps it for launches that are under way. */
  destroy(graph: CudaGraph): void {
    if (this.#live.delete(graph)) this.#context.driver.cuGraphExecDestroy(graph.handle);
  }

  dispose(): void {
    for (const graph of [...this.#live]) this.destroy(graph);
  }

  /** What `record` has launched, as a `CUgraph`. */
  #record(stream: CaptureStream, record: (stream: CudaStream) => void): bigint {
    const { driver } = this.#context;
    const end = (check: (code: number) => void) => take64((out) => driver.cuStreamEndCapture(stream.handle, out), check);
    this.#context.check(driver.cuStreamBeginCapture_v2(stream.handle, captureRelaxed), "capture a graph");
    try {
      record(stream);
    } catch (error) {
      // What went wrong has been said.
      const part = end(() => {});
      if (part !== 0n) driver.cuGraphDestroy(part);
      throw error;
    }
    return end(this.#check("capture a graph"));
  }

  #instantiate(graph: bigint): bigint {
    const { driver } = this.#context;
    try {
      return take64((out) => driver.cuGraphInstantiateWithFlags(out, graph, 0n), this.#check("make a graph"));
    } finally {
      driver.cuGraphDestroy(graph);
    }
  }

  #check(what: string): (code: number) => void {
    return (code) => this.#context.check(code, what);
  }
}
