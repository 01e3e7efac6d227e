public import PaymentCore
import PaymentCrypto
import SandboxSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Notifying merchants of the status of their payments.
extension WalletConnectPaySandbox {
    /// Returns once no delivery is in progress: each is accepted or abandoned.
    public func finishDeliveries() async {
        while let delivery = deliveries.values.first { await delivery.value }
    }

    /// Returns a webhook as it would arrive now: every attempt is signed with its own time.
    ///
    /// - Parameters:
    ///   - webhook: the event.
    ///   - age: the seconds since it was signed.
    public func notification(_ webhook: Webhook, age: Int64 = 0) -> IncomingNotification {
        var headers: HTTPHeaders = ["Content-Type": "application/json"]
        guard let endpoint = configuration.endpoint(of: webhook.world) else {
            return IncomingNotification(headers: headers, body: webhook.body)
        }
        let time = String(now - age)
        let message = Array("\(webhook.deliveryID).\(time).".utf8) + webhook.body
        let signatures = endpoint.secrets.compactMap { secret -> String? in
            guard let key = Data(base64Encoded: String(secret.reveal().dropFirst("whsec_".utf8.count))) else {
                return nil
            }
            return "v1," + Data(Digest.sha256.authenticate(message, key: Array(key))).base64EncodedString()
        }
        let spellings: [String] =
            switch endpoint.spelling {
            case .svix: ["svix"]
            case .standard: ["webhook"]
            case .both: ["svix", "webhook"]
            }
        for spelling in spellings {
            headers["\(spelling)-id"] = webhook.deliveryID
            headers["\(spelling)-timestamp"] = time
            headers["\(spelling)-signature"] = signatures.joined(separator: " ")
        }
        return IncomingNotification(headers: headers, body: webhook.body)
    }

    /// Stores the event and sends it, if webhooks are configured.
    func notify(_ kind: String, of payment: PaymentRecord) {
        guard let endpoint = configuration.endpoint(of: payment.world), endpoint.kinds?.contains(kind) ?? true else {
            return
        }
        webhooks.append(
            Webhook(
                deliveryID: "msg_" + random.hex(24), kind: kind, payment: payment.id,
                body: WebhookBody(kind, payment, id: "evt_" + random.hex(24), at: clock.now).json.serialized(),
                world: payment.world))
        guard let url = endpoint.url, let transport = configuration.webhookTransport else { return }
        let index = webhooks.count - 1
        deliveries[index] = Task {
            await self.deliver(index, to: url, over: transport)
            self.deliveries[index] = nil
        }
    }

    /// Sends a webhook until it is accepted or the attempts are used up. Redirects are not followed, and count as
    /// failures.
    private func deliver(_ index: Int, to url: HTTPURL, over transport: any HTTPTransport) async {
        await clock.deliver(repeatingAfter: configuration.webhookPauses) {
            await send(index, to: url, over: transport)
        }
    }

    /// Sends a webhook once.
    ///
    /// - Returns: true if it was accepted.
    @discardableResult func send(_ index: Int, to url: HTTPURL, over transport: any HTTPTransport) async -> Bool {
        let notification = notification(webhooks[index])
        webhooks[index].attempts += 1
        let request = HTTPRequest(.post, url, headers: notification.headers, body: notification.body)
        guard let answer = try? await transport.send(request), (200..<300).contains(answer.status) else { return false }
        webhooks[index].isDelivered = true
        return true
    }
}

extension WalletConnectPaySandbox.Configuration {
    func endpoint(of world: World) -> WalletConnectPaySandbox.WebhookEndpoint? {
        world == .live ? liveWebhooks : testWebhooks
    }
}
