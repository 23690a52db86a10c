import { describe, expect, it } from "vitest";
import type { EmulatorOptions } from "../../../../../src/emulator/index.ts";
import type { Kernel } from "../../run-ptx.ts";
import { expectMarked, findings } from "./finds.ts";

/** One thread initialises barriers of one arrival at 0 and 8 of shared memory; everybody sees them. */
const barriers = (count = 1) => `
  mov.u32 %r20, smem;
  setp.eq.u32 %p9, %tid, 0;
  @%p9 mbarrier.init.shared::cta.b64 [%r20], ${count};
  @%p9 mbarrier.init.shared::cta.b64 [%r20+8], ${count};
  @%p9 fence.mbarrier_init.release.cluster;
  bar.sync 0;`;
const arrive = (at = 0) => `mbarrier.arrive.shared::cta.b64 _, [%r20+${at}];`;
let labels = 0;
const wait = (parity: number, at = 0, mark = "") => `
$w${++labels}:
  mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r20+${at}], ${parity}; ${mark}
  @!%p1 bra $w${labels};`;
const kernel = (body: string, rest: Partial<Kernel> = {}): Kernel => ({
  body: `${barriers()}\n${body}`,
  outputBytes: 256,
  sharedBytes: 4096,
  ...rest,
});
const schedules = (["eager", "lazy", "torn", 1] as const).map((schedule): [EmulatorOptions] => [{ schedule }]);

describe("phases that a parity cannot tell apart", () => {
  const two = { block: [64, 1, 1] as const };
  /** Warp 0 starts `phases` phases without waiting for warp 1, which then asks for the first one. */
  const ahead = (phases: number, mark: string, between = "") =>
    kernel(
      `
  setp.ge.u32 %p8, %tid, 32;
  @%p8 bra $consumer;
  ${Array.from({ length: phases }, () => `@%p9 ${arrive()}`).join("\n  ")}
  bar.sync 1, 64;
  bra $end;
$consumer:
  ${between === "" ? "bar.arrive 1, 64;" : "bar.sync 1, 64;"}
  mov.u32 %r5, 0;
$spin:
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %p2, %r5, 3000;
  @%p2 bra $spin;
  mbarrier.test_wait.parity.shared::cta.b64 %p1, [%r20], 0; ${mark}
$end:`,
      two,
    );
  it("two phases ahead of a warp that has seen none", async () => {
    await expectMarked(ahead(2, "// W9214"));
    await expectMarked(ahead(1, ""));
  });
  it("whoever has heard of the phases by another barrier means the next", async () => {
    // Warp 0 waits itself, so that it has something to pass on.
    const body = (pass: string, mark: string) =>
      kernel(
        `
  setp.ge.u32 %p8, %tid, 32;
  @%p8 bra $consumer;
  @%p9 ${arrive()}
  ${wait(0)}
  @%p9 ${arrive()}
  ${wait(1)}
  @%p9 ${arrive()}
  ${pass === "sync" ? "bar.arrive 1, 64;" : ""}
  bra $end;
$consumer:
  ${pass === "sync" ? "bar.sync 1, 64;" : ""}
  mov.u32 %r5, 0;
$spin:
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %p2, %r5, 3000;
  @%p2 bra $spin;
  mbarrier.test_wait.parity.shared::cta.b64 %p1, [%r20], 0; ${mark}
$end:`,
        two,
      );
    await expectMarked(body("", "// W9214"));
    await expectMarked(body("sync", ""));
  });
  it("a producer that asks for the phase before the first", async () => {
    await expectMarked(kernel(wait(1)));
    await expectMarked(kernel(`@%p9 ${arrive()}\n@%p9 ${arrive()}\n${wait(1)}`));
  });
  it("one thread that arrives again and again, and waits for the last alone", async () => {
    await expectMarked(kernel(`${arrive()}\n${arrive()}\n${arrive()}\n${wait(0)}`, { block: [1, 1, 1] }));
  });
  it("a state is good for its phase and the next", async () => {
    const body = (more: string, mark: string) =>
      kernel(
        `mbarrier.arrive.shared::cta.b64 %d1, [%r20];
  ${arrive()}
  ${more}
  mbarrier.test_wait.shared::cta.b64 %p1, [%r20], %d1; ${mark}`,
        { block: [1, 1, 1] },
      );
    await expectMarked(body("", "// W9214"));
    await expectMarked(
      kernel("mbarrier.arrive.shared::cta.b64 %d1, [%r20];\n  mbarrier.test_wait.shared::cta.b64 %p1, [%r20], %d1;", {
        block: [1, 1, 1],
      }),
    );
  });
});

