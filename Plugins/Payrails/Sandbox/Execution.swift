import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension PayrailsSandbox {
    /// An amount as it stands on the wire: main units in decimal digits.
    struct Amount: Sendable, Hashable {
        let value: String
        let currency: String

        var body: JSONValue { ["value": .string(value), "currency": .string(currency)] }

        init(value: String, currency: String) {
            self.value = value
            self.currency = currency
        }

        /// Creates the amount in `body`; nil if it is not a valid amount of a known currency.
        init?(_ body: JSONValue?) {
            guard let value = body?["value"]?.string, let currency = body?["currency"]?.string,
                let known = try? FiatCurrency(currency), (try? Money(decimal: value, currency: .fiat(known))) != nil
            else { return nil }
            self.init(value: value, currency: currency)
        }
    }

    /// The addresses that a page returns the payer to.
    struct ReturnURLs: Sendable, Hashable {
        let success: String
        let cancel: String
        let error: String
    }

    /// An action on a page that the payer has to complete before a payment continues.
    struct Action: Sendable {
        enum Kind: Sendable {
            /// Prove their identity to the card's bank.
            case challenge
            /// Agree at PayPal; the client then confirms.
            case payPal(order: String, agreement: String, payer: String)
            /// Pay on another page.
            case redirect
        }

        enum State: Sendable {
            case open
            /// Agreed at PayPal, not yet confirmed by the client.
            case approved
            case done
        }

        let kind: Kind
        var state = State.open

        /// `actionRequired` of an execution.
        var word: String { if case .challenge = kind { "3ds" } else { "redirect" } }
    }

    /// The instrument and the options of one request to pay.
    struct Tender: Sendable {
        enum Means: Sendable {
            case stored(Instrument)
            case card(Card)
            case applePay(network: String)
            case payPal
            case redirect(code: String)
        }

        let means: Means
        let stores: Bool
        let returnURLs: ReturnURLs

        /// The source of the payment, for the ledger.
        var label: String {
            switch means {
            case .stored(let instrument): instrument.id
            case .card(let card): "card ending in \(card.suffix)"
            case .applePay(let network): "Apple Pay \(network)"
            case .payPal: "PayPal"
            case .redirect(let code): code
            }
        }

        /// The `paymentMethodCode`.
        var method: String {
            switch means {
            case .stored(let instrument): instrument.method
            case .card: "card"
            case .applePay: "applePay"
            case .payPal: "payPal"
            case .redirect(let code): code
            }
        }
    }

    /// An execution: one order and all attempts to pay it.
    struct Execution: Sendable {
        /// A written status.
        struct Entry: Sendable {
            let code: String
            let time: Timestamp
            let reason: Reason?

            var body: JSONValue {
                var body: JSONValue = ["code": .string(code), "time": .string(time.text)]
                if let reason { body["errors"] = reason.errors }
                return body
            }
        }

        /// A status that shows at `time`.
        struct Due: Sendable {
            let code: String
            let time: Timestamp
            let stamp: Timestamp
            let reason: Reason?
            /// The id of the merchant's action that it belongs to.
            let action: String?
        }

        let id: String
        let merchantReference: String
        let holder: String
        let workflow: String
        let scenario: Scenario
        let amount: Amount
        /// The scheme, host and port of every link.
        let base: String
        let createdAt: Timestamp
        /// A part of the addresses of its pages that cannot be guessed.
        let pageToken: String
        /// The type of the session that it was created for.
        var type = "dropIn"
        /// The reason of the payment's failure, if the merchant's `meta` makes it fail.
        var steered: Reason?

        /// A deleted card that its sessions still list.
        var gone: Instrument?
        /// The client's token and its expiry; nil after its withdrawal.
        var token: (text: String, expiresAt: Timestamp)?
        var entries: [Entry]
        var due: [Due] = []
        var tender: Tender?
        var action: Action?
        /// The service's id of the payer's latest request to pay, and of the latest confirmation.
        var payerActions: [String: String] = [:]
        /// The actions of the merchant.
        var merchantActions: [MerchantAction] = []
        /// The addresses that receive its notifications.
        var notificationURLs: [String] = []
        /// The number of times that the scenario's failing call has failed.
        var faults = 0

        /// True if a request to pay is in flight or has succeeded. Another one cannot be accepted then.
        var isTaken: Bool {
            guard tender != nil else { return false }
            // An open action gives way to another attempt. Its page stops working.
            if case .open? = action?.state { return false }
            // A request that was accepted and does not show is in flight anyway.
            guard let last = entries.last(where: { $0.code == "authorizeRequested" }).map(\.time) ?? dueRequest else {
                return true
            }
            return !entries.contains { $0.code == "authorizeFailed" && $0.time >= last }
        }

        private var dueRequest: Timestamp? { due.first { $0.code == "authorizeRequested" }?.stamp }

        /// True if the merchant has cancelled the execution.
        var isCancelled: Bool { has("cancelSuccessful") }

        /// True if the payment was authorised and not cancelled.
        var isPaid: Bool { has("authorizeSuccessful") && !isCancelled }

        func has(_ code: String) -> Bool { entries.contains { $0.code == code } }

        /// The addresses of the execution and of its pages.
        var selfLink: String { "\(base)/public/merchant/workflows/\(workflow)/executions/\(id)" }
        var pageLink: String { "\(base)/public/redirect/merchant/\(workflow)/\(id)/\(pageToken)" }
        var waitLink: String { "\(base)/public/redirect/wait/workflow/\(workflow)/\(id)/\(pageToken)" }

        /// Schedules `steps` to show from `start` on. Each has a distinct time, even if several show together: clients
        /// that keep milliseconds can order them too.
        mutating func schedule(_ steps: [Step], from start: Timestamp) {
            for (index, step) in steps.enumerated() {
                let shift = Duration.nanoseconds((index + 1) * 1_000_003)
                due.append(
                    Due(
                        code: step.code, time: start + step.at, stamp: start + (step.stamp ?? step.at) + shift,
                        reason: step.reason, action: step.action))
            }
        }
    }
}

extension PayrailsSandbox {
    /// A point in time in the service's form: whole nanoseconds since 1970, in UTC.
    struct Timestamp: Sendable, Hashable, Comparable {
        let nanoseconds: Int64

        init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

        init(_ date: Date) {
            // The bounds, about the years 1680 and 2260, keep every date convertible.
            let seconds = min(max(date.timeIntervalSince1970, -9_000_000_000), 9_000_000_000)
            nanoseconds = Int64((seconds * 1e9).rounded())
        }

        static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

        static func + (time: Self, duration: Duration) -> Self {
            let (seconds, attoseconds) = duration.components
            return Timestamp(nanoseconds: time.nanoseconds + seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
        }

        static func - (end: Self, start: Self) -> Duration { .nanoseconds(end.nanoseconds - start.nanoseconds) }

        /// RFC 3339 with nine digits of fraction: `2026-09-23T22:33:57.004978732Z`.
        var text: String {
            let second = Int64(CivilDay.floorDivide(Int(nanoseconds), 1_000_000_000))
            return RFC3339(seconds: second, nanoseconds: nanoseconds - second * 1_000_000_000).text
        }

        /// The time that a program sends if it forgets to set it.
        static let zeroText = "0001-01-01T00:00:00Z"
    }
}
