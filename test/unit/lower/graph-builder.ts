import type { Span } from "../../../src/base/diag/index.ts";
import {
  type Attrs,
  type Graph,
  type GraphParam,
  type Ids,
  type Literal,
  makeOp,
  makeValue,
  type Op,
  type Operands,
  type OpName,
  type Region,
  type ScalarType,
  type SharedBuffer,
  type Type,
  type Value,
} from "../../../src/ir/index.ts";
import { programOptions } from "../../support/program-options.ts";

/** Writes graphs by hand, op after op. */
export class GraphBuilder {
  readonly ids: Ids = { next: 0 };
  readonly params: GraphParam[] = [];
  readonly shared: SharedBuffer[] = [];
  ops: Op[] = [];
  line = 1;

  param(
    name: string,
    type: Type,
    kind: GraphParam["kind"] = type === "tensormap" ? "tma" : type === "ptr.global" ? "tensor" : "scalar",
  ): Value {
    const value = makeValue(this.ids, type, name);
    this.params.push({ name, kind, value });
    return value;
  }

  buffer(name: string, bytes: number, offset: number): Value {
    const id = this.shared.length;
    this.shared.push({ id, name, bytes, align: 1024, offset, spans: [] });
    return this.op("shared.buffer", {}, { buffer: id });
  }

  all<K extends OpName>(
    name: K,
    operands: Operands<K>,
    attrs: Attrs<K>,
    types?: readonly Type[],
    regions?: readonly Region[],
  ): readonly Value[] {
    const span: Span = { file: "kernel.ts", line: this.line++, column: 1, length: 1 };
    const op = makeOp(this.ids, name, operands, attrs, {
      spans: [span],
      ...(types ? { types } : {}),
      ...(regions ? { regions } : {}),
    });
    this.ops.push(op as Op);
    return op.results;
  }

  op<K extends OpName>(
    name: K,
    operands: Operands<K>,
    attrs: Attrs<K>,
    types?: readonly Type[],
    regions?: readonly Region[],
  ): Value {
    return this.all(name, operands, attrs, types, regions)[0] as Value;
  }

  /** For ops without operands of note: a constant. */
  const(type: ScalarType, value: Literal): Value {
    return this.op("const", {}, { value }, [type]);
  }

  region(types: readonly Type[], write: (...params: Value[]) => readonly Value[] | "exit"): Region {
    const params = types.map((t) => makeValue(this.ids, t));
    const outer = this.ops;
    this.ops = [];
    const yields = write(...params);
    if (yields === "exit") this.all("exit", {}, {});
    else this.all("yield", { values: yields }, {});
    const ops = this.ops;
    this.ops = outer;
    return { params, ops };
  }

  for(
    start: Value,
    stop: Value,
    step: Value,
    carried: readonly Value[],
    body: (i: Value, ...carried: Value[]) => readonly Value[],
  ): readonly Value[] {
    const types = carried.map((v) => v.type);
    const region = this.region([start.type, ...types], (i, ...rest) => body(i as Value, ...rest));
    return this.all("for", { start, stop, step, carried }, { unroll: undefined }, types, [region]);
  }

  if(
    condition: Value,
    types: readonly Type[],
    yes: () => readonly Value[] | "exit",
    no: () => readonly Value[] | "exit",
  ): readonly Value[] {
    return this.all("if", { condition }, {}, types, [this.region([], yes), this.region([], no)]);
  }

  while(
    carried: readonly Value[],
    test: (...p: Value[]) => { go: Value; values: readonly Value[] },
    body: (...p: Value[]) => readonly Value[],
  ): readonly Value[] {
    const params = carried.map((v) => makeValue(this.ids, v.type));
    const outer = this.ops;
    this.ops = [];
    const end = test(...params);
    this.all("condition", end, {});
    const testRegion = { params, ops: this.ops };
    this.ops = outer;
    const types = end.values.map((v) => v.type);
    return this.all("while", { carried }, {}, types, [testRegion, this.region(types, body)]);
  }

  graph(block: number, options: Partial<Graph> = {}): Graph {
    return {
      ...programOptions({ block: [block, 1, 1] }),
      name: "kernel",
      params: this.params,
      body: { params: this.params.map((p) => p.value), ops: this.ops },
      shared: this.shared,
      logs: [],
      ...options,
    };
  }
}
