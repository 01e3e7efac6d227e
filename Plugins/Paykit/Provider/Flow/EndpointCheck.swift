public import PaymentCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Judges endpoints before anything is published or paid: whether they are what their method promises, sound down to
/// the last character, of the right network, still good, and for the right amount (Protocol 4.6).
///
/// What reads payment texts is given by the application, which has `StandardsReader` of `PaymentStandards` for it:
///
/// ```swift
/// configuration.endpointCheck = PaykitEndpointCheck(StandardsReader())
/// ```
public struct PaykitEndpointCheck: Sendable {
    /// Which chain endpoints of Bitcoin and Lightning have to be of.
    @nonexhaustive
    public enum Network: String, Sendable, Hashable {
        /// Bitcoin, with real money.
        case mainnet
        /// testnet3 or testnet4.
        case testnet
        /// A signet.
        case signet
        /// A developer's own chain.
        case regtest
    }

    private let reader: any InstructionReader
    private let network: Network

    /// Creates a check.
    ///
    /// - Parameters:
    ///   - reader: reads payment texts, checksums and signatures among what it looks at.
    ///   - network: the chain that the wallet is on.
    public init(_ reader: any InstructionReader, network: Network = .mainnet) {
        self.reader = reader
        self.network = network
    }

    /// By which standards an endpoint of a method can be. Of other methods nothing is known.
    private static let standards: [String: Set<String>] = [
        "lightning": ["bolt11", "lnurl", "bolt12-offer"], "onchain": ["bitcoin-address", "bip321"],
        "lnurl": ["lnurl"], "bolt12": ["bolt12-offer"],
    ]

    /// By which standard an endpoint with a name of today can be, by the last part of that name.
    private static let formats: [String: Set<String>] = [
        "bolt11": ["bolt11"], "bolt12": ["bolt12-offer"], "lnurl": ["lnurl"], "p2tr": ["bitcoin-address"],
        "p2wpkh": ["bitcoin-address"], "p2sh": ["bitcoin-address"], "p2pkh": ["bitcoin-address"],
    ]

    private static func standards(of method: String) -> Set<String>? {
        if let known = standards[method] { return known }
        guard let identifier = PaykitIdentifier(method), identifier.formerName != nil else { return nil }
        return identifier.parts.flatMap { formats[$0.format] }
    }

    /// Whether endpoints of `method` are looked at; whatever any other method names is for the application to judge.
    public static func knows(_ method: String) -> Bool { standards(of: method) != nil }

    /// Reads an endpoint and judges it.
    ///
    /// - Parameters:
    ///   - endpoint: what somebody published or offered, or is about to publish.
    ///   - amount: how much is to be paid, in bitcoin; nil where that is open.
    ///   - now: the time.
    /// - Returns: what the endpoint says; nil for a method of which nothing is known.
    /// - Throws: ``PaykitNetworkError`` with the method: `invalidData` for a text that is no such endpoint or of
    ///   another network, `invoiceExpired`, `validationFailed` for another amount, or one outside of its owner's
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
        let none = failure(.invalidData, "is none: ask its owner to publish a new one")
        let instruction: PaymentInstruction
        switch (try? PaymentLink(endpoint.endpoint)).map(reader.read) {
        case .instruction(let found) where standards.contains(found.standard): instruction = found
        case .ambiguous(let found):
            // The method says which of them is meant.
            guard let meant = found.first(where: { standards.contains($0.standard) }) else { throw none }
            instruction = meant
        case .defective(let standard, let defect) where standards.contains(standard):
            throw failure(.invalidData, "is not sound: its \(defect.part) \(defect.advice)")
        default: throw none
        }
        guard instruction.purpose == .payment else { throw failure(.invalidData, "takes no payment") }
        // A name of today promises one form of address, and one chain.
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

    /// Whether a method's name, where it says a chain, says this one.
    private func isNamed(for network: Network, _ method: String) -> Bool {
        guard let identifier = PaykitIdentifier(method), identifier.formerName == "onchain" else { return true }
        guard let rail = identifier.parts?.rail else { return true }
        return rail == (network == .mainnet ? "bitcoin" : network.rawValue)
    }

    private func isOnNetwork(_ instruction: PaymentInstruction) -> Bool {
        let isTest = instruction.warnings.contains(.testNetwork)
        guard network != .mainnet, isTest else {
            // What names no chain, as a Lightning address does not, is on any.
            return !isTest && (network == .mainnet || !Self.namesChain.contains(instruction.standard))
        }
        let named = instruction.fields["network"]?.string
        // Texts of testnet and signet are the same on the chain, and older addresses also those of regtest.
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

    /// How two amounts compare that may be counted in units of different size; nil for different currencies.
    private static func order(_ left: Money, _ right: Money) -> ComparisonResult? {
        guard left.currency == right.currency else { return nil }
        let exponent = max(left.exponent, right.exponent)
        guard let first = scaled(left, exponent), let second = scaled(right, exponent) else { return nil }
        return first == second ? .orderedSame : first < second ? .orderedAscending : .orderedDescending
    }

    private static func scaled(_ money: Money, _ exponent: UInt8) -> UInt128? {
        var units = money.minorUnits
        for _ in 0..<(exponent - money.exponent) {
            let (next, overflow) = units.multipliedReportingOverflow(by: 10)
            guard !overflow else { return nil }
            units = next
        }
        return units
    }
}
