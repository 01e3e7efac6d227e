import PaymentSettlement

/// Checks endpoints before they are published or paid: their form, checksums, network, expiry and amount must agree
/// with their method (Protocol 4.6).
///
/// The application provides the reader of payment texts, such as `StandardsReader` of `PaymentStandards`:
///
/// ```swift
/// configuration.endpointCheck = PaykitEndpointCheck(StandardsReader())
/// ```
public struct PaykitEndpointCheck: Sendable {
    /// The required chain of Bitcoin and Lightning endpoints.
    @nonexhaustive
    public enum Network: String, Sendable, Hashable {
        /// Bitcoin, with real money.
        case mainnet
        /// testnet3 or testnet4.
        case testnet
        /// A signet.
        case signet
        /// A developer's local chain.
        case regtest
    }

    let reader: any InstructionReader
    private let network: Network

    /// Creates a check. `reader` reads payment texts, with checksums and signatures. `network` is the wallet's chain.
    public init(_ reader: any InstructionReader, network: Network = .mainnet) {
        self.reader = reader
        self.network = network
    }

    /// The standards that an endpoint of a method can follow. Other methods are unknown.
    private static let standards: [String: Set<String>] = [
        "lightning": ["bolt11", "lnurl", "bolt12-offer"], "onchain": ["bitcoin-address", "bip321"],
        "lnurl": ["lnurl"], "bolt12": ["bolt12-offer"],
    ]

    /// The standards that an endpoint of generation 3 can follow, by the last part of its identifier.
    private static let formats: [String: Set<String>] = [
        "bolt11": ["bolt11"], "bolt12": ["bolt12-offer"], "lnurl": ["lnurl"], "p2tr": ["bitcoin-address"],
        "p2wpkh": ["bitcoin-address"], "p2sh": ["bitcoin-address"], "p2pkh": ["bitcoin-address"],
    ]

    private static func standards(of method: String) -> Set<String>? {
        if let known = standards[method] { return known }
        guard let identifier = PaykitIdentifier(method), identifier.formerName != nil else { return nil }
        return identifier.parts.flatMap { formats[$0.format] }
    }

    /// Reads and checks an endpoint.
    ///
    /// - Parameters:
    ///   - endpoint: an endpoint that was published or offered, or is about to be published.
    ///   - amount: the amount to pay, in bitcoin; nil if it is open.
    ///   - now: the time.
    /// - Returns: the payment instruction in the endpoint; nil for an unknown method.
    /// - Throws: ``PaykitNetworkError`` with the method: `invalidData` for a text that is not such an endpoint, or is
    ///   of another network, `invoiceExpired`, `validationFailed` for another amount, or one outside of its owner's
    ///   limits. The text is not repeated.
    @discardableResult
    public func check(
        _ endpoint: PaykitEndpoint, amount: Money? = nil, at now: Date
    ) throws(PaykitNetworkError) -> PaymentInstruction? {
        let method = endpoint.methodID
        try endpoint.take(amount)
        guard let standards = Self.standards(of: method) else { return nil }
        func failure(_ code: PaykitNetworkError.Code, _ reason: String) -> PaykitNetworkError {
            PaykitNetworkError(code, "the endpoint '\(method)' \(reason)", methodID: method)
        }
        let none = failure(.invalidData, "is not valid: ask its owner to publish a new one")
        let instruction: PaymentInstruction
        switch (try? PaymentLink(endpoint.endpoint)).map(reader.read) {
        case .instruction(let found) where standards.contains(found.standard): instruction = found
        case .ambiguous(let found):
            // The method decides between the readings.
            guard let meant = found.first(where: { standards.contains($0.standard) }) else { throw none }
            instruction = meant
        case .defective(let standard, let defect) where standards.contains(standard):
            throw failure(.invalidData, "is not sound: its \(defect.part) \(defect.advice)")
        default: throw none
        }
        guard instruction.purpose == .payment else { throw failure(.invalidData, "takes no payment") }
        // An identifier of generation 3 promises one form of address, and one chain.
        guard PaykitIdentifier(method)?.allows(endpoint.endpoint) ?? true else {
            throw failure(.invalidData, "is another than its name says")
        }
        guard isOnNetwork(instruction), isNamed(for: network, method) else {
            throw failure(.invalidData, "is of another network than \(network.rawValue); nothing sent there arrives")
        }
        if let end = instruction.expiresAt, end <= now {
            throw failure(.invoiceExpired, "can be paid no longer; ask its owner for a new one")
        }
        if let amount, !Self.takes(amount, instruction.amount) {
            throw failure(.validationFailed, "is for another amount than the one that is to be paid")
        }
        return instruction
    }

