package import PaymentCore

/// A payment that one side of a link asked the other for, with everything that became of it.
package struct PrivateLinkRequest: Sendable, Hashable {
    package private(set) var state: RequestState
    /// Whether this side asked, and so is to be paid.
    package let isOwn: Bool
    /// Where receipts lie that the payee has announced.
    package private(set) var accesses: [ReceiptAccess] = []

    package var id: String { state.request.head.requestID }
    package var terms: PaymentTerms { state.request.terms }

    /// Under what a payment of it is kept.
    package static func key(_ id: String, _ period: BillingPeriod?) -> String {
        // By the moment, since a peer may write it in another way.
        id + (period.map { "/\($0.start.nanoseconds)" } ?? "")
    }

    /// The request of such a name: ids have no slashes.
    static func id(inKey key: String) -> String? { key.split(separator: "/").first.map(String.init) }

    /// All requests that `entries` tell of, in the order in which they came.
    package static func all(in entries: [PrivateLinkRecord.Entry]) -> [PrivateLinkRequest] {
        var requests: [PrivateLinkRequest] = []
        var places: [String: Int] = [:]
        for entry in entries {
            guard let message = MessageIntake.known(entry.text) else { continue }
            if case .request(let request) = message {
                // The first counts: a second one of the same id says nothing, even with the same terms.
                guard places[request.head.requestID] == nil else { continue }
                places[request.head.requestID] = requests.count
                requests.append(PrivateLinkRequest(state: RequestState(request), isOwn: entry.isOwn))
                continue
            }
            guard let id = message.requestID, let place = places[id] else { continue }
            let isPayee = entry.isOwn == requests[place].isOwn
            if case .receiptAccess(let access) = message {
                // Only who is paid can say that they were; the same receipt twice is one.
                guard isPayee, !requests[place].accesses.contains(where: { $0.receiptID == access.receiptID }) else {
                    continue
                }
                requests[place].accesses.append(access)
            } else {
                _ = requests[place].state.take(message, from: isPayee ? .payee : .payer)
            }
        }
        return requests
    }

    /// The receipts of one payment.
    package func accesses(for period: BillingPeriod?) -> [ReceiptAccess] {
        accesses.filter { Self.key(id, $0.period) == Self.key(id, period) }
    }
}

extension PrivateLinkMessage {
    /// Which request a message is about; nil for one that is about none.
    var requestID: String? {
        switch self {
        case .paymentList: nil
        case .request(let request): request.head.requestID
        case .acceptance(let head), .rejection(let head, _), .cancellation(let head, _): head.requestID
        case .proof(let proof): proof.head.requestID
        case .receiptAccess(let access): access.requestID
        }
    }
}

extension PrivateLinkAmount {
    /// The amount in bitcoin; nil for another asset, and for what is no whole number of satoshis.
    package var bitcoin: Money? {
        guard asset == "btc", let money = try? Money(decimal: plain, currency: .satoshi), money.minorUnits > 0 else {
            return nil
        }
        return money
    }

    /// `.5` and `10.` are amounts here, and nowhere else.
    private var plain: String {
        var text = value.hasPrefix(".") ? "0" + value : value
        if text.hasSuffix(".") { text.removeLast() }
        return text
    }
}
