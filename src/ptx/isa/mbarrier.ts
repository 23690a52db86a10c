import { defineForms } from "./define-forms.ts";

/** PTX ISA 9.7.13.15. `arrive` keeps the default order, release at the scope of the block. */
export const mbarrierForms = defineForms({
  "mbarrier.init": { text: "mbarrier.init.shared::cta.b64", operands: ["addr", "s:u32"] },
  "mbarrier.inval": { text: "mbarrier.inval.shared::cta.b64", operands: ["addr"] },
  "mbarrier.arrive": {
    text: "mbarrier.arrive",
    modifiers: { space: ["shared::cta", "shared::cluster"], type: ["b64"] },
    operands: ["sink", "addr", "s?"],
  },
  "mbarrier.arrive.expect_tx": { text: "mbarrier.arrive.expect_tx.shared::cta.b64", operands: ["sink", "addr", "s:u32"] },
  "mbarrier.expect_tx": { text: "mbarrier.expect_tx.relaxed.cta.shared::cta.b64", operands: ["addr", "s:u32"] },
  "mbarrier.test_wait": { text: "mbarrier.test_wait.parity.shared::cta.b64", operands: ["dp", "addr", "s:u32"] },
  "mbarrier.try_wait": { text: "mbarrier.try_wait.parity.shared::cta.b64", operands: ["dp", "addr", "s:u32"] },
});
