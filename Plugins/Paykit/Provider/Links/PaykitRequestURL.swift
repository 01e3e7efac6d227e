import PaymentCore

/// A link to what somebody asks this device for over a private link (Protocol 12.9): made by this device for its own
/// router, which finds the amount and all else in what is kept of the private link.
///
/// `paykit:request?request_id=…&from=pubky://…&app=bitkit/wallet`, and `&recurs=true` where it is asked for again and
/// again.
public struct PaykitRequestURL: Sendable, Hashable {
    /// The request's id, as requests are called here: in lower case.
    public let id: String
    /// Who asks.
    public let payee: PubkyKey
    /// By which app of theirs.
    public let app: PaykitReceiverPath
    /// Whether each period of it is a payment of its own.
    public let recurs: Bool

    /// Creates a link; nil where the id is none.
    ///
    /// - Parameters:
    ///   - id: the request's id.
    ///   - payee: who asks.
    ///   - app: by which app of theirs.
    ///   - recurs: whether it is paid period by period.
    public init?(_ id: String, from payee: PubkyKey, app: PaykitReceiverPath, recurs: Bool) {
        guard let id = EventID.normal(id) else { return nil }
        self.id = id
        self.payee = payee
        self.app = app
        self.recurs = recurs
    }

    /// The link, as routers take it.
    public var text: String {
        "paykit:request?request_id=\(id)&from=pubky://\(payee)&app=\(app)\(recurs ? "&recurs=true" : "")"
    }

    /// What names the payment, however the link is spelt. Of what recurs it is who is paid: each request by itself.
    var reference: String { "\(payee)/\(app)/request/\(id)" }
}
