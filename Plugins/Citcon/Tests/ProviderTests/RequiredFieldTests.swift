import PaymentCore
import PaymentRouting
import Synchronization
import TestSupport
import Testing

@testable import CitconKit
@testable import CitconProvider

/// The fields that an order requires, by payment method (Protocol 3.4).
@Suite struct RequiredFieldTests {
    /// A launcher whose payer returns at once.
    private static func back(_ url: String?) -> CPayLauncher { { _ in .returned(url: url) } }
    private static let paid = "wxeb0650d489d69e14://pay/?returnKey=a&ret=0"

    @Test(
        "A missing method is reported, and nothing is sent", arguments: [nil, ""] as [String?])
    func missingMethod(_ method: String?) async throws {
        let service = ScriptedCitcon()
        let heard = Heard()
        let client = try CPayClient(service, heard: heard)
        let order = Shop.order()
        order.payment?.method = method
        let texts = Mutex<[String]>([])
        let isTaken = client.requestOrder(order) { result in
            texts.withLock { $0.append("\(result?.data.code ?? "") \(result?.data.message ?? "")") }
            #expect(result?.status == "fail" && result?.data.reference == "order-1" && result?.data.id == nil)
        }
        #expect(isTaken)
        #expect(await heard.first(1) == ["check fail -1 -"] && service.calls.isEmpty)
        #expect(texts.withLock { $0 } == ["-1 .payment.method can not be empty"])
        order.payment = nil
        #expect(await client.requestOrder(order).data.message == CPayMessage.noMethod)
    }

    static let missing: [(String, String, String, @Sendable (CPayRequest) -> Void)] = [
        ("wechatpay", "wechatpay", ".chargeToken can not be empty or nil", { $0.chargeToken = nil }),
        ("toss", "toss", ".transaction.reference can not be empty", { $0.transaction.reference = nil }),
        ("toss", "toss", ".transaction.amount can not be empty", { $0.transaction.amount = 0 }),
        ("toss", "toss", ".transaction.amount can not be empty", { $0.transaction.amount = -1 }),
        ("new", "toss", ".transaction.currency can not be empty", { $0.transaction.currency = "" }),
        ("new", "toss", ".transaction.country can not be empty", { $0.transaction.country = nil }),
        ("alipay", "alipay", ".chargeToken can not be empty or nil", { $0.chargeToken = "" }),
        ("alipay", "alipay", ".scheme Can not be empty for Alipay", { $0.scheme = nil }),
        ("wechatpay", "wechatpay", ".universalLink Can not be empty for WechatPay", { $0.universalLink = "" }),
        ("upop", "upop", ".unionPayMode or .controller Can not be empty for UPOP", { $0.unionpayMode = nil }),
        ("card", "braintree", ".consumer.phone Can not be empty for 3-D Secure", { proved($0).consumer?.phone = nil }),
        (
            "card", "braintree", ".consumer.firstName Can not be empty for 3-D Secure",
            { proved($0).consumer?.firstName = "" }
        ),
        ("card", "braintree", ".consumer.email Can not be empty for 3-D Secure", { proved($0).consumer?.email = nil }),
        ("card", "braintree", ".consumer.firstName Can not be empty for 3-D Secure", { proved($0).consumer = nil }),
        (
            "card", "braintree", ".payment.billingAddress.zip Can not be empty for 3-D Secure",
            { proved($0).payment?.billingAddress?.zip = nil }
        ),
        (
            "card", "braintree", ".payment.billingAddress.street Can not be empty for 3-D Secure",
            { proved($0).payment?.billingAddress = nil }
        ),
        (
            "paypal", "braintree", ".consumer.reference Can not be empty for a stored paypal account",
            { $0.payment?.requestToken = true }
        ),
        (
            "venmo", "braintree", ".consumer.reference Can not be empty for a stored venmo account",
            { $0.payment?.token = "t" }
        ),
        ("cashapppay", "cashapp", ".scheme Can not be empty for Cash App", { $0.scheme = nil }),
        (
            "cashapppay", "cashapp", ".consumer.reference Can not be empty for a stored cashapppay account",
            { $0.payment?.requestToken = true }
        ),
        ("toss", "toss", ".urls.fail Can not be empty for toss", { $0.urls.fail = nil }),
        ("banktransfer", "toss", ".urls.success Can not be empty for banktransfer", { $0.urls.success = "" }),
    ]

