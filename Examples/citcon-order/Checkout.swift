import CitconKit

/// A merchant's checkout, written after the vendor's iOS guide.
struct Checkout: Sendable {
    /// A charge as the merchant's server reports it.
    struct Charge: Sendable {
        let reference: String
        let chargeToken: String
        let amount: Int
    }

    // Initialize the SDK in your app.
    init(accessToken: String) {
        CPayManager.sharedInstance().setAccessToken(accessToken)
        CPayManager.sharedInstance().setMode(.UAT)
    }

    // Set up the payment request.
    private func order(_ method: String, _ charge: Charge) -> CPayRequest {
        let order = CPayRequest()
        order.transaction.reference = charge.reference
        order.transaction.amount = charge.amount
        order.transaction.currency = "USD"
        order.transaction.country = "US"
        order.transaction.note = "note"
        order.payment = CPayPayment()
        order.payment?.method = method
        order.urls.ipn = "https://ipn.com/"
        order.urls.success = "https://success.com/"
        order.urls.cancel = "https://cancel.com/"
        order.urls.fail = "https://fail.com/"
        order.chargeToken = charge.chargeToken
        return order
    }

    func payWithWeChat(_ charge: Charge) {
        let order = order("wechatpay", charge)
        order.universalLink = "https://universallink.com/apps"
        request(order)
    }

    func payWithAlipay(_ charge: Charge) {
        let order = order("alipay", charge)
        order.scheme = "com.citcon.citconpay"
        request(order)
    }

    func payByCard(_ charge: Charge) {
        let order = order("card", charge)
        order.request3DSecureVerification = true
        let consumer = CPayConsumer()
        consumer.reference = "consumer-reference-00001"
        consumer.firstName = "John"
        consumer.lastName = "Doe"
        consumer.phone = "5551234567"
        consumer.email = "test@email.com"
        order.consumer = consumer
        let billingAddress = CPayBillingAddr()
        billingAddress.street = "555 Smith St"
        billingAddress.street2 = "#2"
        billingAddress.city = "Chicago"
        billingAddress.state = "IL"
        billingAddress.zip = "12345"
        billingAddress.country = "US"
        order.payment?.billingAddress = billingAddress
        request(order)
    }

    func payWithPayPal(_ charge: Charge) {
        let order = order("paypal", charge)
        order.consumer = CPayConsumer()
        order.consumer?.reference = "consumer-reference-00001"
        request(order)
    }

    // Receive the payment result.
    private func request(_ order: CPayRequest) {
        CPayManager.sharedInstance().requestOrder(order) { resp in
            guard let resp, resp.status == "success" else {
                let data = resp?.data
                print("  callback: \(data?.code ?? "") \(data?.message ?? "") (\(data?.status ?? "no state"))")
                return
            }
            print("  callback: \(resp.data.status ?? "no state")")
            print("    Amount: \(resp.data.amount)")
            print("    Currency: \(resp.data.currency ?? "")")
            print("    PaymentMethod: \(resp.data.payment?.method ?? "")")
            print("    AutoCapture: \(resp.data.autoCapture)")
        }
    }

    // Receive the asynchronous payment result. The stream yields once for each.
    func observe() -> AsyncStream<Void> {
        let (received, isReceived) = AsyncStream<Void>.makeStream()
        let name = Notification.Name(CPayRuntimeInst.NTFY_ASYNC())
        _ = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { notification in
            guard let resp = notification.object as? CPayCheck else { return }
            print("  notification: \(resp.data.status ?? resp.data.message ?? "")")
            isReceived.yield()
        }
        return received
    }
}
