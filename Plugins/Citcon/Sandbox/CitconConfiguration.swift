public import PaymentCore

extension CitconSandbox {
    /// The simulated version of the service: versions differ in their stated number, in units of time and in ids.
    @nonexhaustive
    public enum Layer: Sendable, Hashable, CaseIterable {
        /// As recorded in 2025: `v1.0.0`, seconds, ids of 22 digits.
        case recent
        /// As in the documents of 2022: `v0.1.1`, milliseconds, ids of 32 hexadecimal digits.
        case early

        var version: String { self == .recent ? "v1.0.0" : "v0.1.1" }

        /// Returns a time in the unit of this version's answers, from Unix seconds.
        func stamp(_ seconds: Int64) -> Int64 { self == .recent ? seconds : seconds * 1000 }
    }

    /// The form in which answers repeat amount and currency. The first three keep their meaning; the others change it.
    @nonexhaustive
    public enum Echo: String, Sendable, Hashable, CaseIterable {
        /// The form in which it was sent.
        case asSent = "as-sent"
        /// The currency in lower case.
        case lowerCase = "lower-case"
        /// The amount with a point and a zero.
        case fraction
        /// Ten times the amount.
        case otherAmount = "other-amount"
        /// Another currency.
        case otherCurrency = "other-currency"
        /// No currency at all.
        case noCurrency = "no-currency"

        /// True if the repeated amount and currency mean the requested ones.
        public var isTrue: Bool { self == .asSent || self == .lowerCase || self == .fraction }

        /// Returns `data` of an answer in this form.
        func reported(_ data: WireJSON) -> WireJSON {
            switch self {
            case .asSent: return data
            case .lowerCase: return data.changing("currency") { .string(($0.string ?? "").lowercased()) }
            case .fraction:
                return data.changing("amount") {
                    $0.number.flatMap { JSONNumber("\($0.text).0") }.map { .number($0) } ?? $0
                }
            case .otherAmount: return data.changing("amount") { $0.int64.map { .number(JSONNumber($0 * 10)) } ?? $0 }
            case .otherCurrency: return data.changing("currency") { $0 == "KWD" ? "BHD" : "KWD" }
            case .noCurrency: return data.changing("currency") { _ in .null }
            }
        }
    }

    /// The behaviour of the sandbox.
    public struct Configuration: Sendable {
        /// The simulated version of the service.
        public var layer = Layer.recent
        /// The merchant's secret: the key for access tokens and for the signature of notifications.
        public var privateKey = CitconSandbox.privateKey
        /// The payee's name on pages.
        public var merchant = "Kaffeehaus am Platz"
        /// The lifetime of access tokens, in seconds.
        public var tokenLifetime: Int64 = 24 * 3600
        /// The lifetime of a charge when its creator specifies none, in seconds. The service's own value is not known.
        public var chargeLifetime: Int64 = 2 * 3600
        /// The time after which the scenario ``Scenario/pending`` fails, in seconds.
        public var pendingTime: Int64 = 600
        /// The transport of notifications to `urls.ipn`. If nil, notifications are only kept; see
        /// ``CitconSandbox/notifications``.
        public var notifications: (any HTTPTransport)?
        /// The pauses before a notification is sent again. The service's own pauses are not documented.
        public var notificationPauses: [Duration] = [
            .seconds(10), .seconds(60), .seconds(300), .seconds(1800), .seconds(7200),
        ]

        /// The form in which answers repeat the amount and the currency.
        public var echo = Echo.asSent

        /// Creates a configuration with the timing of the real service, as far as it is known.
        public init() {}
    }
}
