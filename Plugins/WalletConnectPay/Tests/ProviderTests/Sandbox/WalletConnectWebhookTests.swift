import Foundation
import PaymentCore
import PaymentCrypto
import PaymentTesting
import TestSupport
import Testing
import WalletConnectPaySandbox

/// The sandbox's own notifications to merchants.
@Suite struct WalletConnectWebhookTests {
    private static func world(_ receiver: RecordingTransport, _ clock: VirtualClock) throws -> WalletConnectPaySandbox {
        var configuration = WalletConnectPaySandbox.Configuration()
        configuration.liveWebhooks = .init(url: try HTTPURL("https://shop.example/hooks"))
        configuration.webhookTransport = receiver
        return WalletConnectPaySandbox(configuration, clock: clock, random: SeededRandomSource(seed: 3))
    }

    @Test("Tries again until it is accepted, with the same body and a new signature")
    func retries() async throws {
        let (receiver, clock) = (RecordingTransport(statuses: [500, 302, 0, 404, 204]), VirtualClock())
        let sandbox = try Self.world(receiver, clock)
        _ = await sandbox.createPayment()
        await sandbox.finishDeliveries()
        let seen = receiver.requests
        #expect(seen.count == 5)
        #expect(Set(seen.map(\.body)).count == 1 && Set(seen.map { $0.headers["svix-id"] }).count == 1)
        let times = seen.compactMap { Int($0.headers["svix-timestamp"] ?? "") }
        let pauses: [Int] = zip(times, times.dropFirst()).map { $1 - $0 }
        #expect(pauses == [5, 300, 1800, 7200])
        #expect(Set(seen.map { $0.headers["svix-signature"] }).count == 5)
        let webhook = try #require(await sandbox.webhooks.first)
        #expect(webhook.attempts == 5 && webhook.isDelivered)
    }

    @Test("Abandons after eight attempts in about 28 hours")
    func givesUp() async throws {
        let (receiver, clock) = (RecordingTransport(statuses: [503]), VirtualClock())
        let sandbox = try Self.world(receiver, clock)
        _ = await sandbox.createPayment()
        await sandbox.finishDeliveries()
        let pauses = [5, 300, 1800, 7200, 18_000, 36_000, 36_000]
        #expect(receiver.requests.count == 8)
        #expect(clock.slept == .seconds(pauses.reduce(0, +)))
        #expect(await sandbox.webhooks.first?.isDelivered == false)
    }

    @Test("Signs what it sends, as the documentation has it")
    func signs() async throws {
        let (receiver, clock) = (RecordingTransport(statuses: [204]), VirtualClock())
        let sandbox = try Self.world(receiver, clock)
        let payment = await sandbox.createPayment(.paidAtOnce)
        await sandbox.pay(payment.id)
        await sandbox.finishDeliveries()
        #expect(receiver.requests.count == 4)
        let key = try #require(Data(base64Encoded: "c2FuZGJveC13ZWJob29rLXNlY3JldA=="))
        for request in receiver.requests {
            for spelling in ["svix", "webhook"] {
                let id = try #require(request.headers["\(spelling)-id"])
                let time = try #require(request.headers["\(spelling)-timestamp"])
                let message = Array("\(id).\(time).".utf8) + request.body
                let digest = Data(Digest.sha256.authenticate(message, key: Array(key))).base64EncodedString()
                #expect(request.headers["\(spelling)-signature"] == "v1,\(digest)")
            }
            let data = try JSONValue(parsing: request.body)["data"]
            #expect(
                data?.object.map { Set($0.keys) } == [
                    "payment_id", "merchant_id", "live", "payment_state_version", "reference_id", "status", "amount",
                    "created_at", "expires_at", "processing", "success", "failed", "cancelled", "expired", "settled",
                ])
            #expect(data?["live"] == true && data?["amount"] == ["unit": "iso4217/USD", "value": "1250"])
        }
    }

    @Test("Only the requested kinds and environment are reported")
    func choice() async throws {
        let sandbox: WalletConnectPaySandbox = {
            var configuration = WalletConnectPaySandbox.Configuration()
            configuration.liveWebhooks = .init()
            configuration.liveWebhooks?.kinds = ["payment.succeeded"]
            return WalletConnectPaySandbox(configuration, clock: VirtualClock())
        }()
        let payment = await sandbox.createPayment()
        await sandbox.pay(payment.id)
        await sandbox.pay(payment.id)
        #expect(await sandbox.webhooks.map(\.kind) == ["payment.succeeded"])
        #expect(await sandbox.ledger.captures(of: payment.id) == 1)
        let silent = WalletConnectPaySandbox(clock: VirtualClock())
        _ = await silent.createPayment()
        #expect(await silent.webhooks.isEmpty)
    }
}
