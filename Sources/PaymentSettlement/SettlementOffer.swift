package import PaymentCore
import PaymentCrypto

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// One way for a settler to meet the demand of a payment text, as the text's standard reads it.
package struct SettlementOffer: Sendable, Hashable {
    /// The destination of the money.
    package let endpoint: SettlementEndpoint
    /// The amount.
    package let amount: PaymentInstruction.Amount
    /// The end of the offer; nil for none.
    package let expiresAt: Date?
    /// The payee's texts that tell payments of one amount to one address apart, such as a label; nil for none.
    let label: String?
    /// The parts of the text that are not known and could change the payment, for people; nil for none.
    package var unclear: String?

    package init(
        endpoint: SettlementEndpoint, amount: PaymentInstruction.Amount, expiresAt: Date?, label: String? = nil
    ) {
        self.endpoint = endpoint
        self.amount = amount
        self.expiresAt = expiresAt
        self.label = label
    }

    /// Returns the ways to settle `text`. Empty if it is not a valid and clear text of a standard that settlers pay.
    /// The payer has not seen the text: it comes from a payee, a name or another text.
    ///
    /// - Parameters:
    ///   - text: an invoice, an address, a `bitcoin:` or `lightning:` link.
    ///   - reader: reads payment standards, with their checksums and signatures.
    package static func offers(in text: String, _ reader: any InstructionReader) -> [SettlementOffer] {
        guard let link = try? PaymentLink(text) else { return [] }
        return offers(in: link, reader).filter { $0.unclear == nil }
    }

    /// Returns the same for a link that the payer gives. The payer must consent to ``unclear`` parts.
    package static func offers(in link: PaymentLink, _ reader: any InstructionReader) -> [SettlementOffer] {
        guard case .instruction(let instruction) = reader.read(link), instruction.purpose == .payment,
            instruction.payments.isEmpty, instruction.repeats == nil
        else { return [] }
        var offers = offers(of: instruction, link, reader)
        if !instruction.unclear.isEmpty {
            let names = instruction.unclear.map(\.name).joined(separator: ", ")
            for index in offers.indices { offers[index].unclear = names }
        }
        return offers
    }

    private static func offers(
        of instruction: PaymentInstruction, _ link: PaymentLink, _ reader: any InstructionReader
    ) -> [SettlementOffer] {
        switch instruction.standard {
        case "bip321": return chain(instruction, reader)
        // Without the scheme it could be another coin's address.
        case "bitcoin-address" where instruction.otherReadings.isEmpty:
            return [endpoint(.bitcoinAddress, instruction.payee?.account, instruction)].compactMap(\.self)
        case "bolt11": return [endpoint(.bolt11, payload(of: link), instruction)].compactMap(\.self)
        case "bolt12-offer": return [endpoint(.bolt12Offer, payload(of: link), instruction)].compactMap(\.self)
        case "lnurl":
            let name = instruction.payee?.account.flatMap { $0.contains("@") ? $0 : nil }
            let kind = name == nil ? SettlementEndpoint.Kind.lnurl : .lightningAddress
            return [endpoint(kind, name ?? payload(of: link), instruction)].compactMap(\.self)
        default: return []
        }
    }

    /// Returns the one offer for exactly this endpoint, read again from its own text; nil if that text does not contain
    /// it.
    package static func offer(
        _ endpoint: SettlementEndpoint, _ reader: any InstructionReader
    ) -> SettlementOffer? {
        let scheme = endpoint.kind == .bitcoinAddress ? "bitcoin:" : "lightning:"
        let found = offers(in: scheme + endpoint.text, reader) + offers(in: endpoint.text, reader)
        return found.first { $0.endpoint == endpoint }
    }

    /// Returns true if this amount is one that the text asks for.
    package func takes(_ money: Money) -> Bool {
        guard money.minorUnits > 0, money.currency == .satoshi else { return false }
        switch amount {
        case .fixed(let asked): return asked == money
        case .minimum(let least): return least.exponent == money.exponent && least.minorUnits <= money.minorUnits
        case .open, .suggested, .onService: return money.exponent == Currency.satoshi.exponent
        case .uncounted, .several: return false
        }
    }

    // MARK: Reading

    /// Returns the offers of a `bitcoin:` link, one of each kind: by the invoice or offer inside, and at its address.
    ///
    /// Their order, and the choice among several of a kind, follow from the endpoints alone, because a link's
    /// parameters may have any order.
    private static func chain(_ instruction: PaymentInstruction, _ reader: any InstructionReader) -> [SettlementOffer] {
        var found: [SettlementOffer] = []
        let label = label(of: instruction)
        for text in ["lightning", "lno"].flatMap({ texts(instruction.fields[$0]) }) {
            found += offers(in: "lightning:" + text, reader).map { inner in
                var amount = inner.amount
                // The link may state an amount that the payload leaves open, also for a service that takes many
                // amounts.
                switch (inner.amount, instruction.amount) {
                case (.open, _), (.onService, .fixed): amount = instruction.amount
                default: break
                }
                return SettlementOffer(
                    endpoint: inner.endpoint, amount: amount, expiresAt: inner.expiresAt, label: label)
            }
        }
        if let address = address(instruction, reader) {
            found.append(
                SettlementOffer(
                    endpoint: SettlementEndpoint(
                        .bitcoinAddress, text: address, network: instruction.fields["network"]?.string),
                    amount: instruction.amount, expiresAt: nil, label: label))
        }
        // With two amounts for one payment, the intended one cannot be determined.
        guard Set((found.map(\.amount) + [instruction.amount]).filter(\.isFixed)).count < 2 else { return [] }
        found.sort { ($0.rank, $0.endpoint.text) < ($1.rank, $1.endpoint.text) }
        var kinds: Set<SettlementEndpoint.Kind> = []
        found.removeAll { !kinds.insert($0.endpoint.kind).inserted }
        return found
    }

    /// Better ways come first: an invoice, then endpoints for which the payee's node or service makes an invoice.
    private var rank: Int {
        [.bolt11, .bolt12Offer, .lnurl, .lightningAddress].firstIndex(of: endpoint.kind) ?? .max
    }

    /// Returns the values of a parameter that may occur several times.
    private static func texts(_ field: JSONValue?) -> [String] {
        field?.array?.compactMap(\.string) ?? [field?.string].compactMap(\.self)
    }

    /// Returns the label and message of a link, as one text that no other pair has; nil if both are empty.
    private static func label(of instruction: PaymentInstruction) -> String? {
        let texts = ["label", "message"].map { instruction.fields[$0]?.string ?? "" }
        return texts.allSatisfy(\.isEmpty) ? nil : "\(texts[0].utf8.count):\(texts[0])\(texts[1])"
    }

    /// Returns the address of a `bitcoin:` link: the one after the colon, or else the first of its parameters, which
    /// are segwit addresses, in the order of their texts.
    private static func address(_ instruction: PaymentInstruction, _ reader: any InstructionReader) -> String? {
        if let address = instruction.fields["address"]?.string { return address }
        let listed = ["bc", "tb", "bcrt"].flatMap { texts(instruction.fields[$0]) }.map { $0.lowercased() }.min()
        guard let listed, let link = try? PaymentLink("bitcoin:" + listed),
            case .instruction(let inner) = reader.read(link)
        else { return nil }
        return inner.fields["address"]?.string
    }

    private static func endpoint(
        _ kind: SettlementEndpoint.Kind, _ text: String?, _ instruction: PaymentInstruction
    ) -> SettlementOffer? {
        guard let text, !text.isEmpty else { return nil }
        let isInvoice = kind == .bolt11
        let hash = isInvoice ? instruction.fields["paymentHash"]?.string : nil
        // Without its hash it cannot be determined if an invoice was paid.
        guard (hash == nil) != isInvoice else { return nil }
        return SettlementOffer(
            endpoint: SettlementEndpoint(
                kind, text: text, network: instruction.fields["network"]?.string, paymentHash: hash),
            amount: instruction.amount, expiresAt: instruction.expiresAt)
    }

    /// Returns the text behind the scheme, or all of a bare text without the line end that pasted codes have.
    private static func payload(of link: PaymentLink) -> String? {
        let payload: Substring
        switch link.scheme {
        case "lightning": payload = link.text.drop { $0 != ":" }.dropFirst()
        case nil: payload = link.text[...]
        default: return nil
        }
        guard let last = payload.utf8.lastIndex(where: { !" \r\n".utf8.contains($0) }) else { return nil }
        return String(payload[...last])
    }
}

