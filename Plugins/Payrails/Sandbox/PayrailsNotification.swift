public import PaymentCore
import PaymentCrypto
import SandboxSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension PayrailsSandbox {
    /// A notification to a merchant's server.
    public struct Notification: Sendable {
        /// The name of the event, such as `executionCreated` or `executionActionCompleted`.
        public let event: String
        /// The id of the execution.
        public let execution: String
        /// The header fields, with the body's HMAC in `X-Signature`.
        public let headers: HTTPHeaders
        /// The body: the same bytes in every attempt.
        public let body: [UInt8]
        /// The number of attempts to send it, to all addresses together.
        public internal(set) var attempts = 0
        /// The addresses that accepted the notification.
        public internal(set) var deliveredTo: [String] = []
    }

    func notifyCreated(_ execution: Execution) {
        notify(
            "executionCreated", execution, at: execution.createdAt, ["execution": summary(execution)], trigger: "api")
    }

    func notify(_ status: Execution.Due, _ execution: Execution) {
        // The code joins an operation and its progress, as in authorizeRequested.
        for (word, event) in [
            ("Requested", "executionActionRequested"), ("Pending", "executionActionUpdated"),
            ("Successful", "executionActionCompleted"), ("Failed", "executionActionCompleted"),
        ] where status.code.hasSuffix(word) {
            let verb = String(status.code.dropLast(word.count))
            let action = executions[execution.id]?.merchantActions.first { $0.id == status.action }
            let id = status.action ?? execution.payerActions[verb]
            var details: JSONValue = [
                "action": .string(verb), "execution": summary(execution),
                // Documented: the execution's total, whatever the amount of the action.
                "amount": execution.amount.body,
            ]
            details["actionId"] = id.map(JSONValue.string)
            details["actionMeta"] = action?.meta
            if word != "Requested" {
                details["success"] = .bool(word == "Successful")
                details["errors"] = status.reason?.errors ?? []
            }
            let isAsked = word == "Requested" && action?.isAutomatic != true
            notify(event, execution, at: status.stamp, details, trigger: isAsked ? "api" : "action")
        }
    }

    private func summary(_ execution: Execution) -> JSONValue {
        [
            "id": .string(execution.id), "merchantReference": .string(execution.merchantReference),
            "holderReference": .string(execution.holder), "holderId": .string(holders[execution.holder]?.id ?? ""),
            "workflowCode": .string(execution.workflow),
        ]
    }

    private func notify(
        _ event: String, _ execution: Execution, at time: Timestamp, _ details: JSONValue, trigger: String
    ) {
        let content: JSONValue = [
            "event": .string(event), "time": .string(time.text), "details": details,
            "workspaceId": .string(SessionPayload.workspace), "eventTrigger": .string(trigger),
        ]
        let body = content.serialized()
        let secret = configuration.webhookSecret.reveal()
        let key = configuration.spellsWebhookKey ? Hex.decode(secret) ?? [] : Array(secret.utf8)
        sent.append(
            Notification(
                event: event, execution: execution.id,
                headers: [
                    "Content-Type": "application/json",
                    "X-Signature": Data(Digest.sha256.authenticate(body, key: key)).base64EncodedString(),
                ], body: body))
        guard let transport = configuration.notificationTransport else { return }
        let index = sent.count - 1
        let urls = executions[execution.id]?.notificationURLs ?? []
        guard !urls.isEmpty else { return }
        deliveries[index] = Task {
            for url in urls { await self.deliver(index, to: url, over: transport) }
            self.deliveries[index] = nil
        }
    }

    // MARK: Delivering

    /// Returns when every delivery is accepted or abandoned.
    public func finishDeliveries() async {
        while let delivery = deliveries.values.first { await delivery.value }
    }

    /// Sends a notification until it is accepted or the attempts are exhausted.
    private func deliver(_ index: Int, to address: String, over transport: any HTTPTransport) async {
        guard let url = try? HTTPURL(address) else { return }
        await clock.deliver(repeatingAfter: configuration.notificationPauses) {
            await send(index, to: url, over: transport)
        }
    }

    /// Sends a notification once.
    ///
    /// - Returns: true if the address accepted the notification.
    @discardableResult func send(_ index: Int, to url: HTTPURL, over transport: any HTTPTransport) async -> Bool {
        var request = HTTPRequest(.post, url, headers: sent[index].headers, body: sent[index].body)
        request.timeout = .seconds(30)
        sent[index].attempts += 1
        // Documented: status 200 confirms receipt.
        guard let answer = try? await transport.send(request), answer.status == 200 else { return false }
        if !sent[index].deliveredTo.contains(url.text) { sent[index].deliveredTo.append(url.text) }
        return true
    }
}
