/// Which gateway serves a payment method. The names are those that the vendor's app library looks up.
enum CitconGateway: String, Sendable {
    case wechatpay, alipay, upop, toss, aps, fomo, xendit, cashapp, klarna, flexa, braintree

    /// Whether a wallet app is started with a payload of its own.
    var isNativeWallet: Bool { self == .wechatpay || self == .alipay || self == .upop }

    /// The gateway of `method`; nil when there is none.
    init?(method: String, country: String? = nil) {
        switch method {
        case "card":
            switch country {
            case "KR": self = .toss
            case "SG": self = .fomo
            case "PH": self = .xendit
            default: self = .braintree
            }
        case "wechatpay": self = .wechatpay
        case "alipay": self = .alipay
        case "upop": self = .upop
        case "toss", "lpay", "lgpay", "samsungpay", "banktransfer", "naverpay", "payco": self = .toss
        case "alipay+", "alipay_hk", "kakaopay", "dana", "gcash", "tng", "boost", "truemoney", "rabbit_line_pay",
            "linepay", "paypay", "rakutenpay":
            self = .aps
        case "grabpay", "shopeepay", "atome", "paynow", "netspay": self = .fomo
        case "paymaya", "ubp", "bpi", "billease", "cashalo": self = .xendit
        case "cashapppay": self = .cashapp
        case "klarna": self = .klarna
        case "flexa": self = .flexa
        case "paypal", "venmo", "paylater": self = .braintree
        default: return nil
        }
    }

    /// Whether money is taken without a second request when the charge does not say.
    static func capturesByDefault(_ method: String?) -> Bool { method != "paypal" }
}

/// What somebody does with a payment in a wallet or on a page.
enum CitconAct: String, Sendable {
    case pay, cancel, fail
}
