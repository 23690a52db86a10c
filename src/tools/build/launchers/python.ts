/** The module for Python: a method for each kernel. What it launches stands in the manifest. ../write-build.ts writes it. */
import type { BuildManifest, KernelManifest } from "../../built/index.ts";
import { template } from "./template.ts";

const shapeText = (shape: readonly (number | null)[]): string => `[${shape.map((n) => n ?? "?").join(", ")}]`;

function method(name: string, { parameters, grid }: KernelManifest): string {
  const names = parameters.map((p) => p.name);
  const lines = parameters.map((p) =>
    p.kind === "tensor"
      ? `        ${p.name}: ${p.dtype}${shapeText(p.shape)}, strides ${shapeText(p.strides)}, at a multiple of ${p.alignment} bytes`
      : `        ${p.name}: ${p.type === "pred" ? "bool" : p.type}`,
  );
  const given = names.length === 1 ? `(${names[0]},)` : `(${names.join(", ")})`;
  return `    def ${name}(${["self", ...names, "*", "stream=None", `grid${grid ? "=None" : ""}`, "overlap_previous=False"].join(", ")}):
        """Launches the kernel ${name}.

${lines.join("\n")}
        """
        self._launch("${name}", ${given}, stream, grid, overlap_previous)
`;
}

/** The text of the module. */
export function pythonModule({ id, name, version, kernels }: BuildManifest): string {
  const all = Object.entries(kernels);
  return template("launcher.py", {
    NAME: name,
    FIRST: all[0]?.[0] ?? "",
    ID: id,
    VERSION: String(version),
    KERNELS: all.map(([kernel, info]) => method(kernel, info)).join("\n"),
  });
}