extension LinkMatch {
    /// Names the payment of a text by its offers, one name for every spelling; nil without an offer.
    ///
    /// - An invoice is a payment by itself, and its payment hash names it, also inside a link with an address. The same
    ///   link without the invoice is another payment: nothing in its text leads to the invoice, and an address may be
    ///   paid for many orders.
    /// - A fixed amount is a payment: its destination, the amount, and the label and message name it. Of several
    ///   destinations the address does, because a payee that leaves out the offer next to it still has the same.
    /// - Anything else names the payee by the destination. Each payment to it is another one.
    ///
    /// Texts are compared after decoding, byte by byte. Parameters that neither move money elsewhere nor describe the
    /// order are not part of the name.
    package init?(settling offers: [SettlementOffer]) {
        let trust = offers.lazy.compactMap(\.unclear).first.map { names in
            Trust.unclear(reason: "'\(names)' is not known, and could change coin, amount, payee or time")
        }
        if let hash = offers.lazy.compactMap(\.endpoint.paymentHash).first {
            self.init(.payment(hash), trust: trust ?? .verified, holdsSecret: false)
            return
        }
        guard let offer = offers.first(where: { $0.endpoint.kind == .bitcoinAddress }) ?? offers.first else {
            return nil
        }
        let destination = offer.endpoint.text
        let amounts = offers.compactMap { if case .fixed(let money) = $0.amount { money } else { nil } }
        guard let amount = amounts.first else {
            self.init(.payee(destination), trust: trust ?? .verified, holdsSecret: false)
            return
        }
        // Thousandths of a satoshi are counted in another unit.
        let unit = amount.exponent == Currency.satoshi.exponent ? "" : "e\(amount.exponent)"
        let label = offer.label.map { ":" + Hex.encode(Digest.sha256.hash(Array($0.utf8))).prefix(32) }
        self.init(
            .payment("\(destination):\(amount.minorUnitText)\(unit)\(label ?? "")"), trust: trust ?? .verified,
            holdsSecret: false)
    }
}

extension PaymentInstruction.Amount {
    fileprivate var isFixed: Bool { if case .fixed = self { true } else { false } }
}
