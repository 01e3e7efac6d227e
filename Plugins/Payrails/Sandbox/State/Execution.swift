import PaymentCore

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

        /// Nil when `body` has no amount of a known currency.
        init?(_ body: JSONValue?) {
            guard let value = body?["value"]?.string, let currency = body?["currency"]?.string,
                let known = try? FiatCurrency(currency), (try? Money(decimal: value, currency: .fiat(known))) != nil
            else { return nil }
            self.init(value: value, currency: currency)
        }
    }

    /// Where a page sends the payer back to.
    struct ReturnURLs: Sendable, Hashable {
        let success: String
        let cancel: String
        let error: String
    }

    /// What the payer has to do on a page before a payment goes on.
    struct Action: Sendable {
        enum Kind: Sendable {
            /// Prove to the card's bank who they are.
            case challenge
            /// Agree at PayPal; the client then confirms.
            case payPal(order: String, agreement: String, payer: String)
            /// Pay at another page.
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

    /// What one request to pay is made with.
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

        /// For the ledger: what the money comes from.
        var label: String {
            switch means {
            case .stored(let instrument): instrument.id
            case .card(let card): "card ending in \(card.suffix)"
            case .applePay(let network): "Apple Pay \(network)"
            case .payPal: "PayPal"
            case .redirect(let code): code
            }
        }

        /// The word of `paymentMethodCode`.
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

    /// An execution: one order and everything that is tried to pay it.
    struct Execution: Sendable {
        /// A status that has been written.
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

        /// A status that shows once `time` has come.
        struct Due: Sendable {
            let code: String
            let time: Timestamp
            let stamp: Timestamp
            let reason: Reason?
            /// The action of a merchant that it belongs to.
            let action: String?
        }

        let id: String
        let merchantReference: String
        let holder: String
        let workflow: String
        let scenario: Scenario
        let amount: Amount
        /// Scheme, host and port of every link.
        let base: String
        let createdAt: Timestamp
        /// Part of the addresses of its pages, so that nobody can guess them.
        let pageToken: String
        /// What kind of session it was made for.
        var type = "dropIn"
        /// How the merchant steers the end, when the scenario does not.
        var steered: Reason?

        /// A card that its sessions list although it was deleted.
        var gone: Instrument?
        /// The client's token and when it ends; nil once it was withdrawn.
        var token: (text: String, expiresAt: Timestamp)?
        var entries: [Entry]
        var due: [Due] = []
        var tender: Tender?
        var action: Action?
        /// The service's id of the payer's latest request to pay, and of the latest confirmation.
        var payerActions: [String: String] = [:]
        /// What the merchant has asked for.
        var merchantActions: [MerchantAction] = []
        /// Where notifications about it are sent to.
        var notificationURLs: [String] = []
        /// How often the call that the scenario is about has gone wrong.
        var faults = 0

        /// Whether a request to pay is under way or has succeeded, so that another one cannot be taken.
        var isTaken: Bool {
            guard tender != nil else { return false }
            // An action that nobody has carried out gives way to another attempt; its page stops working.
            if case .open? = action?.state { return false }
            // One that was accepted and does not show is under way all the same.
            guard let last = entries.last(where: { $0.code == "authorizeRequested" }).map(\.time) ?? dueRequest else {
                return true
            }
            return !entries.contains { $0.code == "authorizeFailed" && $0.time >= last }
        }

        private var dueRequest: Timestamp? { due.first { $0.code == "authorizeRequested" }?.stamp }

        /// Whether the merchant has called it off.
        var isCancelled: Bool { has("cancelSuccessful") }

        /// Whether money was taken and is still kept.
        var isPaid: Bool { has("authorizeSuccessful") && !isCancelled }

        func has(_ code: String) -> Bool { entries.contains { $0.code == code } }

        /// The addresses of the execution and of what hangs on it.
        var selfLink: String { "\(base)/public/merchant/workflows/\(workflow)/executions/\(id)" }
        var pageLink: String { "\(base)/public/redirect/merchant/\(workflow)/\(id)/\(pageToken)" }
        var waitLink: String { "\(base)/public/redirect/wait/workflow/\(workflow)/\(id)/\(pageToken)" }

        /// Plans `steps` to show from `start` on. Every one carries a time of its own, even those that show together:
        /// clients that keep milliseconds order them too.
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