    /// Returns true if a method's name names this chain, or no chain.
    private func isNamed(for network: Network, _ method: String) -> Bool {
        guard let identifier = PaykitIdentifier(method), identifier.formerName == "onchain" else { return true }
        guard let rail = identifier.parts?.rail else { return true }
        return rail == (network == .mainnet ? "bitcoin" : network.rawValue)
    }

    private func isOnNetwork(_ instruction: PaymentInstruction) -> Bool {
        let isTest = instruction.warnings.contains(.testNetwork)
        guard network != .mainnet, isTest else {
            // A text that names no chain, such as a Lightning address, is valid on any.
            return !isTest && (network == .mainnet || !Self.namesChain.contains(instruction.standard))
        }
        let named = instruction.fields["network"]?.string
        // Addresses of testnet and signet look the same, and older addresses also those of regtest.
        let isShared = named == Network.testnet.rawValue && instruction.standard == "bitcoin-address"
        return named == nil || named == network.rawValue
            || isShared && (network == .signet || instruction.fields["witnessVersion"] == nil)
    }

    private static let namesChain: Set<String> = ["bolt11", "bitcoin-address", "bip321", "bolt12-offer"]

    private static func takes(_ amount: Money, _ asked: PaymentInstruction.Amount) -> Bool {
        switch asked {
        case .open, .suggested, .onService: true
        case .fixed(let money): order(amount, money) == .orderedSame
        case .minimum(let money): [.orderedSame, .orderedDescending].contains(order(amount, money))
        default: false
        }
    }

    /// Compares two amounts in units of different size; nil for different currencies.
    private static func order(_ left: Money, _ right: Money) -> ComparisonResult? {
        guard left.currency == right.currency else { return nil }
        let (first, second) = (left.decimalText, right.decimalText)
        if PaykitEndpoint.isLess(first, than: second) { return .orderedAscending }
        return PaykitEndpoint.isLess(second, than: first) ? .orderedDescending : .orderedSame
    }
}

enum EndpointOffers {
    typealias Offer = (endpoint: PaykitEndpoint, offer: SettlementOffer)

    /// Returns the offers in the endpoint's text; none if it is not sound. The method decides an ambiguous coin.
    static func offers(of endpoint: PaykitEndpoint, _ reader: any InstructionReader) -> [SettlementOffer] {
        let text = endpoint.endpoint
        let isBare = !text.contains(":")
        let method = PaykitIdentifier(endpoint.methodID)?.formerName ?? endpoint.methodID
        let scheme: String? =
            switch method {
            case "onchain": "bitcoin:"
            case "lightning": "lightning:"
            default: nil
            }
        // An identifier of generation 3 also names the form and the chain.
        guard PaykitIdentifier(endpoint.methodID)?.allows(text) ?? true else { return [] }
        if isBare, let scheme {
            let found = SettlementOffer.offers(in: scheme + text, reader)
            if !found.isEmpty { return found }
        }
        let found = SettlementOffer.offers(in: text, reader)
        // An address under the method of invoices contradicts its method.
        return scheme == nil ? found : found.filter { $0.endpoint.kind.method == method }
    }
}

extension SettlementEndpoint {
    /// Returns the title of an option that pays it, for people. `rest` is the end of the title, such as `, as asked
    /// for`.
    func title(_ rest: String = "") -> String {
        (kind == .bitcoinAddress ? "Bitcoin, on the chain" : "Bitcoin, over Lightning") + rest
    }
}

extension PaykitEndpointCheck {
    /// Returns the endpoint as the settler can pay it; nil if it cannot, or if the endpoint is for another amount.
    func settlement(
        of endpoint: PaykitEndpoint, _ amount: Money, by settler: any PaymentSettler
    ) -> SettlementEndpoint? {
        EndpointOffers.offers(of: endpoint, reader).first {
            $0.takes(amount) && settler.canSettle($0.endpoint.kind, on: $0.endpoint.network)
        }?.endpoint
    }
}
