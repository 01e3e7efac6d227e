/// The gateway that serves a payment method. The names are those that the vendor's app library looks up, except for
/// this sandbox's own `ppcp`, `ebanx` and `hosted`.
enum CitconGateway: String, Sendable {
    case wechatpay, alipay, upop, toss, aps, fomo, xendit, cashapp, klarna, flexa, braintree, ppcp, ebanx, hosted

    /// Creates the gateway of `method`; nil when there is none.
    init?(method: String, country: String? = nil) {
        if method == "card" {
            switch country {
            case "KR": self = .toss
            case "SG": self = .fomo
            case "PH": self = .xendit
            default: self = .braintree
            }
            return
        }
        guard let known = CitconMethod.all[method] else { return nil }
        self = known.gateway
    }

    /// Returns true if money is captured without a second request when the charge does not specify it.
    static func capturesByDefault(_ method: String?) -> Bool { method != "paypal" }
}

/// A payment method, as the sandbox serves it.
struct CitconMethod: Sendable {
    let id: String
    let gateway: CitconGateway
    /// True if `consults` lists it.
    var consults = false
    /// True if an account of this method can be stored.
    var vaults = false

    /// Every method by its id.
    static let all = Dictionary(uniqueKeysWithValues: (documented + others).map { ($0.id, $0) })

    /// The 47 methods of the public interface (Protocol 3.1).
    static let documented: [CitconMethod] =
        [
            CitconMethod(id: "card", gateway: .braintree, consults: true, vaults: true),
            CitconMethod(id: "paypal", gateway: .braintree, vaults: true),
            CitconMethod(id: "venmo", gateway: .braintree, vaults: true),
            CitconMethod(id: "cashapppay", gateway: .cashapp, vaults: true),
            CitconMethod(id: "wechatpay", gateway: .wechatpay),
            CitconMethod(id: "alipay", gateway: .alipay, consults: true), CitconMethod(id: "upop", gateway: .upop),
            CitconMethod(id: "klarna", gateway: .klarna),
        ] + list(.toss, ["toss", "naverpay", "payco"])
        + list(.toss, ["banktransfer", "lpay", "lgpay", "samsungpay"], consults: true)
        + list(
            .aps,
            [
                "alipay_hk", "dana", "gcash", "tng", "boost", "truemoney", "rabbit_line_pay", "linepay", "paypay",
                "rakutenpay",
            ]) + list(.aps, ["alipay+", "kakaopay"], consults: true)
        + list(.fomo, ["grabpay", "shopeepay", "atome", "paynow", "netspay"]) + list(.xendit, ["bpi"])
        + list(.xendit, ["paymaya", "ubp"], consults: true)
        + list(.ebanx, ["oxxo", "oxxopay", "spei", "mercadopago"])
        + list(.hosted, ["afterpay", "affirm", "ozow", "m_pesa", "upi", "pix", "paze", "hpp"])

    /// Methods that are known from other sources.
    static let others =
        list(.xendit, ["billease", "cashalo"]) + list(.flexa, ["flexa"]) + list(.ppcp, ["paylater"])

    private static func list(
        _ gateway: CitconGateway, _ ids: [String], consults: Bool = false
    ) -> [CitconMethod] {
        ids.map { CitconMethod(id: $0, gateway: gateway, consults: consults) }
    }
}

extension CitconSandbox {
    /// The ids of the 47 payment methods of the public interface, all of which can be paid here.
    public static let documentedMethods = CitconMethod.documented.map(\.id)
}

/// An act of a payer with a payment in a wallet or on a page.
enum CitconAct: String, Sendable {
    case pay, cancel, fail
}
