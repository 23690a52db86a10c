// A launch spread over the worker threads of the installed package; nothing is disposed of, and yet the process ends.
import { EmulatorDevice, ownThreads } from "./node_modules/warpsmith/dist/entries/inside.js";

const own = ownThreads();
let posted = 0;
const start = (told, lost) => {
  const worker = own.start(told, lost);
  return {
    ...worker,
    post(message) {
      posted += 1;
      worker.post(message);
    },
  };
};
const device = new EmulatorDevice({ workers: { count: 2, start }, patience: { trial: 0, rest: 0, start: 0 } });
const ptx = `.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out) {
  .reg .u64 %a, %b; .reg .u32 %i;
  ld.param.u64 %a, [out]; mov.u32 %i, %ctaid.x; mul.wide.u32 %b, %i, 4; add.u64 %a, %a, %b; mul.lo.u32 %i, %i, 3;
  st.global.u32 [%a], %i; exit;
}`;
const out = device.allocate(32);
const module = device.loadModule(ptx, { entry: "k", kernel: "k", parameterBytes: [8], dynamicSharedBytes: 0 });
const parameters = device.parameters(module);
parameters.views[0].setBigUint64(0, out, true);
const stream = device.defaultStream;
const rest = { cluster: [1, 1, 1], sharedBytes: 0, stream, overlapPrevious: false, spans: [] };
device.launch({ module, parameters, grid: [8, 1, 1], block: [1, 1, 1], ...rest });
const bytes = await device.download(stream, out, 32);
console.log(posted, new Uint32Array(bytes.buffer, bytes.byteOffset, 8).join(" "));
