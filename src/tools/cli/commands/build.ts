import { Command } from "commander";
import type { BuildCommandOptions } from "../options.ts";

export const buildCommand = (): Command =>
  new Command("build")
    .summary("compile kernels to PTX and cubins, with launchers for Node, C++ and Python")
    .description(
      "Runs a file that exports what is to be built, such as export default build({ gemm: gemm.at(…) }), and writes its kernels to a folder: PTX, cubins where a ptxas is found, a manifest, and launchers that need neither this package's compiler nor a CUDA toolkit.",
    )
    .argument("<file>", "the file, such as kernels.ts")
    .option("--out <folder>", "where the build goes", "dist")
    .option("--for <languages>", "which launchers: node, cpp, python", "node,cpp,python")
    .option("--no-cubin", "write PTX alone, which the driver assembles when it is loaded")
    .option("--json", "print what was written as JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  warpsmith build kernels.ts --out dist/\n  warpsmith build kernels.ts --out native/ --for cpp,python",
    )
    .action(async (file: string, options: BuildCommandOptions) => {
      await (await import("../build.ts")).buildFile(file, options);
    });
