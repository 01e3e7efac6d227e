package import PaymentCore

/// The names of an order in the URL by which a payer returned.
///
/// Most URLs name nothing. The wallets' forms are those of Protocol 4.3; the others are the service's own members, in
/// case a page passes them on.
package struct ReturnNames: Sendable, Hashable {
    /// A name of an order.
    package enum Item: String, Sendable, Hashable {
        /// The merchant's reference.
        case reference
        /// The service's id of the charge.
        case id
        /// The token that confirmed the charge.
        case chargeToken = "charge_token"
        /// UnionPay's number of the transaction.
        case unionPayNumber = "tn"
        /// The order's number in Alipay's order string.
        case alipayOrder = "out_trade_no"

        /// The message for a return that names another order by this item, without the item's value.
        package var rejection: String {
            "the payer came back with the URL of another order: its '\(rawValue)' is not this one's; nothing was done "
                + "about it"
        }
    }

    private struct Named: Sendable, Hashable {
        let item: Item
        let value: Redacted<String>
    }

    private var all: [Named] = []

    /// Creates the names in a query.
    ///
    /// - Parameter own: the merchant's own addresses, whose queries do not name an order.
    package init(_ link: PaymentLink, besides own: [PaymentLink] = []) {
        for item in link.queryItems {
            guard let name = Self.items[String(item.name)] else { continue }
            let isOwn = own.contains { $0.queryItems.contains { $0.name == item.name && $0.value == item.value } }
            guard !isOwn else { continue }
            add(name, PercentCoding.decode(item.value) ?? String(item.value))
        }
    }

    private static let items: [String: Item] = [
        "reference": .reference, "transaction_reference": .reference, "id": .id, "transaction_id": .id,
        "charge_token": .chargeToken,
    ]

    private mutating func add(_ item: Item, _ value: String) { all.append(Named(item: item, value: Redacted(value))) }

    /// Reads Alipay's echo of its order.
    package mutating func add(alipayEcho text: String) {
        for number in Self.alipayOrders(in: text) { add(.alipayOrder, number) }
    }

    /// Reads UnionPay's signed result.
    package mutating func add(unionPayData text: String) {
        guard let data = (try? JSONValue(parsing: text))?["data"]?.string else { return }
        for number in QueryItems(Substring(data)).values("tn") { add(.unionPayNumber, String(number)) }
    }

    /// Returns the values of `out_trade_no` in an Alipay order string, `name="value"` joined by `&`.
    package static func alipayOrders(in text: String) -> [String] {
        text.split(separator: "&").compactMap { part in
            let prefix = "\(Item.alipayOrder.rawValue)="
            guard part.hasPrefix(prefix) else { return nil }
            let value = part.dropFirst(prefix.count)
            let isQuoted = value.count >= 2 && value.first == "\"" && value.last == "\""
            return String(isQuoted ? value.dropFirst().dropLast() : value)
        }
    }

    /// Returns the first item that contradicts `given`; nil when there is none. Of the items that are not given only a
    /// charge's token is one.
    package func disagreement(with given: GivenNames) -> Item? {
        all.first { named in !given.allows(named.item, named.value.reveal()) }?.item
    }
}

/// The merchant's and the service's names of an order, for comparison with a return.
package struct GivenNames: Sendable, Hashable {
    private var values: [ReturnNames.Item: Redacted<String>] = [:]
    private var charge: OrderTerms?

    package init(reference: String?, chargeToken: Redacted<String>? = nil, charge: OrderTerms? = nil) {
        values[.reference] = reference.map { Redacted($0) }
        self.charge = charge ?? chargeToken.map { OrderTerms($0) }
    }

    package init(_ attempt: PaymentAttempt, reference: String) {
        self.init(
            reference: reference, charge: try? attempt.option.providerData?.decode(OrderTerms.self))
    }

    package init(_ order: Order) { self.init(reference: order.reference, chargeToken: order.chargeToken) }

    /// Returns these names with those in the answer to the confirmation.
    package func confirmed(id: String?, _ launch: Launch) -> GivenNames {
        var names = self
        if let id, !id.isEmpty { names.values[.id] = Redacted(id) }
        if case .app(let wallet) = launch {
            names.values[.unionPayNumber] = wallet.payload["tn"].map { Redacted($0) }
            let order = wallet.payload["orderString"].flatMap { ReturnNames.alipayOrders(in: $0).first }
            names.values[.alipayOrder] = order.map { Redacted($0) }
        }
        return names
    }

    fileprivate func allows(_ item: ReturnNames.Item, _ value: String) -> Bool {
        // An order that states no charge is of none that a return names.
        if item == .chargeToken { return charge == OrderTerms(Redacted(value)) }
        return values[item].map { $0.reveal() == value } ?? true
    }
}

extension WalletReturn {
    /// Refuses a return that names another order.
    ///
    /// - Throws: ``PaymentError``, `foreignReturn`.
    package func check(
        _ given: GivenNames, at provider: ProviderID, phase: PaymentError.Phase
    ) throws(PaymentError) {
        guard let item = names.disagreement(with: given) else { return }
        throw PaymentError(
            .foreignReturn, "\(item.rejection); ask what became of the payment",
            provider: provider, phase: phase)
    }
}
