public import PaymentCore
import PaymentCrypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension PayrailsSandbox {
    /// A notification as a merchant's server would receive it.
    public struct Notification: Sendable {
        /// The name of the event: `executionCreated`, `executionActionRequested` or `executionActionCompleted`.
        public let event: String
        /// The execution it is about.
        public let execution: String
        /// The header fields, with the body's HMAC in `X-Signature`.
        public let headers: HTTPHeaders
        /// The body. Only the event names are documented; its other members are this sandbox's guess.
        public let body: [UInt8]
    }

    func notifyCreated(_ execution: Execution) {
        notify("executionCreated", execution, ["time": .string(execution.createdAt.text)])
    }

    func notify(_ status: Execution.Due, _ execution: Execution) {
        // An operation and a word for how far it is, such as authorizeRequested.
        for (word, event) in [
            ("Requested", "executionActionRequested"), ("Pending", "executionActionUpdated"),
            ("Successful", "executionActionCompleted"), ("Failed", "executionActionCompleted"),
        ] where status.code.hasSuffix(word) {
            var detail: JSONValue = [
                "action": .string(String(status.code.dropLast(word.count))), "status": .string(status.code),
                "time": .string(status.stamp.text), "amount": execution.amount.body,
            ]
            if let reason = status.reason { detail["errors"] = reason.errors }
            notify(event, execution, detail)
        }
    }

    private func notify(_ event: String, _ execution: Execution, _ detail: JSONValue) {
        var data = detail
        data["executionId"] = .string(execution.id)
        data["merchantReference"] = .string(execution.merchantReference)
        let body = (["id": .string(random.uuid()), "event": .string(event), "data": data] as JSONValue).serialized()
        let code = Digest.sha256.authenticate(body, key: Array(configuration.webhookSecret.reveal().utf8))
        sent.append(
            Notification(
                event: event, execution: execution.id,
                headers: [
                    "Content-Type": "application/json", "X-Signature": Data(code).base64EncodedString(),
                ], body: body))
    }
}
