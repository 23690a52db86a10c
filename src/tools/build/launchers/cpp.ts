/** The header for C++: its kernels as tables, and a method for each. */

import type { Im2colMap, TiledMap } from "../../../base/tensor-map.ts";
import type { DType } from "../../../base/types.ts";
import { mapNumbers } from "../../../cuda/offline.ts";
import type { ScalarParameterType } from "../../../runtime/index.ts";
import type { BuildManifest, BuiltParameter, Formula, KernelManifest, Slot } from "../../built/index.ts";
import { template } from "./template.ts";

const text = (value: string): string => JSON.stringify(value);
const list = (values: readonly (number | string)[]): string => `{${values.join(", ")}}`;
const dtype = (type: DType): string => `DType::${type === "bool" ? "boolean" : type}`;
const open = (values: readonly (number | null)[]): string => list(values.map((n) => n ?? -1));

/** The type of a method's parameter, and what makes the bytes of it. */
const scalars: Readonly<Record<ScalarParameterType, { readonly type: string; readonly make: string }>> = {
  pred: { type: "bool", make: "scalar_of" },
  i8: { type: "std::int8_t", make: "scalar_of" },
  u8: { type: "std::uint8_t", make: "scalar_of" },
  i16: { type: "std::int16_t", make: "scalar_of" },
  u16: { type: "std::uint16_t", make: "scalar_of" },
  i32: { type: "std::int32_t", make: "scalar_of" },
  u32: { type: "std::uint32_t", make: "scalar_of" },
  i64: { type: "std::int64_t", make: "scalar_of" },
  u64: { type: "std::uint64_t", make: "scalar_of" },
  f16: { type: "float", make: "f16_of" },
  bf16: { type: "float", make: "bf16_of" },
  f32: { type: "float", make: "float_of" },
  f64: { type: "double", make: "float_of" },
};

const parameterRow = (p: BuiltParameter): string =>
  p.kind === "tensor"
    ? `{${text(p.name)}, true, ${dtype(p.dtype)}, ${open(p.shape)}, ${open(p.strides)}, ${p.alignment}}`
    : `{${text(p.name)}, false, DType::u8, {}, {}, 1}`;

function mapRow({ map, resized }: Slot & { kind: "map" }): string {
  const { dims, strides, elementStrides } = map;
  const [box, lower, upper, channels, pixels] = windowOf(map);
  const { dtype: type, interleave, swizzle, promotion, fill } = mapNumbers(map);
  const extents = [list(dims), list(strides), list(elementStrides), box, lower, upper].join(", ");
  const numbers = [channels, pixels, interleave, swizzle, promotion, fill].join(", ");
  return `{${map.mode === "im2col"}, ${type}, ${extents}, ${numbers}, ${resized}}`;
}

const windowOf = (map: TiledMap | Im2colMap) =>
  map.mode === "tiled"
    ? ([list(map.box), "{}", "{}", 0, 0] as const)
    : (["{}", list(map.lower), list(map.upper), map.channels, map.pixels] as const);

function slotRow(slot: Slot, maps: readonly Slot[]): string {
  const dimension = "dimension" in slot ? slot.dimension : 0;
  const map = slot.kind === "map" ? maps.indexOf(slot) : -1;
  const value = slot.kind === "constant" ? `0x${Buffer.from(slot.value, "hex").reverse().toString("hex")}ull` : "0";
  return `{From::${slot.kind}, ${slot.bytes}, ${"of" in slot ? slot.of : 0}, ${dimension}, ${map}, ${value}}`;
}

const functions = { cdiv: "cdiv", min: "least", max: "most" } as const;
const operators = { add: "+", sub: "-", mul: "*", div: "/", rem: "%" } as const;

function expression(formula: Formula): string {
  if (typeof formula === "number") return `std::int64_t(${formula})`;
  if ("op" in formula) {
    const [a, b] = formula.args.map(expression);
    const { op } = formula;
    return op === "cdiv" || op === "min" || op === "max" ? `${functions[op]}(${a}, ${b})` : `(${a} ${operators[op]} ${b})`;
  }
  if (formula.shape !== undefined) return `a[${formula.of}].tensor->shape[${formula.shape}]`;
  if (formula.stride !== undefined) return `a[${formula.of}].tensor->strides[${formula.stride}]`;
  return `a[${formula.of}].scalar.number`;
}

function gridOf({ grid }: KernelManifest): string {
  if (!grid) return "nullptr";
  const named = grid.every((extent) => typeof extent === "number") ? "" : " a";
  return `[](const std::vector<Argument>&${named}) -> Grid { return {${grid.map(expression).join(", ")}}; }`;
}

function infoRow(name: string, kernel: KernelManifest): string {
  const { parameters, slots, ptx, cubin, block, cluster } = kernel;
  const maps = slots.filter((slot) => slot.kind === "map");
  const rows = (all: readonly string[]): string => `{${all.map((row) => `\n           ${row}`).join(",")}}`;
  const files = [ptx.file, ptx.sha256, cubin?.file, cubin?.sha256].map((s) => (s === undefined ? "nullptr" : text(s)));
  const flags = [kernel.nonPortableCluster, kernel.cooperative, kernel.waitsForPrevious].join(", ");
  return `      {${text(name)}, ${text(kernel.entry)}, ${files.join(", ")},
       ${rows(parameters.map(parameterRow))},
       ${rows(slots.map((slot) => slotRow(slot, maps)))},
       ${rows(maps.map(mapRow))},
       ${gridOf(kernel)},
       ${list(block)}, ${list(cluster)}, ${kernel.sharedBytes}, ${flags}}`;
}

const shapeText = (shape: readonly (number | null)[]): string => `[${shape.map((n) => n ?? "?").join(", ")}]`;

function method(name: string, { parameters, grid }: KernelManifest, index: number): string {
  const given = parameters.map((p) => (p.kind === "tensor" ? `const Tensor& ${p.name}` : `${scalars[p.type].type} ${p.name}`));
  const made = parameters.map((p) => `detail::${p.kind === "tensor" ? "tensor_of" : scalars[p.type].make}(${p.name})`);
  const lines = parameters.map((p) =>
    p.kind === "tensor"
      ? `  /// ${p.name}: ${p.dtype}${shapeText(p.shape)}, strides ${shapeText(p.strides)}, at a multiple of ${p.alignment} bytes`
      : `  /// ${p.name}: ${p.type === "pred" ? "bool" : p.type}`,
  );
  const how = grid ? "const Launch& how = {}" : "const Launch& how";
  return `${[...lines, ...(grid ? [] : ["  /// The build has no grid: how.grid says it."])].join("\n")}
  void ${name}(${[...given, how].join(", ")}) {
    run(${index}, {${made.join(", ")}}, how);
  }
`;
}

/** The text of the header. */
export function cppHeader({ id, name, version, device, kernels }: BuildManifest): string {
  const all = Object.entries(kernels);
  const [major, minor] = device.computeCapability;
  return template("launcher.hpp", {
    NAME: name,
    FIRST: all[0]?.[0] ?? "",
    VERSION: String(version),
    INFOS: `constexpr const char* id = ${text(id)};
constexpr Needed needed = {${text(device.target)}, ${text(device.architecture)}, ${major}, ${minor}, ${device.driver}};

inline const std::vector<Info>& infos() {
  static const std::vector<Info> all = {
${all.map(([kernel, info]) => infoRow(kernel, info)).join(",\n")}};
  return all;
}
`,
    METHODS: all.map(([kernel, info], i) => method(kernel, info, i)).join("\n"),
  });
}
