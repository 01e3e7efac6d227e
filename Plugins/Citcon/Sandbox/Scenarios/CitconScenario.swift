extension CitconSandbox {
    /// A charge's behaviour: a name, a summary, the expected end, and what the sandbox does.
    ///
    /// Equal names are equal scenarios.
    public struct Scenario: RawRepresentable, CaseIterable, Hashable, Sendable, CustomStringConvertible {
        /// The end of a payment, as seen by a payer who wants to pay.
        @nonexhaustive
        public enum Outcome: String, Sendable, Hashable, CaseIterable {
            /// The money arrived or was authorised.
            case paid
            /// The payment was declined.
            case declined
            /// The payment expired.
            case expired
            /// The payment was cancelled.
            case cancelled
            /// The payment is undecided when the payer is back.
            case pending
            /// A rejected request or an unusable answer that says nothing about the payment, which stays open.
            case error
        }

        /// The name on the command line.
        public let rawValue: String
        /// A short human-readable description.
        public let summary: String
        /// The end for a payer who wants to pay, can do everything, and asks the service when nothing else shows it.
        public let expectedOutcome: Outcome
        let plan: Plan

        init(_ name: String, _ summary: String, ends outcome: Outcome = .paid, _ plan: Plan) {
            (rawValue, self.summary, expectedOutcome, self.plan) = (name, summary, outcome, plan)
        }

        /// Finds the scenario with a name; nil if there is none.
        public init?(rawValue: String) {
            guard let known = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
            self = known
        }

        /// The payment method of its charge.
        public var method: String { plan.method }
        /// The name.
        public var description: String { rawValue }
    }
}

extension CitconSandbox.Scenario {
    /// The sandbox's part in a scenario. The default of each member is that of an ordinary charge.
    struct Plan: Sendable {
        /// A fault in place of, or after, the work of a confirmation.
        enum Fault: Sendable {
            case rejection(CitconSandboxError)
            /// The work is done, but the answer is an error.
            case rejectionAfterwards(CitconSandboxError)
            /// The work is done, but the connection ends.
            case drop
            /// The launch payload cannot be read.
            case malformedPayload
            /// The work is done, but the answer states another amount.
            case otherAmount
            /// The work is done, but the answer names another order.
            case otherOrder
        }

        /// A country, its currency, and an amount in the currency's smallest unit.
        struct Price: Sendable {
            let country: String
            let currency: String
            let amount: Int64

            static let unitedStates = Price(country: "US", currency: "USD", amount: 1250)
            static let korea = Price(country: "KR", currency: "KRW", amount: 12000)
            static let philippines = Price(country: "PH", currency: "PHP", amount: 65000)
            static let singapore = Price(country: "SG", currency: "SGD", amount: 1250)
        }

        let method: String
        var price = Price.unitedStates
        var autoCapture = true
        var fault: Fault?
        var isOver = false
        /// The act of the payer's wallet or page, in place of what the payer wants.
        var act: CitconAct?
        var isPending = false
        /// True if it stays pending permanently.
        var isEndless = false
        var isPaidAtConfirm = false
        var losesReturn = false
        /// True if the page leads back with the name of another order.
        var returnsForeign = false
        /// The number of seconds after payment while inquiries are rejected.
        var silence: Int64 = 0
        /// True if cards without proof of identity are declined.
        var needsProof = false
    }

