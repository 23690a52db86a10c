import { afterEach, describe, expect, it, vi } from "vitest";
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";
import { openFake } from "../../cuda/open-fake.ts";

afterEach(() => void vi.unstubAllEnvs());

const fill = kernel({ block: 256, grid: 8 }, function fill(x: Tensor<"f32", 1>) {
  x[threadIdx.x] = 1;
});
const options = {
  devices: [{ name: "NVIDIA H100 80GB HBM3", major: 9, minor: 0 }],
  kernels: { fill: { parameterBytes: [8], registers: 96, localBytes: 16 } },
};
const said =
  "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to wgmma pipeline crossing function boundary at a function call in the function 'fill'";

describe("without a ptxas", () => {
  it("a device that is open says what its assembler made, and whose roof is meant", async () => {
    vi.stubEnv("WARPSMITH_PTXAS", "/nowhere/ptxas");
    const { device, fake } = await openFake(options);
    fake.jitInfo = said;
    const { assembled, occupancy, roofline, remarks } = fill.compile(tensorSpec("f32", [256])).report();
    expect(assembled).toMatchObject({
      by: "device",
      registers: 96,
      localBytes: 16,
      barriers: undefined,
      spillStoreBytes: undefined,
    });
    expect([occupancy.blocks, occupancy.exact, occupancy.limitedBy]).toEqual([2, true, ["registers"]]);
    expect(roofline?.gpu).toBe("H100");
    expect(remarks.map(({ code }) => code)).toEqual(["R6301"]);
    expect(remarks[0]?.message).toContain("(C7510): products are under way where a function is called.");
    await device.dispose();
    expect(fill.compile(tensorSpec("f32", [256])).report().assembled).toBeUndefined();
  });

  it("remarks of a program tell what its assembler said", async () => {
    vi.stubEnv("WARPSMITH_PTXAS", "/nowhere/ptxas");
    vi.stubEnv("WARPSMITH_STAGES", "remarks");
    const { device, fake } = await openFake(options);
    fake.jitInfo = said;
    const error = vi.spyOn(console, "error").mockImplementation(() => {});
    using x = device.zeros("f32", [256]);
    fill.launch({}, x);
    fill.launch({}, x);
    expect(error.mock.calls.map(([text]) => String(text).split("  ")[0])).toEqual(["R6301"]);
    error.mockRestore();
    x.dispose();
    await device.dispose();
  });
});
