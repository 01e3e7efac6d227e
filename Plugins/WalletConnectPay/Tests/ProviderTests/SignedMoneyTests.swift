import Foundation
import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTesting
import PaymentWallet
import Synchronization
import TestSupport
import Testing
import WalletConnectPayProvider
import WalletConnectPaySandbox

/// A signature that has left is money until it is no longer good, whatever the gateway answers.
@Suite struct SignedMoneyTests {
    private static func refusal(_ status: Int, _ body: String) -> HTTPResponse {
        HTTPResponse(status: status, headers: ["Content-Type": "application/json"], body: Array(body.utf8))
    }

    private struct Shop {
        let world = PayWorld(at: 1_800_000_000)
        /// Takes a signature, keeps it, and answers as it likes.
        let gateway: RecordingTransport
        let router: PaymentRouter
        let payer = SandboxWallet(DevelopmentWallet(seed: 7)).payer()

        init(answering answer: HTTPResponse?) throws {
            gateway = RecordingTransport { [wire = world.wire] request throws(TransportError) in
                guard request.url.path.hasSuffix("/confirm") else { return try await wire.send(request) }
                guard let answer else { throw TransportError(.notSent, .timedOut, origin: request.url.origin) }
                return answer
            }
            let coin = try Currency(unit: "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913")
            let limit = SpendingLimit(try Money(decimal: "20", currency: coin, exponent: 6), per: .day)
            router = PaymentRouter(
                registry: try ProviderRegistry([try world.provider()]), transport: gateway, journal: world.journal,
                clock: world.clock, autoPay: AutoPay(within: [limit], timeZone: .gmt))
        }

        var kept: [HTTPRequest] { gateway.requests.filter { $0.url.path.hasSuffix("/confirm") } }

        /// Pays a new payment of 12.50 without a question.
        func pay() async throws -> PaymentOutcome {
            try await router.pay(await world.sandbox.createPayment(.paidAtOnce, cents: 1250).link, as: payer)
        }
    }

    @Test(
        "A limit binds a gateway that refuses what it keeps",
        arguments: [
            refusal(422, #"{"code":"invalid_params","message":"the signature could not be verified"}"#),
            refusal(403, #"{"code":"forbidden","message":"no"}"#),
            refusal(200, #"{"status":"failed","isFinal":true}"#),
        ])
    func limit(_ answer: HTTPResponse) async throws {
        let shop = try Shop(answering: answer)
        for turn in 1...3 {
            let outcome = try? await shop.pay()
            if turn == 1 {
                #expect(
                    outcome?.description.hasPrefix("unknown: the service has the payer's signature, which pays until 2")
                        == true)
            }
        }
        #expect(shop.kept.count == 1)
        var captured = 0
        for request in shop.kept where await shop.world.sandbox.respond(to: request).status == 200 { captured += 1 }
        #expect(captured == 1)
        #expect(await shop.world.journal.unfinished().count == 1)
        // It may have been cashed until then: what was signed counts, although no report says that it was paid.
        shop.world.clock.advance(by: .seconds(3600))
        _ = try await shop.router.recover(as: Payer())
        #expect(await shop.world.journal.spendings(since: SpendingDay(number: 0)).map(\.state) == [.paid])
        _ = try? await shop.pay()
        #expect(shop.kept.count == 1)
    }

    @Test("One payment has one signature, however often it is asked for")
    func oneSignature() async throws {
        let shop = try Shop(answering: Self.refusal(422, #"{"code":"invalid_params","message":"no"}"#))
        let payment = await shop.world.sandbox.createPayment(.paidAtOnce, cents: 1250)
        for _ in 0..<3 { _ = try? await shop.router.pay(payment.link, as: shop.payer) }
        #expect(Set(shop.kept.map(\.body)).count == 1)
    }

    @Test("A signature that no request has carried is none")
    func unsent() async throws {
        let shop = try Shop(answering: nil)
        for _ in 0..<3 { await #expect(throws: PaymentError.self) { try await shop.pay() } }
        #expect(shop.kept.count == 3)
        #expect(await shop.world.journal.unfinished().isEmpty)
        #expect(await shop.world.journal.spendings(since: SpendingDay(number: 0)).allSatisfy { $0.state == .released })
    }
}
