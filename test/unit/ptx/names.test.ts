import { describe, expect, it } from "vitest";
import { demangle, findNamed, shortened, shortName } from "../../../src/ptx/names/index.ts";

/** What c++filt of binutils writes. */
const names: readonly (readonly [mangled: string, text: string])[] = [
  ["_Z5saxpyifPKfPf", "saxpy(int, float, float const*, float*)"],
  ["_Z1kv", "k()"],
  ["_ZL4coef", "coef"],
  ["_ZN2ns7counterE", "ns::counter"],
  ["_ZN12_GLOBAL__N_13addEPKfPfi", "(anonymous namespace)::add(float const*, float*, int)"],
  ["_ZN2ns4polyIfEEv6ParamsPT_", "void ns::poly<float>(Params, float*)"],
  ["_Z6kernelILi4ELb1ELj7EfEvPT2_S1_i", "void kernel<4, true, 7u, float>(float*, float*, int)"],
  ["_Z4callPFvifEPA4_A2_KfRVs", "call(void (*)(int, float), float const (*) [4][2], short volatile&)"],
  ["_Z4memoM1AFivEMS_i", "memo(int (A::*)(), int A::*)"],
  ["_ZN1AC1ERKS_", "A::A(A const&)"],
  ["_ZN1AIiED2Ev", "A<int>::~A()"],
  ["_ZNK1AixEm", "A::operator[](unsigned long) const"],
  ["_ZN1AcvbEv", "A::operator bool()"],
  ["_ZZ9clusteredE1s", "clustered::s"],
  ["_ZZN2ns1kIfEEvPT_E4tile", "ns::k<float>(float*)::tile"],
  ["_ZZ4mainENKUliE_clEi", "main::{lambda(int)#1}::operator()(int) const"],
  ["_Z1fIJifdEEvDpT_", "void f<int, float, double>(int, float, double)"],
  ["_Z1fIXaaltLi4ELi3EneLi1ELi2EEEvv", "void f<((4)<(3))&&((1)!=(2))>()"],
  [
    "_ZN7cutlass13device_kernelINS_4gemm6kernel4GemmIN4cute5tupleIJNS4_1CILi128EEES7_NS6_ILi64EEEEEEEEEEvNT_6ParamsE",
    "void cutlass::device_kernel<cutlass::gemm::kernel::Gemm<cute::tuple<cute::C<128>, cute::C<128>, cute::C<64> > > >(cutlass::gemm::kernel::Gemm<cute::tuple<cute::C<128>, cute::C<128>, cute::C<64> > >::Params)",
  ],
];

describe("demangle", () => {
  it.each(names)("%s", (mangled, text) => expect(demangle(mangled).text).toBe(text));

  it("leaves alone what is not mangled, or not as the ABI says", () => {
    for (const name of ["k", "matmul_kernel", "_Z", "_Zq", "_Z5ab", "_ZN1", "_Z1fS_", "_Z1fT_", `_Z1f${"P".repeat(300)}i`])
      expect(demangle(name)).toEqual({ text: name, name });
  });

  it("names that double with each reference end", () => {
    let mangled = "_Z1fI1aS_";
    for (let i = 0; i < 40; i++) mangled += `I${"S_".repeat(2)}`;
    expect(demangle(mangled).text).toBe(mangled);
  });
});

describe("what stands in messages", () => {
  it("has no parameters, and no middle where it is long", () => {
    expect(shortName("_ZN2ns4polyIfEEv6ParamsPT_")).toBe("ns::poly<float>");
    const [mangled = ""] = names.at(-1) ?? [];
    expect(shortName(mangled)).toHaveLength(80);
    expect(shortName(mangled)).toMatch(/^cutlass::device_kernel<.*….*> > >$/);
    expect(shortened("abcdef", 5)).toBe("ab…ef");
  });
});

describe("findNamed", () => {
  const items = ["_ZN2ns4polyIfEEv6ParamsPT_", "_ZN2ns4polyIdEEv6ParamsPT_", "_ZN1a1kEi", "_ZN1b1kEi", "k"].map((name) => ({
    name,
  }));
  it.each([
    ["_ZN1a1kEi", ["_ZN1a1kEi"]],
    ["k", ["k"]],
    ["a::k", ["_ZN1a1kEi"]],
    ["k(int)", ["_ZN1a1kEi", "_ZN1b1kEi"]],
    ["poly", ["_ZN2ns4polyIfEEv6ParamsPT_", "_ZN2ns4polyIdEEv6ParamsPT_"]],
    ["poly<double>", ["_ZN2ns4polyIdEEv6ParamsPT_"]],
    ["ns::poly<float>", ["_ZN2ns4polyIfEEv6ParamsPT_"]],
    ["ns::poly<float>( Params, float * )", ["_ZN2ns4polyIfEEv6ParamsPT_"]],
    ["nothing", []],
  ])("%s", (wanted, found) => expect(findNamed(items, wanted).map((item) => item.name)).toEqual(found));
});
