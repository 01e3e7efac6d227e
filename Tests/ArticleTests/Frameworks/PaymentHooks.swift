import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTesting
import Testing
import WalletConnectPaySandbox

/// The code of Servers.md that takes notifications from any web framework.
struct PaymentHooks: Sendable {
    /// The shop's own part: fulfils each order once.
    struct Shop: Sendable {
        func fulfil(_ outcome: PaymentOutcome, of payment: PaymentReference) async throws {}
    }

    let router: PaymentRouter
    let shop = Shop()

    func take(_ fields: some Sequence<(name: String, value: String)>, _ body: [UInt8]) async -> Int {
        do {
            let notification = IncomingNotification(headers: HTTPHeaders(fields), body: body)
            let report = try await router.handle(notification, from: "citcon-merchant")
            try await shop.fulfil(report.outcome, of: report.reference)
            return 200
        } catch let error as PaymentError where error.code == .untrustedNotification {
            return 400
        } catch {
            return 500
        }
    }
}

@Suite("Article: servers, in web frameworks")
struct PaymentHooksTests {
    @Test("A notification of no registered service is answered with 500, so that the service sends it again")
    func unknown() async throws {
        let world = await ArticleWorld()
        let hooks = PaymentHooks(router: try world.router)
        #expect(await hooks.take([("Content-Type", "application/json")], Array("{}".utf8)) == 500)
        #expect(await VaporCode.answer(hooks).code == 500)
        #expect(try await HummingbirdCode.answer(hooks).code == 500)
    }

    @Test("Attempts are listed from a journal")
    func list() async throws {
        let world = await ArticleWorld()
        _ = try await world.router.pay(world.link, as: world.wallet.payer())
        let journal = world.journal
        let page = await journal.attempts(AttemptQuery(limit: 50))
        for history in page.histories { print(history.attempt.reference, history.entries.count) }
        #expect(page.histories.count == 1)
    }
}
