import PaymentCore
import Testing

@testable import CitconKit
@testable import CitconProvider

/// The requests of an order (Protocol 2.4 and 2.5).
@Suite struct RequestWireTests {
    private func json(_ text: String) throws -> JSONValue { try JSONValue(parsing: text) }

    @Test("An order of the guide's example, to the letter")
    func guideExample() throws {
        let order = CPayRequest()
        order.transaction.reference = "wechatpay_ref_123erg0234s"
        order.transaction.amount = 1
        order.transaction.currency = "USD"
        order.transaction.country = "US"
        order.transaction.note = "note"
        order.payment = CPayPayment()
        order.payment?.method = "wechatpay"
        order.urls.ipn = "https://ipn.com/"
        order.urls.success = "https://success.com/"
        order.urls.cancel = "https://cancel.com/"
        order.urls.fail = "https://fail.com/"
        #expect(
            order.body
                == (try json(
                    #"""
                    {"transaction":{"reference":"wechatpay_ref_123erg0234s","amount":1,"currency":"USD","country":"US",
                    "auto_capture":false,"note":"note"},
                    "payment":{"method":"wechatpay","request_token":false,"client":["mobile_native"]},
                    "urls":{"ipn":"https://ipn.com/","success":"https://success.com/","cancel":"https://cancel.com/",
                    "fail":"https://fail.com/"}}
                    """#)))
    }

    /// The place of a member in the body, its value there, and what sets it.
    static let fields: [(String, JSONValue, @Sendable (CPayRequest) -> Void)] = [
        ("internal", true, { $0.internal = true }),
        ("transaction.reference", "v", { $0.transaction.reference = "v" }),
        ("transaction.amount", 7, { $0.transaction.amount = 7 }),
        ("transaction.currency", "v", { $0.transaction.currency = "v" }),
        ("transaction.country", "v", { $0.transaction.country = "v" }),
        ("transaction.auto_capture", true, { $0.transaction.autoCapture = true }),
        ("transaction.note", "v", { $0.transaction.note = "v" }),
        ("transaction.vertical", "v", { $0.transaction.vertical = "v" }),
        ("consumer.reference", "v", { $0.consumer?.reference = "v" }),
        ("consumer.first_name", "v", { $0.consumer?.firstName = "v" }),
        ("consumer.last_name", "v", { $0.consumer?.lastName = "v" }),
        ("consumer.phone", "v", { $0.consumer?.phone = "v" }),
        ("consumer.email", "v", { $0.consumer?.email = "v" }),
        ("consumer.street", "v", { $0.consumer?.street = "v" }),
        ("consumer.city", "v", { $0.consumer?.city = "v" }),
        ("consumer.zip", "v", { $0.consumer?.zip = "v" }),
        ("consumer.country", "v", { $0.consumer?.country = "v" }),
        ("consumer.registration_time", 7, { $0.consumer?.registrationTime = 7 }),
        ("consumer.registration_ip", "v", { $0.consumer?.registrationIp = "v" }),
        ("consumer.risk_level", "v", { $0.consumer?.riskLevel = "v" }),
        ("consumer.first_interaction_time", 7, { $0.consumer?.firstInteractionTime = 7 }),
        ("consumer.total_transaction_count", 7, { $0.consumer?.totalTransactionCount = 7 }),
        ("payment.method", "v", { $0.payment?.method = "v" }),
        ("payment.indicator", "v", { $0.payment?.indicator = "v" }),
        ("payment.request_token", true, { $0.payment?.requestToken = true }),
        ("payment.token", "v", { $0.payment?.token = "v" }),
        ("payment.expiry", 60000, { $0.payment?.expiry = 60000 }),
        ("payment.format", "v", { $0.payment?.format = "v" }),
        ("payment.nonce", "v", { $0.payment?.nonce = "v" }),
        ("payment.request_token", false, { _ in }),
        ("payment.client", ["mobile_native"], { _ in }),
        ("payment.client", ["mobile_native"], { $0.payment?.client = ["mobile_native"] }),
        ("payment.client", ["desktop", "mobile_native"], { $0.payment?.client = ["desktop"] }),
        ("payment.data.issuer", "v", { $0.payment?.data?.issuer = "v" }),
        ("payment.data.pan", "v", { $0.payment?.data?.pan = "v" }),
        ("payment.data.first_name", "v", { $0.payment?.data?.firstName = "v" }),
        ("payment.data.last_name", "v", { $0.payment?.data?.lastName = "v" }),
        ("payment.data.cvv", "v", { $0.payment?.data?.cvv = "v" }),
        ("payment.data.expiry", "v", { $0.payment?.data?.expiry = "v" }),
        ("payment.billing_address.street", "v", { $0.payment?.billingAddress?.street = "v" }),
        ("payment.billing_address.street2", "v", { $0.payment?.billingAddress?.street2 = "v" }),
        ("payment.billing_address.city", "v", { $0.payment?.billingAddress?.city = "v" }),
        ("payment.billing_address.state", "v", { $0.payment?.billingAddress?.state = "v" }),
        ("payment.billing_address.zip", "v", { $0.payment?.billingAddress?.zip = "v" }),
        ("payment.billing_address.country", "v", { $0.payment?.billingAddress?.country = "v" }),
        ("goods.data.0.name", "v", { $0.goods?.goods?[0].name = "v" }),
        ("goods.data.0.sku", "v", { $0.goods?.goods?[0].sku = "v" }),
        ("goods.data.0.url", "v", { $0.goods?.goods?[0].url = "v" }),
        ("goods.data.0.category", "v", { $0.goods?.goods?[0].category = "v" }),
        ("goods.data.0.product_type", "v", { $0.goods?.goods?[0].productType = "v" }),
        ("goods.data.0.description", "v", { $0.goods?.goods?[0].desc = "v" }),
        ("goods.data.0.total_discount_code", "v", { $0.goods?.goods?[0].totalDiscountCode = "v" }),
        ("goods.data.0.quantity", 7, { $0.goods?.goods?[0].quantity = 7 }),
        ("goods.data.0.total_amount", 7, { $0.goods?.goods?[0].totalAmount = 7 }),
        ("goods.data.0.unit_amount", 7, { $0.goods?.goods?[0].unitAmount = 7 }),
        ("goods.data.0.total_tax_rate", 7, { $0.goods?.goods?[0].totalTaxRate = 7 }),
        ("goods.data.0.total_tax_amount", 7, { $0.goods?.goods?[0].totalTaxAmount = 7 }),
        ("goods.data.0.total_discount_amount", 7, { $0.goods?.goods?[0].totalDiscountAmount = 7 }),
        ("goods.data.0.taxable_amount", 7, { $0.goods?.goods?[0].taxableAmount = 7 }),
        ("goods.data.0.tax_exempt_amount", 7, { $0.goods?.goods?[0].taxExemptAmount = 7 }),
        ("goods.data.0.unit_tax_amount", 0, { $0.goods?.goods?[0].unitTaxAmount = 0 }),
        ("goods.shipping.first_name", "v", { $0.goods?.shipping?.firstName = "v" }),
        ("goods.shipping.last_name", "v", { $0.goods?.shipping?.lastName = "v" }),
        ("goods.shipping.phone", "v", { $0.goods?.shipping?.phone = "v" }),
        ("goods.shipping.email", "v", { $0.goods?.shipping?.email = "v" }),
        ("goods.shipping.street", "v", { $0.goods?.shipping?.street = "v" }),
        ("goods.shipping.street2", "v", { $0.goods?.shipping?.street2 = "v" }),
        ("goods.shipping.city", "v", { $0.goods?.shipping?.city = "v" }),
        ("goods.shipping.state", "v", { $0.goods?.shipping?.state = "v" }),
        ("goods.shipping.zip", "v", { $0.goods?.shipping?.zip = "v" }),
        ("goods.shipping.country", "v", { $0.goods?.shipping?.country = "v" }),
        ("goods.shipping.type", "v", { $0.goods?.shipping?.type = "v" }),
        ("goods.shipping.amount", 7, { $0.goods?.shipping?.amount = 7 }),
        ("installments.id", "v", { $0.installments?.id = "v" }),
        ("installments.payment_number", 2, { $0.installments?.paymentNumber = 2 }),
        ("installments.quantity", 3, { $0.installments?.quantity = 3 }),
        ("urls.ipn", "v", { $0.urls.ipn = "v" }),
        ("urls.success", "v", { $0.urls.success = "v" }),
        ("urls.fail", "v", { $0.urls.fail = "v" }),
        ("urls.cancel", "v", { $0.urls.cancel = "v" }),
        ("urls.mobile", "v", { $0.urls.mobile = "v" }),
        ("ext.transaction.receipt.type", "v", { $0.ext?.transaction?.receipt?.type = "v" }),
        ("ext.transaction.metadata", "v", { $0.ext?.transaction?.metadata = "v" }),
        ("ext.device.ip", "v", { $0.ext?.device?.ip = "v" }),
        ("ext.device.os", "v", { $0.ext?.device?.os = "v" }),
        ("ext.device.os_version", "v", { $0.ext?.device?.osVersion = "v" }),
        ("ext.device.model", "v", { $0.ext?.device?.model = "v" }),
        ("ext.device.fingerprint", "v", { $0.ext?.device?.fingerprint = "v" }),
        ("ext.app.app_name", "v", { $0.ext?.app?.appName = "v" }),
        ("ext.app.version", "v", { $0.ext?.app?.version = "v" }),
        ("ext.app.source", "v", { $0.ext?.app?.source = "v" }),
        ("ext.app.bundle_id", "v", { $0.ext?.app?.bundleId = "v" }),
        ("ext.app.sdk_version", "v", { $0.ext?.app?.sdkVersion = "v" }),
        ("ext.gateway.order_id", "v", { $0.ext?.gateway?.orderId = "v" }),
        ("ext.gateway.order_payer_id", "v", { $0.ext?.gateway?.orderPayerId = "v" }),
        ("ext.gateway.order_payment_id", "v", { $0.ext?.gateway?.orderPaymentId = "v" }),
        ("ext.gateway.order_payment_source", "v", { $0.ext?.gateway?.orderPaymentSource = "v" }),
        ("ext.gateway.authorization_token", "v", { $0.ext?.gateway?.authorizationToken = "v" }),
        ("ext.gateway.grant.grant_id", "v", { $0.ext?.gateway?.grant?.grantId = "v" }),
        ("ext.gateway.grant.expiry", "v", { $0.ext?.gateway?.grant?.expiry = "v" }),
        ("ext.gateway.consumer.consumer_id", "v", { $0.ext?.gateway?.consumer?.consumerId = "v" }),
        ("ext.gateway.consumer.cashtag", "v", { $0.ext?.gateway?.consumer?.cashtag = "v" }),
    ]

    /// An order with all of its parts, each empty.
    private static func empty() -> CPayRequest {
        let order = CPayRequest()
        order.consumer = CPayConsumer()
        order.payment = CPayPayment()
        order.payment?.data = CPayPaymentData()
        order.payment?.billingAddress = CPayBillingAddr()
        order.goods = CPayGoods()
        order.goods?.goods = [CPayProduct()]
        order.goods?.shipping = CPayShipping()
        order.installments = CPayInstallments()
        order.ext = CPayExt()
        order.ext?.transaction = CPayExtTransaction()
        order.ext?.transaction?.receipt = CPayExtReceipt()
        order.ext?.device = CPayExtDevice()
        order.ext?.app = CPayExtApp()
        order.ext?.gateway = CPayExtGateway()
        order.ext?.gateway?.grant = CPayExtGatewayGrant()
        order.ext?.gateway?.consumer = CPayExtGatewayConsumer()
        return order
    }

    @Test("Every member stands where the service looks for it", arguments: fields)
    func field(_ path: String, _ expected: JSONValue, _ set: @Sendable (CPayRequest) -> Void) {
        let order = Self.empty()
        set(order)
        var value: JSONValue? = order.body
        for part in path.split(separator: ".") {
            value = Int(part).map { index in value?[index] } ?? value?[String(part)]
        }
        #expect(value == expected)
    }

    @Test("A member that is not set is not sent")
    func omitted() throws {
        let order = CPayRequest()
        #expect(order.body == (try json(#"{"transaction":{"amount":0,"auto_capture":false}}"#)))
        order.consumer = CPayConsumer()
        order.goods = CPayGoods()
        order.installments = CPayInstallments()
        order.ext = CPayExt()
        order.ext?.transaction = CPayExtTransaction()
        order.ext?.gateway = CPayExtGateway()
        order.payment = CPayPayment()
        order.payment?.data = CPayPaymentData()
        order.payment?.billingAddress = CPayBillingAddr()
        #expect(
            order.body
                == (try json(
                    #"{"transaction":{"amount":0,"auto_capture":false},"payment":{"request_token":false,"client":["mobile_native"]}}"#
                )))
    }

    @Test("What stays on the device is never sent")
    func localOnly() {
        let order = Shop.order(token: "stays-here-1")
        order.scheme = "stays-here-2"
        order.universalLink = "https://stays-here-3/"
        order.controller = "stays-here-4"
        order.unionpayMode = "stays-here-5"
        order.paypalClientId = "stays-here-6"
        order.request3DSecureVerification = true
        #expect(!order.body.text.contains("stays-here"))
        #expect(!order.body.text.lowercased().contains("secure"))
    }

    @Test("Amounts are in minor units of ISO 4217 (Protocol 7)")
    func amounts() throws {
        let transaction = CPayTransaction()
        let amounts: [(String, String, Int)] = [
            ("12.50", "USD", 1250), ("12", "CNY", 1200), ("0.01", "SGD", 1), ("12000", "KRW", 12000),
            ("980", "JPY", 980), ("7", "CLP", 7), ("1.234", "KWD", 1234), ("5", "IDR", 500), ("3.10", "THB", 310),
            ("8", "HKD", 800), ("1", "CHF", 100), ("1", "NOK", 100), ("1", "GBP", 100), ("1", "NZD", 100),
        ]
        for (text, code, expected) in amounts {
            try transaction.setAmount(try Money(decimal: text, currency: .fiat(FiatCurrency(code))))
            #expect(transaction.amount == expected && transaction.currency == code)
        }
        #expect(throws: MoneyError.self) {
            try transaction.setAmount(try Money(minorUnits: 1, currency: .fiat(FiatCurrency("JPY")), exponent: 2))
        }
        #expect(throws: MoneyError.self) { try transaction.setAmount(try Money(minorUnits: 1, currency: .satoshi)) }
        #expect(throws: MoneyError.self) {
            try transaction.setAmount(try Money(minorUnits: UInt128(Int.max) + 1, currency: .usd))
        }
        #expect(transaction.amount == 100 && transaction.currency == "NZD")
    }

    @Test("The guide's supported currencies are all known (Protocol 7)")
    func currencies() throws {
        for code in "USD CNY SGD JPY CAD AUD EUR NZD GBP THB HKD CHF SEK DKK NOK".split(separator: " ") {
            #expect(try FiatCurrency(String(code)).exponent == (code == "JPY" ? 0 : 2))
        }
    }

    @Test("The vendor's own names and spellings are the same things")
    func names() {
        let receipt: CPayExtReceipt = CPayExtTransactionReceipt()
        #expect(receipt.type == nil)
        let app = CPayExtApp()
        (app.bundle_id, app.sdk_version) = ("b", "2.6.1")
        #expect(app.bundleId == "b" && app.sdkVersion == "2.6.1" && app.bundle_id == "b" && app.sdk_version == "2.6.1")
        let transaction: CPayTransaction = CPayTranscation()
        #expect(transaction.amount == 0 && !transaction.autoCapture)
        let order = CPayRequest()
        #expect(order.unionpayMode == "00" && order.payment == nil && order.consumer == nil)
    }
}
