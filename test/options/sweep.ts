/** Every exported function and every method of the objects that these return, by name. */
import * as warpsmith from "warpsmith";

// biome-ignore lint/suspicious/noExplicitAny: types are what this is not about
type Any = any;

const { explicit, kernel, sharedMemory, tensorSpec, TMA } = warpsmith;

export const isClass = (x: unknown): boolean => typeof x === "function" && /^class\b/.test(Function.prototype.toString.call(x));
const isNative = (x: object): boolean => /\[native code\]\s*\}\s*$/.test(Function.prototype.toString.call(x));

/** Owners of members, from the object itself to what JavaScript itself has. */
function* ownersOf(x: object): Iterable<object> {
  for (
    let at: object | null = x;
    at !== null && at !== Object.prototype && at !== Function.prototype;
    at = Object.getPrototypeOf(at)
  ) {
    const maker: unknown = Reflect.get(at, "constructor");
    if (at !== x && typeof maker === "function" && isNative(maker)) return;
    yield at;
  }
}

export class Sweep {
  /** Functions by their names, with what they are called on; classes to be constructed. */
  readonly found = new Map<string, { readonly f: object; readonly receiver?: unknown }>();

  object(name: string, x: object): void {
    for (const owner of ownersOf(x))
      for (const [key, { value }] of Object.entries(Object.getOwnPropertyDescriptors(owner)))
        if (key !== "constructor" && key !== "prototype") this.#member(`${name}.${key}`, value, x);
  }

  #member(name: string, value: unknown, receiver: unknown): void {
    if (typeof value === "function" && !isNative(value) && !this.found.has(name)) this.found.set(name, { f: value, receiver });
  }

  exports(module: string, members: object): void {
    for (const [name, value] of Object.entries(members)) {
      const full = module === "" ? name : `${module}.${name}`;
      if (typeof value === "function") {
        this.found.set(full, { f: value as object });
        if (isClass(value)) {
          this.object(full, value as object);
          this.object(`${full}.prototype`, (value as { prototype: object }).prototype);
        } else this.object(full, value as object);
      } else if (typeof value === "object" && value !== null) this.object(full, value as object);
    }
  }
}

/** The objects of a kernel, by what they are to an author. */
export function kernelObjects(x: Any, map: Any): Readonly<Record<string, object>> {
  const view: Any = sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" });
  const bars = new warpsmith.Mbarriers(2);
  const pipe = new warpsmith.Pipeline({ stages: 2, producers: 32, consumers: 32 });
  const A: Any = warpsmith.WGMMAMatrix.descriptor(view, [64, 64]);
  const D: Any = warpsmith.WGMMAMatrix.accumulator("f32", [64, 64]);
  const tile: Any = warpsmith.tile.full([64, 64], 0);
  const objects: Record<string, object> = {
    ...{ Tensor: x, TMA: map, SharedView: view, Place: view.at(0, 0), Mbarriers: bars, Mbarrier: bars.at(0) },
    ...{
      RemoteMbarrier: warpsmith.cluster.map(bars.at(0) as Any, 0),
      Pipeline: pipe,
      NamedBarrier: warpsmith.namedBarrier(1, 32),
    },
    ...{ ProducerStage: pipe.producer(), ConsumerStage: pipe.consumer(), Operand: A, Accumulator: D, Tile: tile },
    ...{ RegisterOperand: warpsmith.WGMMAMatrix.fromRegisters(D.convert("f16")) },
    WMMAOperand: warpsmith.WMMAMatrix.load("a", x.subview([0, 0], [16, 16])),
    WMMAAccumulator: warpsmith.WMMAMatrix.accumulator("f32", [16, 16, 16]),
    Scalar: warpsmith.expr(warpsmith.threadIdx.x),
  };
  return objects;
}

/** Traces a kernel whose body has a tensor and a map of [64, 64] of f16. */
export function traceKernel(body: (x: Any, map: Any) => void): void {
  const spec = tensorSpec("f16", [64, 64]);
  const made = kernel({ block: 128, cluster: 2, params: ["tensor", "tma"] }, explicit(body) as Any);
  made.compile(spec as Any, new TMA(spec, { box: [64, 64], swizzle: "128B" }) as Any);
}
