import PaymentCore
import PaymentSettlement
import TestSupport
import Testing

/// The amounts that an offer asks for.
@Suite("Offers of a payee")
struct SettlementOfferTests {
    private static func satoshi(_ units: UInt128, _ exponent: UInt8 = 8) throws -> Money {
        try Money(minorUnits: units, currency: .satoshi, exponent: exponent)
    }

    private static func takes(_ money: Money, _ amount: PaymentInstruction.Amount) -> Bool {
        SettlementOffer(
            endpoint: SettlementEndpoint(.lightningAddress, text: "ann@pay.example"), amount: amount, expiresAt: nil
        ).takes(money)
    }

    @Test("A fixed amount is taken exactly, in bitcoin, and never nothing")
    func fixed() throws {
        let amount = PaymentInstruction.Amount.fixed(try Self.satoshi(2100))
        #expect(try Self.takes(Self.satoshi(2100), amount) && !Self.takes(Self.satoshi(2101), amount))
        #expect(try !Self.takes(Self.satoshi(2_100_000, 11), amount))
        #expect(!Self.takes(.cents(5), .fixed(.cents(5))))
        #expect(try !Self.takes(Self.satoshi(0), .fixed(Self.satoshi(0))))
        #expect(try Self.takes(Self.satoshi(1), .fixed(Self.satoshi(1))))
    }

    @Test("A least amount and more are taken, in its own unit")
    func minimum() throws {
        let amount = PaymentInstruction.Amount.minimum(try Self.satoshi(500))
        #expect(try Self.takes(Self.satoshi(500), amount) && Self.takes(Self.satoshi(501), amount))
        #expect(try !Self.takes(Self.satoshi(499), amount) && !Self.takes(Self.satoshi(500_000, 11), amount))
    }

    @Test("An open amount is any in whole satoshis, and one that cannot be counted is none")
    func open() throws {
        for amount in [PaymentInstruction.Amount.open, .suggested(try Self.satoshi(500)), .onService] {
            #expect(try Self.takes(Self.satoshi(1), amount) && !Self.takes(Self.satoshi(1000, 11), amount))
            #expect(try !Self.takes(Self.satoshi(0), amount))
        }
        #expect(try !Self.takes(Self.satoshi(1), .uncounted(digits: "1", unit: "x")))
    }

    // MARK: Reading

    /// Knows these texts.
    private struct Reader: InstructionReader {
        let known: [String: PaymentInstruction]
        func read(_ link: PaymentLink) -> InstructionReading { known[link.text].map { .instruction($0) } ?? .none }
    }

    private static func offers(_ text: String, _ known: [String: PaymentInstruction]) -> [SettlementOffer] {
        SettlementOffer.offers(in: text, Reader(known: known))
    }

    private static func instruction(
        _ standard: String, _ fields: InstructionFields = [:], _ amount: PaymentInstruction.Amount = .open,
        account: String? = nil
    ) -> PaymentInstruction {
        var instruction = PaymentInstruction(standard: standard, fields: fields)
        instruction.amount = amount
        instruction.payee = account.map { PaymentInstruction.Payee(account: $0) }
        return instruction
    }

    @Test("An invoice is an offer only with its hash, and only where the reader is to pay")
    func invoices() {
        let sound = Self.instruction("bolt11", ["paymentHash": "aa"])
        let offers = Self.offers("lightning:ln1", ["lightning:ln1": sound])
        #expect(offers.map(\.endpoint) == [SettlementEndpoint(.bolt11, text: "ln1", paymentHash: "aa")])
        var pull = sound
        pull.purpose = .pull
        #expect(Self.offers("lightning:ln1", ["lightning:ln1": pull]).isEmpty)
        #expect(Self.offers("lightning:ln1", ["lightning:ln1": Self.instruction("bolt11")]).isEmpty)
    }

    @Test("An address is an offer where it can be no other coin's")
    func addresses() {
        let sound = Self.instruction("bitcoin-address", account: "1a")
        #expect(Self.offers("1a", ["1a": sound]).map(\.endpoint.text) == ["1a"])
        var unclear = sound
        unclear.otherReadings = ["other"]
        #expect(Self.offers("1a", ["1a": unclear]).isEmpty)
        #expect(Self.offers("1a", ["1a": Self.instruction("bitcoin-address", account: "")]).isEmpty)
    }

    @Test("Of several addresses of a link the first in the order of their texts is paid")
    func listed() {
        var known = ["bitcoin:x": Self.instruction("bip321", ["bc": ["bc1b", "bc1a"]])]
        for address in ["bc1a", "bc1b"] {
            known["bitcoin:" + address] = Self.instruction("bip321", ["address": .string(address)])
        }
        #expect(Self.offers("bitcoin:x", known).map(\.endpoint.text) == ["bc1a"])
    }

    @Test("An invoice over an amount fits a link that states none or the same, and no other")
    func amounts() throws {
        let fixed = PaymentInstruction.Amount.fixed(try Self.satoshi(2100))
        for (amount, count) in [(.open, 2), (fixed, 2), (.fixed(try Self.satoshi(2101)), 0)]
            as [(PaymentInstruction.Amount, Int)]
        {
            let known = [
                "bitcoin:x": Self.instruction("bip321", ["address": "bc1a", "lightning": "ln1"], amount),
                "lightning:ln1": Self.instruction("bolt11", ["paymentHash": "aa"], fixed),
            ]
            #expect(Self.offers("bitcoin:x", known).count == count, "\(amount)")
        }
    }

    @Test("An endpoint is read again by its scheme, and then as a bare text")
    func again() throws {
        let address = SettlementEndpoint(.bitcoinAddress, text: "bc1a")
        let invoice = SettlementEndpoint(.bolt11, text: "ln1", paymentHash: "aa")
        let fixed = PaymentInstruction.Amount.fixed(try Self.satoshi(2100))
        var known = [
            "bitcoin:bc1a": Self.instruction("bip321", ["address": "bc1a"]),
            "lightning:ln1": Self.instruction("bolt11", ["paymentHash": "aa"], fixed),
        ]
        for endpoint in [address, invoice] {
            #expect(SettlementOffer.offer(endpoint, Reader(known: known))?.endpoint == endpoint)
        }
        known["ln1"] = Self.instruction("bolt11", ["paymentHash": "aa"])
        #expect(SettlementOffer.offer(invoice, Reader(known: known))?.amount == fixed)
    }
}