    /// An order whose card holder can be authenticated.
    @discardableResult
    private static func proved(_ order: CPayRequest) -> CPayRequest {
        order.request3DSecureVerification = true
        order.consumer = CPayConsumer()
        order.consumer?.firstName = "Ada"
        order.consumer?.lastName = "Example"
        order.consumer?.phone = "5551234567"
        order.consumer?.email = "ada@example.com"
        order.payment?.billingAddress = CPayBillingAddr()
        order.payment?.billingAddress?.street = "1 Example Street"
        order.payment?.billingAddress?.city = "Chicago"
        order.payment?.billingAddress?.state = "IL"
        order.payment?.billingAddress?.zip = "12345"
        order.payment?.billingAddress?.country = "US"
        return order
    }

    @Test("What a method needs is checked before anything is sent", arguments: missing)
    func missingAtStart(
        _ method: String, _ gateway: String, _ message: String, _ spoil: @Sendable (CPayRequest) -> Void
    ) async throws {
        let service = ScriptedCitcon(gateway: gateway)
        let heard = Heard()
        let client = try CPayClient(service, launcher: Self.back(Self.paid), heard: heard)
        let order = Shop.order(method)
        spoil(order)
        client.requestOrder(order) { result in
            heard.add("\(result?.status ?? "") \(result?.data.code ?? "") \(result?.data.message ?? "")")
        }
        #expect(await heard.first(2) == ["fail -1 \(message)", "check fail -1 -"])
        #expect(service.calls.isEmpty)
    }

    @Test("An order with everything that 3-D Secure needs is paid; the unit within the house is not needed")
    func complete() async throws {
        let service = ScriptedCitcon(
            gateway: "braintree", confirm: .ok(ScriptedCitcon.charge("", status: "succeeded")))
        let order = Self.proved(Shop.order("card"))
        order.payment?.nonce = "n"
        #expect(await (try CPayClient(service)).requestOrder(order).isPaid)
    }

    static let missingLater: [(String, String, String, @Sendable (CPayRequest) -> Void)] = [
        ("new", "alipay", ".scheme Can not be empty for Alipay", { $0.scheme = nil }),
        ("new", "wechatpay", ".universalLink Can not be empty for WechatPay", { $0.universalLink = "" }),
        ("new", "upop", ".unionPayMode or .controller Can not be empty for UPOP", { $0.unionpayMode = nil }),
        ("klarna", "klarna", "Unsupport Payment: klarna", { _ in }),
    ]

    @Test(
        "What a gateway needs is checked once it is known, and before the charge is confirmed",
        arguments: missingLater)
    func missingMember(
        _ method: String, _ gateway: String, _ message: String, _ spoil: @Sendable (CPayRequest) -> Void
    ) async throws {
        let service = ScriptedCitcon(gateway: gateway)
        let heard = Heard()
        let client = try CPayClient(service, launcher: Self.back(Self.paid), heard: heard)
        let order = Shop.order(method)
        spoil(order)
        let result = await client.requestOrder(order)
        #expect(result.status == "fail" && result.data.code == "-1" && result.data.message == message)
        #expect(service.calls == ["POST config"])
        #expect(await heard.first(1) == ["check fail -1 -"])
    }

    @Test("UnionPay needs no screen, and Alipay no universal link")
    func notMissing() async throws {
        for (method, gateway) in [("upop", "upop"), ("toss", "toss")] {
            let order = Shop.order(method)
            order.controller = nil
            order.universalLink = nil
            order.scheme = method == "upop" ? order.scheme : nil
            let service = ScriptedCitcon(
                gateway: gateway, confirm: .ok(ScriptedCitcon.charge("x", status: "succeeded")))
            #expect(await (try CPayClient(service)).requestOrder(order).isPaid)
        }
    }

    @Test("A link's method is checked before anything is sent, too")
    func links() async throws {
        let service = ScriptedCitcon()
        let payer = Payer(appLauncher: { _ in nil }, policy: .firstWhateverItCosts)
        let bare = CitconProvider(
            configuration: CitconConfiguration(endpoint: try CPayEndpoint(.UAT), accessToken: Redacted("t")))
        for (method, hint) in [("wechatpay", "universal link"), ("alipay", "scheme"), ("cashapppay", "Cash App")] {
            let router = try PaymentRouter(bare, over: service)
            let link = LinkTests.good.replacing("wechatpay", with: method)
            let error = await failure { _ = try await router.pay(link, as: payer) }
            #expect(error?.code == .unsupported && error?.phase == .beforeSend)
            #expect(error?.message.contains(hint) == true)
        }
        #expect(service.calls.isEmpty)
    }
}
