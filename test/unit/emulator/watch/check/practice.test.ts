import { expect, it } from "vitest";
import { openDevice } from "../../../../../src/index.ts";
import { practiceFacts, runFact } from "../../../../cases/ptx/index.ts";
import { some } from "../../../../support/amount.ts";

const seeds = Array.from({ length: 12 }, (_, seed) => seed + 1);
const schedules = ["eager", "lazy", "torn", ...some(seeds, 1)] as const;

/** What `strict` says of those that it does not let pass. */
const inStrict: Readonly<Record<string, string>> = {
  "block/arrive-then-sync": "W9226",
  "shared/same-value": "W9201",
  "bulk/store-by-warp": "W9208",
  "bulk/store-left-by-its-block": "W9216",
  "wgmma/copied-operands": "W9202",
};

it.each(practiceFacts.map((fact) => [fact.name, fact] as const))(
  "%s: silent in normal, right under every schedule",
  async (_, fact) => {
    for (const check of ["off", "normal"] as const) {
      for (const schedule of schedules) {
        const device = await openDevice("emulator", { check, schedule });
        const answer = [...(await runFact(device, fact))];
        await device.dispose();
        expect(answer, `${check}, ${schedule}`).toEqual(fact.expected);
      }
    }
  },
);

it.each(practiceFacts.map((fact) => [fact.name, fact] as const))("%s: what strict says", async (name, fact) => {
  const device = await openDevice("emulator", { check: "strict" });
  const found = await runFact(device, fact).then(
    () => "",
    (error: Error) => error.message,
  );
  await device.dispose();
  const code = inStrict[name];
  if (code === undefined) expect(found).toBe("");
  else expect(found).toMatch(new RegExp(`^${code} .*working code does this, and the hardware lets it`, "s"));
});
