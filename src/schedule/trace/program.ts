import { otherRuntime, placeOnStack, refuseMore, type Span, withinStack } from "../../base/diag/index.ts";
import { fail } from "../errors/index.ts";
import { int, seq, variable } from "../ir/build.ts";
import type { Buffer as BufferData, Expr, Program, Var } from "../ir/types.ts";
import { checkProgram } from "../ir/verify.ts";
import { BufferObject, isBufferType } from "./buffers.ts";
import { functionMeta, type KnownFunction } from "./functions.ts";
import { describe } from "./symbolic.ts";
import { Tracing, whileTracing } from "./tracing.ts";

/** The shape of each parameter, by its name: extents, or the names of sizes that only a launch knows. */
export type Shapes = Readonly<Record<string, readonly (number | string)[]>>;

type Body = (...buffers: never[]) => void;

interface Declared {
  readonly name: string;
  readonly dtype: BufferData["dtype"];
  readonly rank: number;
}

function declaredOf(meta: KnownFunction, program: string): readonly Declared[] {
  return meta.params.map((param) => {
    const { name } = param;
    const refuse = (why: string): never => fail("W5503", { program, name, why }, meta.span ? [meta.span] : []);
    if (param.kind !== "buffer") return refuse(param.kind === "unclear" ? param.why : "it is not annotated as one");
    const { dtype, rank } = param;
    if (dtype === undefined || rank === undefined)
      return refuse("its annotation does not say what its elements are, or its number of dimensions");
    if (!isBufferType(dtype)) return refuse(`${dtype} is no type of elements in a program`);
    return Number.isInteger(rank) && rank > 0 && rank <= 8
      ? { name, dtype, rank }
      : refuse(`it has ${rank} dimensions, and may have 1 to 8`);
  });
}

function paramsOf(
  program: string,
  declared: readonly Declared[],
  shapes: Shapes | undefined,
  span: Span | undefined,
): { params: BufferData[]; sizes: Var[] } {
  const spans = [...placeOnStack()];
  const refuse = (what: string): never => fail("W5504", { program, what }, spans.length > 0 ? spans : span ? [span] : []);
  if (shapes !== undefined && (typeof shapes !== "object" || shapes === null || Array.isArray(shapes)))
    return refuse(`${describe(shapes)} is given`);
  const sizes = new Map<string, Var>();
  const sizeNamed = (name: string): Var => {
    const known = sizes.get(name) ?? variable(name);
    sizes.set(name, known);
    return known;
  };
  const extra = Object.keys(shapes ?? {}).find((name) => !declared.some((d) => d.name === name));
  if (extra !== undefined) refuse(`there is no \`${extra}\` among them`);
  const params = declared.map(({ name, dtype, rank }): BufferData => {
    const given: unknown = shapes ? shapes[name] : Array.from({ length: rank }, (_, i) => `${name}${i}`);
    if (!Array.isArray(given))
      return refuse(given === undefined ? `\`${name}\` has none` : `that of \`${name}\` is ${describe(given)}`);
    if (given.length !== rank)
      return refuse(`\`${name}\` has ${rank} dimension${rank === 1 ? "" : "s"}, and ${given.length} extents are given`);
    const shape = given.map((extent: unknown): Expr => {
      if (typeof extent === "string" && /^[A-Za-z_$][\w$]*$/.test(extent)) return sizeNamed(extent);
      return typeof extent === "number" && Number.isInteger(extent) && extent > 0 && extent < 2 ** 31
        ? int(extent)
        : refuse(`an extent of \`${name}\` is ${describe(extent)}`);
    });
    return { name, dtype, shape, scope: "global", span };
  });
  return { params, sizes: [...sizes.values()] };
}

function traced(meta: KnownFunction, body: Body, shapes: Shapes | undefined): Program {
  const name = meta.name || body.name || "program";
  const { params, sizes } = paramsOf(name, declaredOf(meta, name), shapes, meta.span);
  const tracing = new Tracing(name);
  const place = meta.span && { ...meta.span, note: "in the program at" };
  whileTracing(tracing, () =>
    tracing.at(place, () =>
      Reflect.apply(
        body,
        undefined,
        params.map((p) => new BufferObject(p)),
      ),
    ),
  );
  const program: Program = {
    name,
    params,
    sizes,
    buffers: tracing.buffers,
    ...(Object.keys(tracing.annotations).length > 0 ? { annotations: tracing.annotations } : {}),
    body: seq(...tracing.frame.body),
    ...(meta.span ? { span: meta.span } : {}),
  };
  checkProgram(program);
  return program;
}

/**
 * A program of loop nests and blocks, for a schedule to rewrite: what its function says, traced at once. `shapes` gives each parameter's extents by its name;
 * left out, every extent is a size that only a launch knows. W5501–W5519.
 */
export function program(body: Body): Program;
export function program(shapes: Shapes, body: Body): Program;
export function program(first: Shapes | Body, second?: Body): Program {
  refuseMore(program, arguments);
  const [shapes, body] = second === undefined && typeof first === "function" ? [undefined, first] : [first as Shapes, second];
  const meta = functionMeta(body);
  if (typeof body !== "function" || !meta) {
    const got = typeof body === "function" ? "a function that did not go through the transform" : describe(body);
    return fail(
      "W5502",
      { got, file: typeof body === "function" && otherRuntime() === undefined ? placeOnStack()[0]?.file : undefined },
      placeOnStack(),
    );
  }
  return withinStack(
    () => traced(meta, body, shapes),
    () => fail("W2055", { kernel: meta.name || "the program" }, meta.span ? [meta.span] : []),
  );
}
