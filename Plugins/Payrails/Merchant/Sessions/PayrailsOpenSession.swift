public import PaymentCore
public import PayrailsProvider

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An opened session: the merchant's server passes its init data to the app, and stores it with the order.
public struct PayrailsOpenSession: Sendable, Hashable {
    /// The init data from the service, with which the app opens its session. It holds the session's token.
    public let initData: PayrailsInitData
    /// The reference of the payment in routers and journals; nil if the session has no payment.
    public let payment: PaymentReference?
    /// The order that the session was opened for.
    public let order: PayrailsSessionOrder

    /// The session as a link for the payer's app: `payrails:session?…`. Every holder of the link can pay.
    public var link: Redacted<String> { SessionLink.link(to: initData) }

    /// Creates a session from the service's answer, and compares it with the order.
    ///
    /// - Throws: ``CallError`` if the answer cannot be read, or is a session for something else.
    init(_ answer: JSONValue, for order: PayrailsSessionOrder, at merchant: ProviderID) throws(CallError) {
        guard let version = answer["version"]?.string, let data = answer["data"]?.string,
            let bytes = Data(base64Encoded: data), let content = try? JSONValue(parsing: Array(bytes)),
            content["token"]?.string?.isEmpty == false
        else { throw .unusableAnswer("'data' is not a session's") }
        // A known key is answered with its earlier session, whatever the body.
        let amount = content["amount"].flatMap { try? $0.decode(PayrailsAmount.self).money() }
        guard amount == order.amount else { throw .foreignAnswer("the session is over another amount") }
        let holder = content["holderReference"] ?? content["execution"]?["holderReference"]
        guard holder.map({ $0.string == order.holder }) ?? true else {
            throw .foreignAnswer("the session is for another holder")
        }
        if let execution = content["execution"], !execution.isNull {
            guard let id = execution["id"]?.string, WireText.id(id) != nil else {
                throw .unusableAnswer("the session's execution has no id")
            }
            guard execution["merchantReference"]?.string == order.order else {
                throw .foreignAnswer("the session is for another order")
            }
            payment = PaymentReference(provider: merchant, id: id)
        } else {
            guard order.kind == .tokenization else { throw .unusableAnswer("the session has no execution to pay") }
            payment = nil
        }
        initData = PayrailsInitData(version: version, data: data)
        self.order = order
    }
}

extension PayrailsMerchantClient {
    /// Opens a session of any kind, for the merchant's app: once for each order and round, however often it is called.
    ///
    /// After a session's token has expired, open the same one again, or the next round once the last one certainly
    /// cannot be paid any more.
    ///
    /// - Returns: the session.
    /// - Throws: ``PaymentError``; `integrity` if the service answers with a session for something else. Nothing was
    ///   paid by it in any case.
    public func open(_ order: PayrailsSessionOrder) async throws(PaymentError) -> PayrailsOpenSession {
        let body = try order.body(of: merchant)
        // The service answers a known key with the earlier session even if the body differs, so the key covers the
        // whole body.
        let key = key(["session", body.text, "\(order.round)"])
        return try await asMerchant(id) { () throws(CallError) in
            let answer = try await calls.send(.post, ["merchant", "client", "init"], body: body, key: key)
            return try PayrailsOpenSession(answer, for: order, at: id)
        }
    }
}
