/// A link to a request over a private link (Protocol 12.9). This device makes it for its own router, which finds the
/// amount and all else in the stored state of the private link.
///
/// `paykit:request?request_id=…&from=pubky://…&app=bitkit/wallet`, and `&recurs=true` for a recurring request.
public struct PaykitRequestURL: Sendable, Hashable {
    /// The request's id in its normal form: lower case.
    public let id: String
    /// The user that asks.
    public let payee: PubkyKey
    /// The payee's app that asks.
    public let app: PaykitReceiverPath
    /// True if each period is a separate payment.
    public let recurs: Bool

    /// Creates a link; nil where the id is malformed.
    public init?(_ id: String, from payee: PubkyKey, app: PaykitReceiverPath, recurs: Bool) {
        guard let id = EventID.normal(id) else { return nil }
        self.id = id
        self.payee = payee
        self.app = app
        self.recurs = recurs
    }

    /// The link's text, as routers accept it.
    public var text: String {
        "paykit:request?request_id=\(id)&from=pubky://\(payee)&app=\(app)\(recurs ? "&recurs=true" : "")"
    }

    /// The payment's reference, in every spelling of the link. For recurring ones it is the payee: each is separate.
    var reference: String { "\(payee)/\(app)/request/\(id)" }
}
