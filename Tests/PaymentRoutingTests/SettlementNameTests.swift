import PaymentCore
import PaymentSettlement
import TestSupport
import Testing

/// Payments are named by what their links offer.
@Suite("Names of payments by their offers")
struct SettlementNameTests {
    private static func offer(
        _ kind: SettlementEndpoint.Kind, _ text: String, _ amount: PaymentInstruction.Amount = .open,
        hash: String? = nil, label: String? = nil
    ) -> SettlementOffer {
        SettlementOffer(
            endpoint: SettlementEndpoint(kind, text: text, paymentHash: hash), amount: amount, expiresAt: nil,
            label: label)
    }

    private static let (fixed, other) = (
        PaymentInstruction.Amount.fixed(.cents(2100, .satoshi)), PaymentInstruction.Amount.fixed(.cents(500, .satoshi))
    )

    @Test("Without an offer there is no name")
    func none() { #expect(LinkMatch(settling: []) == nil) }

    @Test(
        "The first invoice names the payment, then an address, then the first offer; without an amount it is a payee",
        arguments: [
            (
                [offer(.bitcoinAddress, "bc1"), offer(.bolt11, "ln", hash: "aa"), offer(.bolt11, "ln2", hash: "bb")],
                "aa", false
            ),
            ([offer(.lnurl, "url"), offer(.bitcoinAddress, "bc1"), offer(.bitcoinAddress, "bc2")], "bc1", true),
            ([offer(.bolt12Offer, "lno"), offer(.lnurl, "url")], "lno", true),
            ([offer(.bitcoinAddress, "bc1", fixed), offer(.lnurl, "url", other)], "bc1:2100", false),
            ([offer(.lnurl, "url"), offer(.bitcoinAddress, "bc1", other)], "bc1:500", false),
        ] as [([SettlementOffer], String, Bool)])
    func name(offers: [SettlementOffer], reference: String, namesPayee: Bool) throws {
        let match = try #require(LinkMatch(settling: offers))
        #expect(match.reference == reference && (match.payee != nil) == namesPayee && match.holdsSecret == false)
    }

    @Test("A label is a part of the name where the amount is fixed, and of no other")
    func label() throws {
        let labelled = try #require(LinkMatch(settling: [Self.offer(.lnurl, "url", Self.fixed, label: "1:a")]))
        let reference = try #require(labelled.reference)
        #expect(reference.hasPrefix("url:2100:") && reference.utf8.count == "url:2100:".utf8.count + 32)
        #expect(labelled.holdsSecret == false && labelled.payee == nil)
        #expect(LinkMatch(settling: [Self.offer(.lnurl, "url", label: "1:a")])?.reference == "url")
        let exact = try Money(minorUnits: 2_100_000, currency: .satoshi, exponent: 11)
        #expect(LinkMatch(settling: [Self.offer(.lnurl, "url", .fixed(exact))])?.reference == "url:2100000e11")
    }
}
