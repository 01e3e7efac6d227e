public import PaymentCore

extension CitconSandbox {
    /// Which age of the service is simulated: they differ in the version they state, in units of time and in ids.
    @nonexhaustive
    public enum Layer: Sendable, Hashable, CaseIterable {
        /// As recorded in 2025: `v1.0.0`, seconds, ids of 22 digits.
        case recent
        /// As in the documents of 2022: `v0.1.1`, milliseconds, ids of 32 hexadecimal digits.
        case early

        var version: String { self == .recent ? "v1.0.0" : "v0.1.1" }

        /// A time in the unit of its answers, from Unix seconds.
        func stamp(_ seconds: Int64) -> Int64 { self == .recent ? seconds : seconds * 1000 }
    }

    /// How answers repeat what they are over. The first three are the same amount to anybody; the others are not.
    @nonexhaustive
    public enum Echo: String, Sendable, Hashable, CaseIterable {
        /// As it was sent.
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

        /// Whether it says what was asked for.
        public var isTrue: Bool { self == .asSent || self == .lowerCase || self == .fraction }

        /// `data` of an answer, as it is told.
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

    /// How the sandbox behaves.
    public struct Configuration: Sendable {
        /// Which age of the service is simulated.
        public var layer = Layer.recent
        /// The merchant's secret: for access tokens, and under the signature of notifications.
        public var privateKey = CitconSandbox.privateKey
        /// The payee's name on pages.
        public var merchant = "Kaffeehaus am Platz"
        /// How long access tokens are good, in seconds.
        public var tokenLifetime: Int64 = 24 * 3600
        /// How long a charge can be paid when its creator does not say, in seconds. The service's own value is not
        /// known.
        public var chargeLifetime: Int64 = 2 * 3600
        /// How long the scenario ``Scenario/pending`` stays pending before it fails, in seconds.
        public var pendingTime: Int64 = 600
        /// Over what notifications are sent to `urls.ipn`. Nil: they are only kept, see
        /// ``CitconSandbox/notifications``.
        public var notifications: (any HTTPTransport)?
        /// The pauses before a notification is sent again. The service's own are not documented.
        public var notificationPauses: [Duration] = [
            .seconds(10), .seconds(60), .seconds(300), .seconds(1800), .seconds(7200),
        ]

        /// How answers repeat the amount and the currency that they are over.
        public var echo = Echo.asSent

        /// Creates a configuration with the pace of the real service, as far as it is known.
        public init() {}
    }
}
