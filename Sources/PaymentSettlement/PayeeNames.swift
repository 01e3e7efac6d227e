public import PaymentCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Finds the payment link of a payee's name, and proves that it belongs to the name. `DNSResolver` of
/// `PaymentStandards` does so for BIP-353.
public protocol PayeeNameResolver: Sendable {
    /// The one host that it asks: `host`, or `host:port`, as descriptors name outbound hosts.
    var host: String { get }

    /// Returns the payment link that `name` leads to, proved.
    ///
    /// - Parameters:
    ///   - name: the text of the name, as it was scanned.
    ///   - transport: the way to ``host``.
    ///   - clock: the time at which the proof has to be valid.
    /// - Throws: ``PaymentError`` when there is no such name, and when nothing proves its link. No money moves.
    func link(
        of name: PaymentLink, over transport: any HTTPTransport, clock: any PaymentClock
    ) async throws(PaymentError) -> ProvedLink
}

/// A payment link that was proved to belong to a payee's name.
public struct ProvedLink: Sendable, Hashable {
    /// The text of the link.
    public let text: String
    /// The end of the time for offering it to the payer. After that, the name has to be looked up again.
    public let expiresAt: Date

    /// Creates a value.
    ///
    /// - Parameters:
    ///   - text: the text of the link.
    ///   - expiresAt: the end of the time for offering it.
    public init(text: String, expiresAt: Date) {
        self.text = text
        self.expiresAt = expiresAt
    }
}

extension Payee {
    /// The maximum number of characters of an unverified name.
    private static let longestClaim = 50

    /// Creates the description of a payee from the payee's own name. The name is in quotation marks, and the unique
    /// mark is always added.
    ///
    /// - Parameters:
    ///   - name: the payee's own text. Parts of it that could pass for something else are not shown.
    ///   - mark: the payee's key or account, shortened.
    ///   - placeholder: the text in place of a missing name; nil if the mark alone suffices.
    package init(
        claiming name: String?, knownAs mark: String, else placeholder: String? = nil, iconURL: String? = nil,
        id: String? = nil
    ) {
        let plain = name.map(Self.plain) ?? ""
        let shown = plain.isEmpty ? placeholder : "\u{201C}\(plain)\u{201D}"
        self.init(name: shown.map { "\($0) (\(mark))" } ?? mark, iconURL: iconURL, id: id)
    }

    /// Returns letters, digits, common marks and single blanks of a name. Characters that change direction, break lines
    /// or are markup are left out.
    private static func plain(_ name: String) -> String {
        var plain = ""
        for scalar in name.unicodeScalars where plain.count < longestClaim {
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: continue
            case .spaceSeparator: if !plain.isEmpty, plain.last != " " { plain += " " }
            default: if !"<>\u{201C}\u{201D}\"`".unicodeScalars.contains(scalar) { plain.unicodeScalars.append(scalar) }
            }
        }
        if plain.last == " " { plain.removeLast() }
        return plain
    }
}
