package import PaymentCore

/// A payment that one side of a link asked the other for, with the effects of all messages about it.
package struct PrivateLinkRequest: Sendable, Hashable {
    package private(set) var state: RequestState
    /// True if this side asked, and so is to be paid.
    package let isOwn: Bool
    /// The accesses to receipts that the payee has announced.
    package private(set) var accesses: [ReceiptAccess] = []

    package var id: String { state.request.head.requestID }
    package var terms: PaymentTerms { state.request.terms }

    /// Returns the key under which a payment of it is stored.
    package static func key(_ id: String, _ period: BillingPeriod?) -> String {
        // By the moment, because a peer may write it in another form.
        id + (period.map { "/\($0.start.nanoseconds)" } ?? "")
    }

    /// Returns the id in a key: ids have no slashes.
    static func id(inKey key: String) -> String? { key.split(separator: "/").first.map(String.init) }

    /// Returns all requests in `entries`, in the order of their arrival.
    package static func all(in entries: [PrivateLinkRecord.Entry]) -> [PrivateLinkRequest] {
        var requests: [PrivateLinkRequest] = []
        var places: [String: Int] = [:]
        for entry in entries {
            guard let message = MessageIntake.known(entry.text) else { continue }
            if case .request(let request) = message {
                // The first counts: a second one of the same id has no effect, even with the same terms.
                guard places[request.head.requestID] == nil else { continue }
                places[request.head.requestID] = requests.count
                requests.append(PrivateLinkRequest(state: RequestState(request), isOwn: entry.isOwn))
                continue
            }
            guard let id = message.requestID, let place = places[id] else { continue }
            let isPayee = entry.isOwn == requests[place].isOwn
            if case .receiptAccess(let access) = message {
                // Only the payee can announce a receipt; the same receipt twice counts once.
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

    /// Returns the accesses to the receipts of one payment.
    package func accesses(for period: BillingPeriod?) -> [ReceiptAccess] {
        accesses.filter { Self.key(id, $0.period) == Self.key(id, period) }
    }
}

extension PrivateLinkMessage {
    /// The id of the request that a message is about; nil where it is about none.
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
    /// The amount in bitcoin; nil for another asset, or where it is no positive whole number of satoshis.
    package var bitcoin: Money? {
        guard asset == "btc", let money = try? Money(decimal: plain, currency: .satoshi), money.minorUnits > 0 else {
            return nil
        }
        return money
    }

    /// The value as an ordinary decimal: only here `.5` and `10.` are amounts.
    private var plain: String {
        var text = value.hasPrefix(".") ? "0" + value : value
        if text.hasSuffix(".") { text.removeLast() }
        return text
    }
}
