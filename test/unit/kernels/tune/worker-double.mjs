// A worker of `warpsmith tune` without a device: a candidate says what becomes of it.
const send = (answer) => new Promise((done) => process.send(answer, () => done()));
const { problem } = JSON.parse(process.argv[2]);
if (problem === "no device") {
  await send({ answer: "failed", reason: "there is no device" });
  process.exit(1);
}
process.on("message", async ({ ask, candidate, candidates }) => {
  if (ask === "time") return send({ answer: "times", times: candidates.map(({ us }) => us) });
  if (candidate.does === "hangs") return undefined;
  if (candidate.does === "faults") {
    console.error("an illegal address");
    process.exit(7);
  }
  const reason = candidate.does === "right" ? {} : { reason: "because" };
  return send({ answer: "verdict", verdict: { outcome: candidate.does, ...reason } });
});
await send({ answer: "ready", device: "a double", multiprocessors: 4, emulated: false });
