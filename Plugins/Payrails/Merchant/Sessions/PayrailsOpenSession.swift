public import PaymentCore
public import PayrailsProvider
import PayrailsTypes

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A session that was opened: what the merchant's server hands to its app, and what it remembers with the order.
public struct PayrailsOpenSession: Sendable, Hashable {
    /// What the app opens its session with, as it came from the service. It holds the session's token.
    public let initData: PayrailsInitData
    /// The payment as routers and journals call it; nil where the session pays nothing.
    public let payment: PaymentReference?
    /// What it was opened for.
    public let order: PayrailsSessionOrder

    /// The session as a link for the payer's app: `payrails:session?…`. Whoever has it can pay.
    public var link: Redacted<String> { SessionLink.link(to: initData) }

    /// Reads the service's answer, and compares it with what was ordered.
    ///
    /// - Throws: ``CallError``: it cannot be read, or is a session of something else.
    init(_ answer: JSONValue, for order: PayrailsSessionOrder, at merchant: ProviderID) throws(CallError) {
        guard let version = answer["version"]?.string, let data = answer["data"]?.string,
            let bytes = Data(base64Encoded: data), let content = try? JSONValue(parsing: Array(bytes)),
            content["token"]?.string?.isEmpty == false
        else { throw .unusableAnswer("'data' is not a session's") }
        // A key that was used before is answered with the session of then, whatever the body.
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
    /// Opens a session of any kind, for the merchant's app: once for each order and round, however often it is asked
    /// for.
    ///
    /// When a session's token has ended, ask again for the same one, or for the next round once the last one surely
    /// cannot be paid any more.
    ///
    /// - Returns: the session.
    /// - Throws: ``PaymentError``; `integrity` when the service answers with a session of something else. Nothing was
    ///   paid by it, whatever it is.
    public func open(_ order: PayrailsSessionOrder) async throws(PaymentError) -> PayrailsOpenSession {
        let body = try order.body(of: merchant)
        // The service answers a known key with the old session even where the body is another one, so that the key says
        // all of the body.
        let key = key(["session", body.text, "\(order.round)"])
        return try await asMerchant(id) { () throws(CallError) in
            let answer = try await calls.send(.post, ["merchant", "client", "init"], body: body, key: key)
            return try PayrailsOpenSession(answer, for: order, at: id)
        }
    }
}