describe("bytes that nobody expects", () => {
  const load = (at: number) =>
    `@%p9 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r20+${at}], [%in], 16, [%r20];`;
  it.each(schedules)("a phase that ends with copies under way: %o", async (options) => {
    const body = (bytes: number, mark: string) =>
      kernel(
        `
  @%p9 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r20], ${bytes};
  ${load(64)}
  ${load(80)} ${mark}
  ${wait(0)}
  @%p9 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r20], 32;
  ${load(64)}
  ${load(80)}
  ${wait(1)}`,
        { options },
      );
    const found = await findings(body(16, ""));
    expect(found.map((one) => one.code)).toContain("W9215");
    await expectMarked(body(16, "// W9215"), "normal", ["W9208", "W9204", "W9216"]);
    await expectMarked(body(32, ""));
  });
  it.each(schedules)("bytes may come before they are expected: %o", async (options) => {
    await expectMarked(
      kernel(
        `
  ${load(64)}
  @%p9 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r20], 16;
  ${wait(0)}
  ${load(64)}
  @%p9 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r20], 16;
  ${wait(1)}`,
        { options },
      ),
    );
  });
});

describe("the memory of a live mbarrier", () => {
  const only = (body: string, mark: string) => kernel(`  @%p9 ${body} ${mark}`);
  it("reads, writes, atomics and copies", async () => {
    await expectMarked(only("st.shared.u32 [%r20+12], 1;", "// W9213"), "normal", ["W9201"]);
    await expectMarked(only("ld.shared.u32 %r1, [%r20+4];", "// W9213"));
    await expectMarked(only("atom.shared.add.u32 %r1, [%r20], 1;", "// W9213"), "normal", ["W9201"]);
    await expectMarked(only("st.shared.u32 [%r20+16], 1;", ""));
    await expectMarked(
      only(
        "cp.async.bulk.global.shared::cta.bulk_group [%out], [%r20], 16;",
        "// W9213\n  @%p9 cp.async.bulk.commit_group;\n  @%p9 cp.async.bulk.wait_group 0;",
      ),
      "normal",
      ["W9202"],
    );
  });
  it("is for others once it is invalid", async () => {
    await expectMarked(only("mbarrier.inval.shared::cta.b64 [%r20+8];\n  @%p9 st.shared.u32 [%r20+8], 1;", ""));
  });
});

describe("mbarriers that are given up", () => {
  it("while another warp waits", async () => {
    const body = (sync: string, mark: string) =>
      kernel(
        `
  setp.ge.u32 %p8, %tid, 32;
  @%p8 bra $waiter;
  mov.u32 %r5, 0;
$spin:
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %p2, %r5, 3000;
  @%p2 bra $spin;
  ${sync}
  @%p9 mbarrier.inval.shared::cta.b64 [%r20]; ${mark}
  bra $end;
$waiter:
  ${wait(0)}
  bar.arrive 1, 64;
$end:`,
        { block: [64, 1, 1] },
      );
    await expectMarked(body("", "// W9219"), "normal", ["W9102"]);
    await expectMarked(body(`@%p9 ${arrive()}\n  bar.sync 1, 64;`, ""));
  });
  it.each(schedules)("before copies that complete it have been waited for: %o", async (options) => {
    const body = (waits: string, mark: string) =>
      kernel(
        `
  @%p9 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r20], 16;
  @%p9 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r20+64], [%in], 16, [%r20];
  ${waits}
  @%p9 mbarrier.inval.shared::cta.b64 [%r20]; ${mark}`,
        { options },
      );
    await expectMarked(body("", "// W9219"), "normal", ["W9216", "W9102"]);
    await expectMarked(body(`${wait(0)}\n  bar.warp.sync -1;`, ""));
  });
});

describe("barriers of peers", () => {
  it("may be arrived at, not waited at", async () => {
    const body = (use: string) =>
      kernel(
        `
  mov.u32 %r1, %cluster_ctarank;
  xor.b32 %r1, %r1, 1;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.acquire.aligned;
  mapa.shared::cluster.u32 %r2, %r20, %r1;
  ${use}
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.acquire.aligned;`,
        { cluster: [2, 1, 1], grid: [2, 1, 1] },
      );
    const [found] = await findings(body("mbarrier.test_wait.parity.shared::cta.b64 %p1, [%r2], 1;"));
    expect(found).toMatchObject({ code: "W9003", message: expect.stringMatching(/waits at the mbarrier .* of another block/) });
    await expectMarked(body("@%p9 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r2];"));
  });
});
