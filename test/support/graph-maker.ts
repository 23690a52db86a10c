import {
  type Attrs,
  bitsOf,
  isSigned,
  type Literal,
  makeOp,
  type Op,
  type Operands,
  type OpName,
  type Region,
  type ScalarType,
  type Type,
  type Value,
} from "../../src/ir/index.ts";

const span = { file: "graph.ts", line: 1, column: 1, length: 1 };

/** Writes random op graphs: a tape of numbers decides. What is in scope may be an operand. */
export class GraphMaker {
  readonly ids = { next: 0 };
  private readonly tape: readonly number[];
  private at = 0;
  scope: Value[] = [];
  ops: Op[] = [];

  constructor(tape: readonly number[]) {
    this.tape = tape;
  }

  get done(): boolean {
    return this.at >= this.tape.length;
  }

  pick(n: number): number {
    return (this.tape[this.at++] ?? 0) % n;
  }

  from<T>(list: readonly T[]): T {
    return list[this.pick(list.length)] as T;
  }

  emit<K extends OpName>(
    name: K,
    operands: Operands<K>,
    attrs: Attrs<K>,
    given: readonly Type[] = [],
    regions: readonly Region[] = [],
  ): Op<K> {
    const op = makeOp(this.ids, name, operands, attrs, { types: given, regions, spans: [span] });
    this.ops.push(op as Op);
    this.scope.push(...op.results);
    return op;
  }

  one<K extends OpName>(name: K, operands: Operands<K>, attrs: Attrs<K>, given: readonly Type[] = []): Value {
    return this.emit(name, operands, attrs, given).results[0] as Value;
  }

  constant(type: ScalarType, n: bigint): Value {
    const bits = bitsOf(type);
    const value = isSigned(type) ? BigInt.asIntN(bits, n) : BigInt.asUintN(bits, n);
    return this.one("const", {}, { value: bits === 64 ? value : Number(value) }, [type]);
  }

  literal(type: ScalarType): Value {
    const bits = BigInt(bitsOf(type));
    const small = [0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n, 12n, 15n, 16n, 31n, 32n, 48n, 64n, 96n, 127n, 128n, 1000n, 4096n];
    const edges = [
      -1n,
      -2n,
      -16n,
      -3n,
      1n << (bits - 1n),
      (1n << (bits - 1n)) - 1n,
      1n << (bits - 2n),
      0xaaaan,
      3n << (bits - 3n),
    ];
    return this.constant(type, this.from(this.pick(3) === 0 ? edges : small));
  }

  /** A value of that type; of the same few more often than of all, so that they meet. */
  value(type: ScalarType): Value {
    const found = this.scope.filter((v) => v.type === type);
    if (type === "pred" && found.length === 0) return this.constantTruth();
    if (type === "pred") return this.from(found);
    if (found.length === 0 || this.pick(4) === 0) return this.literal(type);
    return this.from(this.pick(2) ? found.slice(-4) : found);
  }

  private constantTruth(): Value {
    const literal: Literal = this.pick(2) === 1;
    return this.one("const", {}, { value: literal }, ["pred"]);
  }

  region(params: readonly Value[], fill: () => void): Region {
    const [scope, ops] = [this.scope, this.ops];
    this.scope = [...scope, ...params];
    this.ops = [];
    fill();
    const region = { params, ops: this.ops };
    [this.scope, this.ops] = [scope, ops];
    return region;
  }
}
