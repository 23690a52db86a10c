/** Imported for its effect: CUDA devices become known to `openDevice`. The driver is looked for only when one is asked for. */
import { registerCuda } from "./index.ts";

registerCuda();
