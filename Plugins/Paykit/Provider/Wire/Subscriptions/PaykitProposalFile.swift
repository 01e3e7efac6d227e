import PaymentCore

/// A proposal as apps lay it down for each other, before it is sealed (Protocol 6.4).
package struct PaykitProposalFile: Sendable, Hashable {
    /// How often; apps know no days.
    package enum Frequency: String, Sendable, Hashable, CaseIterable {
        case daily, weekly, monthly, yearly
    }

    package var provider: PubkyKey
    package var providerName: String?
    /// In the currency's smallest unit, for `SAT` satoshis.
    package var amount: UInt64
    package var currency: String
    package var frequency: Frequency
    package var description: String?
    package var methodID: String?
    /// Milliseconds since 1970.
    package var createdAt: Int64
    package var mostPayments: Int?
    /// Milliseconds since 1970; nil for as soon as it is accepted.
    package var startsAt: Int64?

    package init(
        provider: PubkyKey, providerName: String? = nil, amount: UInt64, currency: String = "SAT", frequency: Frequency,
        description: String? = nil, methodID: String? = nil, createdAt: Int64, mostPayments: Int? = nil,
        startsAt: Int64? = nil
    ) {
        self.provider = provider
        self.providerName = providerName
        self.amount = amount
        self.currency = currency
        self.frequency = frequency
        self.description = description
        self.methodID = methodID
        self.createdAt = createdAt
        self.mostPayments = mostPayments
        self.startsAt = startsAt
    }

    /// Reads a proposal that lay in `owner`'s storage: what claims to be somebody else's is refused.
    package init(_ bytes: [UInt8], owner: PubkyKey) throws(WireDefect) {
        guard let json = try? JSONValue(parsing: bytes) else { throw WireDefect("a proposal is not JSON") }
        let provider = try json.user("provider_pubkey")
        guard provider == owner else { throw WireDefect("a proposal claims to be somebody else's than where it lies") }
        guard let amount = json["amount_sats"]?.uint64, amount > 0,
            let frequency = json["frequency"]?.string.flatMap(Frequency.init), let createdAt = json["created_at"]?.int64
        else { throw WireDefect("a proposal has no amount, frequency or date") }
        func number(_ name: String) throws(WireDefect) -> Int64? {
            guard let value = json[name], !value.isNull else { return nil }
            guard let number = value.int64 else { throw WireDefect("a proposal's \(name) is no number") }
            return number
        }
        var most: Int?
        if let number = try number("max_payments") {
            guard 1...Int64(RecurringSchedule.maximumCount) ~= number else {
                throw WireDefect("a proposal's max_payments is no number of payments")
            }
            most = Int(number)
        }
        self.init(
            provider: provider, providerName: json["provider_name"]?.string, amount: amount,
            currency: json["currency"]?.string ?? "SAT", frequency: frequency, description: json["description"]?.string,
            methodID: json["method_id"]?.string, createdAt: createdAt, mostPayments: most,
            startsAt: try number("start_date"))
    }

    /// The JSON text; what is not known is left out.
    package var text: String {
        OrderedJSON.object([
            ("provider_pubkey", OrderedJSON.string(provider.text)),
            ("provider_name", providerName.map { OrderedJSON.string($0) }), ("amount_sats", "\(amount)"),
            ("currency", OrderedJSON.string(currency)), ("frequency", OrderedJSON.string(frequency.rawValue)),
            ("description", description.map { OrderedJSON.string($0) }),
            ("method_id", methodID.map { OrderedJSON.string($0) }), ("created_at", "\(createdAt)"),
            ("max_payments", mostPayments.map { "\($0)" }), ("start_date", startsAt.map { "\($0)" }),
        ])
    }

    /// The subscription that is proposed. Its days are those of its start, which is not before `now`.
    ///
    /// - Parameter now: seconds since 1970.
    package func subscription(
        id: String, for subscriber: PubkyKey, at now: Int64
    ) throws(PaykitSubscriptionDefect) -> PaykitSubscription {
        let start = max(now, (startsAt ?? 0) / 1000)
        let parts = CivilDay.parts(CivilDay.floorDivide(Int(clamping: min(start, 253_000_000_000)), 86_400))
        let rhythm: PaykitFrequency =
            switch frequency {
            case .daily: .daily
            case .weekly: .weekly
            case .monthly: .monthly(dayOfMonth: UInt8(parts.day))
            case .yearly: .yearly(month: UInt8(parts.month), day: UInt8(parts.day))
            }
        return try PaykitSubscription(
            id: id, subscriber: subscriber, provider: provider,
            terms: PaykitSubscriptionTerms(
                amount: "\(amount)", currency: currency, frequency: rhythm, methodID: methodID ?? "lightning",
                description: description ?? providerName ?? "Subscription"),
            createdAt: max(0, createdAt / 1000), startsAt: start)
    }
}
