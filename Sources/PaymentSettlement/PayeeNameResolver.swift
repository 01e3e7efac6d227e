public import PaymentCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Finds the payment link of a payee's name, and proves that it belongs to the name: `DNSResolver` of
/// `PaymentStandards` does for BIP-353.
public protocol PayeeNameResolver: Sendable {
    /// The one host that it asks: `host`, or `host:port`, as descriptors name outbound hosts.
    var host: String { get }

    /// Returns the payment link that `name` leads to, proved.
    ///
    /// - Parameters:
    ///   - name: the text of the name, as it was scanned.
    ///   - transport: the way to ``host``.
    ///   - clock: the time at which the proof has to be valid.
    /// - Throws: ``PaymentError`` when there is no such name, and when nothing proves its link. It moves no money.
    func link(
        of name: PaymentLink, over transport: any HTTPTransport, clock: any PaymentClock
    ) async throws(PaymentError) -> ProvedLink
}

/// A payment link that was proved to belong to a payee's name.
public struct ProvedLink: Sendable, Hashable {
    /// The text of the link.
    public let text: String
    /// The time until which it may be offered to the payer; later the name has to be looked up again.
    public let expiresAt: Date

    /// Creates a value.
    ///
    /// - Parameters:
    ///   - text: the text of the link.
    ///   - expiresAt: the time until which it may be offered.
    public init(text: String, expiresAt: Date) {
        self.text = text
        self.expiresAt = expiresAt
    }
}
