import CitconProvider
import Foundation
import PaymentCore
import PaymentRouting
import PayrailsProvider

/// What a provider's link says about its payment, as the provider itself reads it: how much, for which order, until when,
/// and whose service will be asked. None of it is a secret, also where the link holds one.
struct LinkDetails {
    /// What is to be paid, where the link says so.
    private(set) var amount: Money?
    /// By the names of `inspect --json`.
    private(set) var fields: [String: String] = [:]

    /// Reads the link of `route`.
    init(_ route: Route) {
        let link = route.link
        switch route.provider {
        case "citcon": if let order = try? CitconOrderLink(link) { read(order) }
        case "payrails": if let session = SessionSummary(link) { read(session) }
        case "walletconnect-pay": readPairing(link)
        default: break
        }
        if let amount {
            fields["amount"] = amount.decimalText
            fields["unit"] = amount.currency.unit
        }
    }

    private mutating func read(_ order: CitconOrderLink) {
        amount = order.amount
        fields["order"] = order.reference
        fields["method"] = order.method
        fields["country"] = order.country
        fields["environment"] = "\(order.mode)".lowercased()
        fields["host"] = order.mode.host
    }

    private mutating func read(_ session: SessionSummary) {
        amount = session.amount
        fields["order"] = session.order
        if !session.hosts.isEmpty { fields["host"] = session.hosts.joined(separator: " ") }
        fields["expires"] = session.expiresAt.map(AttemptSummary.text)
    }

    /// A pairing URI carries the payment link, and says how long it can be paired with.
    private mutating func readPairing(_ link: PaymentLink) {
        guard link.scheme == "wc" else { return }
        let inner = link.queryItems.first { $0.name == "pay" }?.decodedValue.flatMap { try? PaymentLink($0) }
        if let host = inner?.host { fields["host"] = String(host) }
        if let text = link.queryItems.first(where: { $0.name == "expiryTimestamp" })?.decodedValue,
            let seconds = Int64(text), (0...4_102_444_800).contains(seconds)
        {
            fields["expires"] = AttemptSummary.text(Date(timeIntervalSince1970: Double(seconds)))
        }
    }
}
