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

    /// A property set to a value, and its place in the body.
    struct Field: Sendable, CustomTestStringConvertible {
        let path: String
        let expected: JSONValue
        let set: @Sendable (CPayRequest) -> Void
        var testDescription: String { path }

        init(_ path: String, _ expected: JSONValue, _ set: @escaping @Sendable (CPayRequest) -> Void) {
            self.path = path
            self.expected = expected
            self.set = set
        }

        static func consumer(_ name: String, _ value: JSONValue, _ set: @escaping @Sendable (CPayConsumer) -> Void)
            -> Field
        {
            Field("consumer.\(name)", value) { order in
                let consumer = CPayConsumer()
                set(consumer)
                order.consumer = consumer
            }
        }

        static func payment(_ name: String, _ value: JSONValue, _ set: @escaping @Sendable (CPayPayment) -> Void)
            -> Field
        {
            Field("payment.\(name)", value) { order in
                let payment = CPayPayment()
                set(payment)
                order.payment = payment
            }
        }

        static func card(_ name: String, _ set: @escaping @Sendable (CPayPaymentData) -> Void) -> Field {
            payment("data.\(name)", "v") { payment in
                let data = CPayPaymentData()
                set(data)
                payment.data = data
            }
        }

        static func billing(_ name: String, _ set: @escaping @Sendable (CPayBillingAddr) -> Void) -> Field {
            payment("billing_address.\(name)", "v") { payment in
                let address = CPayBillingAddr()
                set(address)
                payment.billingAddress = address
            }
        }

        static func product(_ name: String, _ value: JSONValue, _ set: @escaping @Sendable (CPayProduct) -> Void)
            -> Field
        {
            Field("goods.data.0.\(name)", value) { order in
                let product = CPayProduct()
                set(product)
                order.goods = CPayGoods()
                order.goods?.goods = [product]
            }
        }

        static func shipping(_ name: String, _ value: JSONValue, _ set: @escaping @Sendable (CPayShipping) -> Void)
            -> Field
        {
            Field("goods.shipping.\(name)", value) { order in
                let shipping = CPayShipping()
                set(shipping)
                order.goods = CPayGoods()
                order.goods?.shipping = shipping
            }
        }

        static func device(_ name: String, _ set: @escaping @Sendable (CPayExtDevice) -> Void) -> Field {
            Field("ext.device.\(name)", "v") { order in
                let device = CPayExtDevice()
                set(device)
                order.ext = CPayExt()
                order.ext?.device = device
            }
        }

        static func app(_ name: String, _ set: @escaping @Sendable (CPayExtApp) -> Void) -> Field {
            Field("ext.app.\(name)", "v") { order in
                let app = CPayExtApp()
                set(app)
                order.ext = CPayExt()
                order.ext?.app = app
            }
        }

        static func gateway(_ name: String, _ set: @escaping @Sendable (CPayExtGateway) -> Void) -> Field {
            Field("ext.gateway.\(name)", "v") { order in
                let gateway = CPayExtGateway()
                set(gateway)
                order.ext = CPayExt()
                order.ext?.gateway = gateway
            }
        }
    }

    static let fields: [Field] = [
        Field("internal", true) { $0.internal = true },
        Field("transaction.reference", "v") { $0.transaction.reference = "v" },
        Field("transaction.amount", 7) { $0.transaction.amount = 7 },
        Field("transaction.currency", "v") { $0.transaction.currency = "v" },
        Field("transaction.country", "v") { $0.transaction.country = "v" },
        Field("transaction.auto_capture", true) { $0.transaction.autoCapture = true },
        Field("transaction.note", "v") { $0.transaction.note = "v" },
        Field("transaction.vertical", "v") { $0.transaction.vertical = "v" },
        .consumer("reference", "v") { $0.reference = "v" }, .consumer("first_name", "v") { $0.firstName = "v" },
        .consumer("last_name", "v") { $0.lastName = "v" }, .consumer("phone", "v") { $0.phone = "v" },
        .consumer("email", "v") { $0.email = "v" }, .consumer("street", "v") { $0.street = "v" },
        .consumer("city", "v") { $0.city = "v" }, .consumer("zip", "v") { $0.zip = "v" },
        .consumer("country", "v") { $0.country = "v" },
        .consumer("registration_time", 7) { $0.registrationTime = 7 },
        .consumer("registration_ip", "v") { $0.registrationIp = "v" },
        .consumer("risk_level", "v") { $0.riskLevel = "v" },
        .consumer("first_interaction_time", 7) { $0.firstInteractionTime = 7 },
        .consumer("total_transaction_count", 7) { $0.totalTransactionCount = 7 },
        .payment("method", "v") { $0.method = "v" }, .payment("indicator", "v") { $0.indicator = "v" },
        .payment("request_token", true) { $0.requestToken = true }, .payment("token", "v") { $0.token = "v" },
        .payment("expiry", 60000) { $0.expiry = 60000 }, .payment("format", "v") { $0.format = "v" },
        .payment("nonce", "v") { $0.nonce = "v" }, .payment("request_token", false) { _ in },
        .payment("client", ["mobile_native"]) { _ in },
        .payment("client", ["mobile_native"]) { $0.client = ["mobile_native"] },
        .payment("client", ["desktop", "mobile_native"]) { $0.client = ["desktop"] },
        .card("issuer") { $0.issuer = "v" }, .card("pan") { $0.pan = "v" },
        .card("first_name") { $0.firstName = "v" }, .card("last_name") { $0.lastName = "v" },
        .card("cvv") { $0.cvv = "v" }, .card("expiry") { $0.expiry = "v" },
        .billing("street") { $0.street = "v" }, .billing("street2") { $0.street2 = "v" },
        .billing("city") { $0.city = "v" }, .billing("state") { $0.state = "v" }, .billing("zip") { $0.zip = "v" },
        .billing("country") { $0.country = "v" },
        .product("name", "v") { $0.name = "v" }, .product("sku", "v") { $0.sku = "v" },
        .product("url", "v") { $0.url = "v" }, .product("category", "v") { $0.category = "v" },
        .product("product_type", "v") { $0.productType = "v" }, .product("description", "v") { $0.desc = "v" },
        .product("total_discount_code", "v") { $0.totalDiscountCode = "v" },
        .product("quantity", 7) { $0.quantity = 7 }, .product("total_amount", 7) { $0.totalAmount = 7 },
        .product("unit_amount", 7) { $0.unitAmount = 7 }, .product("total_tax_rate", 7) { $0.totalTaxRate = 7 },
        .product("total_tax_amount", 7) { $0.totalTaxAmount = 7 },
        .product("total_discount_amount", 7) { $0.totalDiscountAmount = 7 },
        .product("taxable_amount", 7) { $0.taxableAmount = 7 },
        .product("tax_exempt_amount", 7) { $0.taxExemptAmount = 7 },
        .product("unit_tax_amount", 0) { $0.unitTaxAmount = 0 },
        .shipping("first_name", "v") { $0.firstName = "v" }, .shipping("last_name", "v") { $0.lastName = "v" },
        .shipping("phone", "v") { $0.phone = "v" }, .shipping("email", "v") { $0.email = "v" },
        .shipping("street", "v") { $0.street = "v" }, .shipping("street2", "v") { $0.street2 = "v" },
        .shipping("city", "v") { $0.city = "v" }, .shipping("state", "v") { $0.state = "v" },
        .shipping("zip", "v") { $0.zip = "v" }, .shipping("country", "v") { $0.country = "v" },
        .shipping("type", "v") { $0.type = "v" }, .shipping("amount", 7) { $0.amount = 7 },
        Field("installments.id", "v") {
            $0.installments = CPayInstallments()
            $0.installments?.id = "v"
        },
        Field("installments.payment_number", 2) {
            $0.installments = CPayInstallments()
            $0.installments?.paymentNumber = 2
        },
        Field("installments.quantity", 3) {
            $0.installments = CPayInstallments()
            $0.installments?.quantity = 3
        },
        Field("urls.ipn", "v") { $0.urls.ipn = "v" }, Field("urls.success", "v") { $0.urls.success = "v" },
        Field("urls.fail", "v") { $0.urls.fail = "v" }, Field("urls.cancel", "v") { $0.urls.cancel = "v" },
        Field("urls.mobile", "v") { $0.urls.mobile = "v" },
        Field("ext.transaction.receipt.type", "v") {
            $0.ext = CPayExt()
            $0.ext?.transaction = CPayExtTransaction()
            $0.ext?.transaction?.receipt = CPayExtReceipt()
            $0.ext?.transaction?.receipt?.type = "v"
        },
        Field("ext.transaction.metadata", "v") {
            $0.ext = CPayExt()
            $0.ext?.transaction = CPayExtTransaction()
            $0.ext?.transaction?.metadata = "v"
        },
        .device("ip") { $0.ip = "v" }, .device("os") { $0.os = "v" }, .device("os_version") { $0.osVersion = "v" },
        .device("model") { $0.model = "v" }, .device("fingerprint") { $0.fingerprint = "v" },
        .app("app_name") { $0.appName = "v" }, .app("version") { $0.version = "v" },
        .app("source") { $0.source = "v" }, .app("bundle_id") { $0.bundleId = "v" },
        .app("sdk_version") { $0.sdkVersion = "v" },
        .gateway("order_id") { $0.orderId = "v" }, .gateway("order_payer_id") { $0.orderPayerId = "v" },
        .gateway("order_payment_id") { $0.orderPaymentId = "v" },
        .gateway("order_payment_source") { $0.orderPaymentSource = "v" },
        .gateway("authorization_token") { $0.authorizationToken = "v" },
        .gateway("grant.grant_id") {
            $0.grant = CPayExtGatewayGrant()
            $0.grant?.grantId = "v"
        },
        .gateway("grant.expiry") {
            $0.grant = CPayExtGatewayGrant()
            $0.grant?.expiry = "v"
        },
        .gateway("consumer.consumer_id") {
            $0.consumer = CPayExtGatewayConsumer()
            $0.consumer?.consumerId = "v"
        },
        .gateway("consumer.cashtag") {
            $0.consumer = CPayExtGatewayConsumer()
            $0.consumer?.cashtag = "v"
        },
    ]

    @Test("Every member stands where the service looks for it", arguments: fields)
    func field(_ field: Field) {
        let order = CPayRequest()
        field.set(order)
        var value: JSONValue? = order.body
        for part in field.path.split(separator: ".") {
            value = Int(part).map { index in value?[index] } ?? value?[String(part)]
        }
        #expect(value == field.expected)
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
