import PaymentCore
import TestSupport
import Testing

@testable import CitconKit
@testable import CitconProvider

/// No description shows a card, a token or a person.
@Suite struct RedactionTests {
    private func isSilent(_ value: Any) -> Bool { !shown(value).contains("canary") }

    @Test("Orders")
    func orders() {
        let order = CPayRequest()
        order.transaction.reference = "canary"
        order.transaction.note = "canary"
        order.consumer = CPayConsumer()
        order.consumer?.firstName = "canary"
        order.consumer?.email = "canary"
        let payment = CPayPayment()
        payment.method = "card"
        payment.token = "canary"
        payment.nonce = "canary"
        payment.data = CPayPaymentData()
        payment.data?.pan = "canary"
        payment.data?.cvv = "canary"
        payment.billingAddress = CPayBillingAddr()
        payment.billingAddress?.street = "canary"
        order.payment = payment
        order.goods = CPayGoods()
        order.goods?.goods = [CPayProduct()]
        order.goods?.goods?[0].name = "canary"
        order.goods?.shipping = CPayShipping()
        order.goods?.shipping?.phone = "canary"
        order.ext = CPayExt()
        order.ext?.device = CPayExtDevice()
        order.ext?.device?.ip = "canary"
        order.ext?.gateway = CPayExtGateway()
        order.ext?.gateway?.grant = CPayExtGatewayGrant()
        order.ext?.gateway?.grant?.grantId = "canary"
        order.paypalClientId = "canary"
        order.chargeToken = "canary"
        order.scheme = "canary"
        let parts: [Any] = [
            order, payment, order.transaction, order.consumer as Any, payment.data as Any,
            payment.billingAddress as Any, order.goods as Any, order.goods?.goods as Any, order.goods?.shipping as Any,
            order.ext as Any, order.ext?.device as Any, order.ext?.gateway as Any, order.urls, order.body,
        ]
        for part in parts { #expect(isSilent(part), "\(type(of: part))") }
        let copy = Order(order)
        #expect(isSilent(copy.chargeToken as Any) && isSilent(copy.body) && isSilent(copy.consumer as Any))
        #expect("\(order)" == "CPayRequest(<redacted>)")
    }

    @Test("Results")
    func results() throws {
        let text = ScriptedCitcon.transaction().replacing(#""token":null"#, with: #""token":"canary""#)
            .replacing(#""pan":"","expiry":"""#, with: #""pan":"canary","expiry":"canary""#)
        let fields = TransactionFields(try JSONValue(parsing: text))
        let check = CPayCheck(status: "success", version: nil, app: nil, data: CPayCheckData(transaction: fields))
        #expect(check.data.payment?.token == "canary" && check.data.payment?.data?.pan == "canary")
        for part in [check, check.data, check.data.payment as Any, check.data.payment?.data as Any, fields] as [Any] {
            #expect(isSilent(part), "\(type(of: part))")
        }
        #expect("\(check)".contains("succeeded"))
        let charge = ScriptedCitcon.charge().replacing("\"62d5\"", with: "\"canary\"")
        let result = CPayResult(
            status: "success", version: nil, app: nil,
            data: CPayResultData(transaction: TransactionFields(try JSONValue(parsing: charge))))
        #expect(result.data.chargeToken == "canary")
        for part in [result, result.data, result.data.payment as Any] as [Any] { #expect(isSilent(part)) }
    }

    @Test("Configurations, clients and hand-overs")
    func others() throws {
        let endpoint = try CPayEndpoint(.UAT)
        let client = CPayClientConfiguration(endpoint: endpoint, accessToken: Redacted("canary"))
        let provider = CitconConfiguration(endpoint: endpoint, accessToken: Redacted("canary"))
        let launch = CPayLaunch.app(
            AppRequest(name: "x", url: Redacted("canary"), payload: Redacted(["sign": "canary"])))
        let parts: [Any] = [
            client, provider, launch, CitconProvider(configuration: provider),
            CPayWalletURL.alipay(order: Redacted("canary"), scheme: "x"),
        ]
        for part in parts { #expect(isSilent(part), "\(type(of: part))") }
        #expect(isSilent(CPayClient(configuration: client, transport: nil)))
    }
}
