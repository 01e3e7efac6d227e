import CitconKit
import CitconMerchant
import CitconProvider
import Foundation
import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTesting
import PaymentTransport
import PayrailsKit
import PayrailsProvider
import Synchronization
import Testing
import WalletConnectPayKit
import WalletConnectPayMerchant
import WalletConnectPayProvider
import WalletConnectPaySandbox

/// The README's code, and the articles' code of programs around a payment. It is compiled; the parts that need no
/// vendor also run.
enum ReadmeCode {
    static func pay(_ link: String, _ router: PaymentRouter, _ accounts: [AccountID], _ wallet: any PaymentSigner)
        async throws
        -> PaymentOutcome
    {
        let usdc = try Currency(unit: "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913")
        let limit = try Money(decimal: "25", currency: usdc, exponent: 6)
        let payer = Payer(accounts: accounts, signer: wallet, policy: .first(upTo: [limit]))
        let outcome = try await router.pay(link, as: payer)
        return outcome
    }

    static func order(
        _ customer: String, _ number: String, _ value: [UInt8], _ date: Date, in store: any RecordStore
    ) async throws -> (isNew: Bool, due: [StoredRecord]) {
        let key = RecordKey("order", room: customer, name: number)
        let isNew = try await store.change([.record(key)]) { found in
            guard found[0].isEmpty else { return RecordChange(false) }
            return RecordChange([.put(key, value, marks: ["due": RecordMark(date)])], true)
        }
        let due = try await store.records(RecordQuery("order", by: "due", through: RecordMark(.now), limit: 20))
        return (isNew, due)
    }

    static func refund(
        _ charge: PaymentReceipt, _ amount: Money, _ key: Redacted<String>, _ journal: any PaymentJournal
    ) async throws -> PaymentOutcome {
        let shop = CitconMerchant(endpoint: try CitconEndpoint(.PROD), privateKey: key)
        let registry = try ProviderRegistry([shop])
        let router = PaymentRouter(registry: registry, transport: StandardTransport(), journal: journal)
        let outcome = try await router.refund(RefundRequest(of: charge.reference, amount: amount, id: "credit-7"))
        return outcome
    }

    static func sell(
        _ apiKey: String, _ secret: WalletConnectPayMerchant.WebhookSecret, _ price: Money, _ headers: HTTPHeaders,
        _ body: [UInt8]
    ) async throws -> (WalletConnectPayMerchant.CreatedPayment, WalletConnectPayMerchant.Event) {
        let key = try WalletConnectPayMerchant.Key(Redacted(apiKey))  // wcp_test_… or wcp_…: test or live
        let shop = try WalletConnectPayMerchant(merchantID: "mrch_…", key: key, webhookSecrets: [secret])
        let client = shop.client(over: StandardTransport(), clock: SystemPaymentClock())
        // payment.link is for the buyer.
        let payment = try await client.createPayment(.init(reference: "ORDER-7", amount: price))
        let event = try shop.read(IncomingNotification(headers: headers, body: body))
        return (payment, event)
    }

    static func walletConnectPay(_ link: String, _ accounts: [String]) async throws -> PaymentOptionsResponse {
        WalletConnectPay.configure(appId: "your-walletconnect-project-id", logging: true)
        let options = try await WalletConnectPay.instance.getPaymentOptions(paymentLink: link, accounts: accounts)
        return options
    }

    static func citcon(_ order: CPayRequest) {
        CPayManager.sharedInstance().setMode(.UAT)
        CPayManager.sharedInstance().requestOrder(order) { result in print(result?.status ?? "no answer") }
    }

    static func payrails(
        _ configuration: Payrails.Configuration, _ card: any StoredInstrument, _ presenter: any PaymentPresenter
    ) async throws -> OnPayResult {
        let payrails = try await Payrails.createSession(with: configuration)
        let result = await payrails.executePayment(withStoredInstrument: card, presenter: presenter)
        return result
    }

    static func autoPay(
        _ registry: ProviderRegistry, _ transport: any HTTPTransport, _ journal: any PaymentJournal
    ) throws -> PaymentRouter {
        let autoPay = AutoPay(within: [SpendingLimit(try Money(decimal: "20", currency: .eur), per: .day)])
        let router = PaymentRouter(registry: registry, transport: transport, journal: journal, autoPay: autoPay)
        return router
    }

    static func autoPay(
        _ registry: ProviderRegistry, _ transport: any HTTPTransport, _ journal: any PaymentJournal,
        _ coffeeShop: String
    ) throws -> PaymentRouter {
        let autoPay = AutoPay(within: [
            SpendingLimit(try Money(decimal: "20", currency: .eur), per: .day),
            SpendingLimit(try Money(decimal: "100", currency: .eur), per: .month),
            SpendingLimit(try Money(decimal: "5", currency: .eur), per: .week, on: .payee(coffeeShop)),
        ])
        let router = PaymentRouter(registry: registry, transport: transport, journal: journal, autoPay: autoPay)
        return router
    }

    static func appSetup() {
        for method in ["wechatpay", "alipay", "card"] {
            let setup = CPayAppSetup(
                method: method, bundleID: "com.shop", scheme: "com.shop.pay", weChatAppID: "wx0123456789abcdef")
            for problem in setup.missing(in: Bundle.main.infoDictionary ?? [:]) { print("\(method): \(problem)") }
        }
    }
}

/// A provider with the one request of Providers.md that moves money.
struct CafeProvider {
    struct Order: Codable, Sendable {
        let state: String

        func report(of payment: PaymentReference) -> ServiceReport {
            state == "paid"
                ? .succeeded(PaymentReceipt(reference: payment))
                : .unknown(UnknownOutcome(reference: payment, rawStatus: state, message: "not paid yet"))
        }
    }

    let url: HTTPURL

    func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport {
        let order: Order = try await context.step("pay", .mutation(replay: .never)) {
            try await context.json(.post, url, body: ["price": .string(attempt.option.amount.decimalText)])
        }
        return order.report(of: attempt.reference)
    }
}

@Suite("Article: the README, and observing")
struct ReadmeTests {
    @Test("The conformance kit probes the provider to start from")
    func conformance() async throws {
        let report = await ProviderConformance.check(KeyedVendor.self)
        #expect(report.isPassed, "\(report)")
    }

    private final class Counter: Sendable {
        private let value = Mutex(0)
        var count: Int { value.withLock { $0 } }
        func increment() { value.withLock { $0 += 1 } }
    }

    private struct Logger: Sendable {
        func info(_ text: String, metadata: [String: String]) {}
    }

    @Test("A log counts what a dashboard shows")
    func observe() async throws {
        let world = await ArticleWorld()
        let (outcomes, retries, open, logger) = (Counter(), Counter(), Counter(), Logger())
        let (registry, transport, journal) = (try world.registry, SandboxTransport(world.sandbox), world.journal)
        let log = PaymentLog { event in
            logger.info("\(event)", metadata: ["payment": "\(event.reference?.description ?? "")"])
            switch event.kind {
            case .outcome(let outcome) where outcome.isFinal: outcomes.increment()
            case .retrying: retries.increment()
            case .failed(let error) where error.phase == .maybeSent: open.increment()
            default: break
            }
        }
        let router = PaymentRouter(registry: registry, transport: transport, journal: journal, log: log)
        _ = try await router.pay(world.link, as: world.wallet.payer())
        #expect((outcomes.count, retries.count, open.count) == (1, 0, 0))
    }
}