    /// Paid in WeChat.
    public static let wechatPay = Self("wechatpay", "paid in WeChat", .init(method: "wechatpay"))
    /// Paid in Alipay.
    public static let alipay = Self("alipay", "paid in Alipay", .init(method: "alipay"))
    /// Paid in UnionPay's app.
    public static let unionPay = Self("unionpay", "paid in UnionPay's app", .init(method: "upop"))
    /// Paid by card: a nonce of the card is charged.
    public static let card = Self("card", "paid by card", .init(method: "card"))
    /// Paid by card, with a proof of the owner's identity.
    public static let cardWithProof = Self(
        "card-with-proof", "paid by card, with proof of identity (3DS)", .init(method: "card", needsProof: true))
    /// Paid with PayPal.
    public static let payPal = Self("paypal", "paid with PayPal", .init(method: "paypal"))
    /// Paid with Venmo.
    public static let venmo = Self("venmo", "paid with Venmo", .init(method: "venmo"))
    /// Paid on a page of Toss in Korea.
    public static let toss = Self("toss", "paid on a page of Toss", .init(method: "toss", price: .korea))
    /// Paid on a page of Alipay+.
    public static let alipayPlus = Self(
        "alipay-plus", "paid on a page of Alipay+", .init(method: "gcash", price: .philippines))
    /// Paid with PayNow in Singapore: a page or a code to scan.
    public static let payNow = Self(
        "paynow", "paid with PayNow, on a page or by a code", .init(method: "paynow", price: .singapore))
    /// Paid on a page of Xendit in the Philippines.
    public static let xendit = Self("xendit", "paid on a page of Xendit", .init(method: "paymaya", price: .philippines))
    /// Paid with Cash App.
    public static let cashApp = Self("cash-app", "paid with Cash App", .init(method: "cashapppay"))
    /// Paid with Klarna.
    public static let klarna = Self("klarna", "paid with Klarna", .init(method: "klarna"))
    /// Paid by the confirmation alone.
    public static let paidAtConfirm = Self(
        "paid-at-confirm", "paid as soon as it is confirmed",
        .init(method: "grabpay", price: .singapore, isPaidAtConfirm: true))
    /// The money is authorised, and only captured by the merchant.
    public static let authorizeOnly = Self(
        "authorize-only", "set aside, not taken before the merchant does", .init(method: "paypal", autoCapture: false))
    /// The card is declined.
    public static let declined = Self(
        "declined", "the card is refused", ends: .declined, .init(method: "card", act: .fail))
    /// The payer cancels in WeChat, which returns `-2`.
    public static let cancelledInWeChat = Self(
        "cancelled-in-wechat", "cancelled in WeChat", ends: .cancelled, .init(method: "wechatpay", act: .cancel))
    /// The payer cancels in Alipay, which returns `6001`.
    public static let cancelledInAlipay = Self(
        "cancelled-in-alipay", "cancelled in Alipay", ends: .cancelled, .init(method: "alipay", act: .cancel))
    /// The payer cancels on the payment page.
    public static let cancelledOnPage = Self(
        "cancelled-on-page", "cancelled on the payment page", ends: .cancelled,
        .init(method: "toss", price: .korea, act: .cancel))
    /// Alipay accepted the payment without a result yet.
    public static let pending = Self(
        "pending", "Alipay cannot say how it ends", ends: .pending, .init(method: "alipay", isPending: true))
    /// The charge has expired.
    public static let expired = Self(
        "expired", "its time is over", ends: .expired, .init(method: "alipay", isOver: true))
    /// The payer pays in WeChat and never returns.
    public static let interrupted = Self(
        "interrupted", "paid, but the payer never comes back", .init(method: "wechatpay", losesReturn: true))
    /// Its reference was used before (4100).
    public static let duplicateReference = Self(
        "duplicate-reference", "its reference was used before", ends: .error,
        .init(method: "alipay", fault: .rejection(.duplicate)))
    /// The access token expires before the confirmation (4010).
    public static let expiredToken = Self(
        "expired-token", "the access token is no longer good", ends: .error,
        .init(method: "alipay", fault: .rejection(.unauthorized)))
    /// No gateway serves its method (5200).
    public static let unsupportedGateway = Self(
        "unsupported-gateway", "no gateway serves its method", ends: .error, .init(method: "google"))
    /// The gateway's answer is late (4105): the card was charged.
    public static let gatewayTimeout = Self(
        "gateway-timeout", "the gateway answers too late, and charges the card",
        .init(method: "card", fault: .rejectionAfterwards(.gatewayTimeout)))
    /// The gateway cannot be reached (4106): nothing was charged.
    public static let gatewayUnavailable = Self(
        "gateway-unavailable", "the gateway cannot be reached", ends: .error,
        .init(method: "card", fault: .rejection(.gatewayUnavailable)))
    /// The gateway fails (4107): nothing was charged.
    public static let gatewayError = Self(
        "gateway-error", "the gateway fails", ends: .error, .init(method: "card", fault: .rejection(.gatewayError)))
    /// The payload for starting WeChat is malformed.
    public static let malformedPayload = Self(
        "malformed-payload", "what WeChat is started with is broken", ends: .error,
        .init(method: "wechatpay", fault: .malformedPayload))
    /// The connection ends before the answer to the confirmation: the card was charged.
    public static let lostAnswer = Self(
        "lost-answer", "the answer is lost, the card charged", .init(method: "card", fault: .drop))
    /// The answer to the confirmation states another amount. No payer may be sent to pay it.
    public static let otherAmount = Self(
        "other-amount", "the confirmation states another amount", ends: .error,
        .init(method: "wechatpay", fault: .otherAmount))
    /// The answer to the confirmation names another order: the card was charged.
    public static let otherOrder = Self(
        "other-order", "the card is charged, another order named", .init(method: "card", fault: .otherOrder))
    /// Inquiries are rejected (451) for some time after payment.
    public static let statusRefused = Self(
        "status-refused", "paid, and inquiries are refused for \(silence / 60) minutes", ends: .error,
        .init(method: "wechatpay", silence: silence))
    private static let silence: Int64 = 600
    /// Paid on a page that leads back with the name of another order.
    public static let foreignReturn = Self(
        "foreign-return", "paid on a page that leads back for another order",
        .init(method: "toss", price: .korea, returnsForeign: true))

    /// Every scenario.
    public static let allCases: [Self] = [
        .wechatPay, .alipay, .unionPay, .card, .cardWithProof, .payPal, .venmo, .toss, .alipayPlus, .payNow, .xendit,
        .cashApp, .klarna, .paidAtConfirm, .authorizeOnly, .declined, .cancelledInWeChat, .cancelledInAlipay,
        .cancelledOnPage, .pending, .expired, .interrupted, .duplicateReference, .expiredToken, .unsupportedGateway,
        .gatewayTimeout, .gatewayUnavailable, .gatewayError, .malformedPayload, .lostAnswer, .otherAmount, .otherOrder,
        .statusRefused, .foreignReturn,
    ]
}

extension CitconSandbox {
    /// A charge with a link. Its scenario decides if it can be paid.
    public struct Charge: Sendable, Hashable {
        /// The charge token, needed for confirmation.
        public let token: String
        /// Citcon's id of the charge.
        public let id: String
        /// The merchant's reference.
        public let reference: String
        /// A short human-readable description.
        public let title: String
        /// A link with everything that an app needs to pay it.
        public let link: String
        /// The charge's behaviour.
        public let scenario: Scenario
    }
}
