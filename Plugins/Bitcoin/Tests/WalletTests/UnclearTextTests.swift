import BitcoinProvider
import PaymentCore
import PaymentRouting
import PaymentSettlement
import PaymentStandards
import TestSupport
import Testing

/// A link with a part that could change the payment is paid with a person's consent only, by every payer.
@Suite("Bitcoin texts that are not clear")
struct UnclearTextTests {
    private static let bare = "bitcoin:bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4?amount=0.001"
    private static let texts = [
        "&currency=USD", "&CURRENCY=USD", "&curr%65ncy=USD", "&asset-id=ab", "&tokenAddress=ab", "&expires=1",
        "#&amount=0.1", "&payee=x",
    ].map { bare + $0 }

    /// Reads every text as this.
    private struct Fixed: InstructionReader {
        let instruction: PaymentInstruction
        func read(_ link: PaymentLink) -> InstructionReading { .instruction(instruction) }
    }

    /// A settler that must not be asked.
    private struct Untouched: PaymentSettler {
        let name = "untouched"
        func canSettle(_ kind: SettlementEndpoint.Kind, on network: String?) -> Bool { true }
        func feeLimit(for amount: Money, to kind: SettlementEndpoint.Kind) -> Money? { nil }
        func settle(_ settlement: Settlement) async throws -> SettlementState {
            Issue.record("the settler is asked to pay")
            throw PaymentError(.payer, "not to be asked")
        }
        func order(named name: String) async throws -> SettlementOrder? { nil }
        func order(paying endpoint: SettlementEndpoint) async throws -> SettlementOrder? { nil }
        func register(_ name: String) async throws {}
        func abandon(_ name: String) async throws -> SettlementState {
            throw PaymentError(.payer, "not to be asked")
        }
    }

    private let router: PaymentRouter

    init() throws {
        router = try PaymentRouter(
            BitcoinProvider(reader: StandardsReader()), over: NoNetwork(), readers: [StandardsReader()])
    }

    @Test("A text that the payer has not seen is no offer: of a name, of a payee's endpoint, inside another text")
    func unseen() throws {
        for text in Self.texts { #expect(SettlementOffer.offers(in: text, StandardsReader()).isEmpty, "\(text)") }
        #expect(SettlementOffer.offers(in: Self.bare, StandardsReader()).count == 1)
    }

    @Test("Several payments, and one that repeats, are no offer to pay once")
    func severalAndRepeated() throws {
        let link = try PaymentLink(Self.bare)
        guard case .instruction(let plain) = StandardsReader().read(link) else {
            Issue.record("not read")
            return
        }
        #expect(SettlementOffer.offers(in: link, Fixed(instruction: plain)).count == 1)
        var (several, repeated) = (plain, plain)
        several.payments = [.init(payee: plain.payee, amount: plain.amount), .init(payee: nil, amount: .open)]
        repeated.repeats = .init(every: 1, .month)
        for instruction in [several, repeated] {
            #expect(SettlementOffer.offers(in: link, Fixed(instruction: instruction)).isEmpty)
        }
    }

    @Test("It is refused by name, with every payer, and is one payment with the clear text", arguments: texts)
    func refused(text: String) async throws {
        guard case .matched(let route) = router.route(text), case .unclear(let reason) = route.match.trust,
            case .matched(let clear) = router.route(Self.bare)
        else {
            Issue.record("\(router.route(text).explanation)")
            return
        }
        #expect(!reason.isEmpty && clear.match.trust == .verified)
        #expect(route.match.reference == clear.match.reference)
        for payer in [
            Payer(policy: .firstWhateverItCosts, settler: Untouched()),
            Payer(chooser: { $0.options.first?.id }, settler: Untouched()),
        ] {
            await #expect {
                try await router.pay(text, as: payer)
            } throws: { ($0 as? PaymentError)?.code == .unclearText }
        }
        await #expect {
            try await router.pay(
                text, as: Payer(policy: .firstWhateverItCosts, settler: Untouched()), acceptingUnclear: true)
        } throws: { ($0 as? PaymentError)?.code == .noChooser }
    }
}
