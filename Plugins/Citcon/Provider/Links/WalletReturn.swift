package import PaymentCore

/// The content of the URL by which a wallet, page or browser led the payer back.
///
/// It never proves a payment: anyone can open such a URL. It only triggers an inquiry.
package struct WalletReturn: Sendable, Hashable {
    /// The source of a return.
    package enum Source: String, Sendable, Hashable, CaseIterable {
        /// WeChat.
        case weChat
        /// Alipay.
        case alipay
        /// UnionPay's app.
        case unionPay
        /// Venmo, and any other app that Braintree's library opens.
        case braintree
        /// Cash App.
        case cashApp
        /// Klarna.
        case klarna
        /// PayPal, within the system's session for it. No other application can return there.
        case payPal
        /// A payment page, by one of the merchant's own addresses.
        case page
    }

    /// The source of the return.
    package let source: Source
    /// The code of the wallet's result, as the vendor's SDK returns it: `0`, `-1`, `-2`, `6001` or another. Nil for
    /// pages, whose result is ignored.
    package let code: String?
    /// The wallet's text, or the vendor SDK's own.
    package let message: String?
    /// The scheme or address by which it came, for finding its order.
    package let place: String
    /// The payer's consent, which is sent with the confirmation: a nonce, a grant or a PayPal order.
    package let consent: Consent?
    /// The names of its order.
    package let names: ReturnNames

    package init(
        _ source: Source, code: String?, message: String? = nil, place: String, consent: Consent? = nil,
        names: ReturnNames
    ) {
        self.source = source
        self.code = code
        self.message = message
        self.place = place
        self.consent = consent
        self.names = names
    }

    /// True if the wallet says that the payer cancelled.
    package var isCancellation: Bool { VendorCode.isCancellation(code, message: message) }

    /// Reads `text`, strictly: one of the application's own schemes or addresses, the exact host and path of the
    /// wallet, no user name, no port. Nil for everything else, which is not for this library.
    ///
    /// - Parameter places: the application's return addresses.
    package init?(_ text: String, at places: CitconConfiguration.ReturnPlaces) {
        let link: PaymentLink
        if let whole = try? PaymentLink(text) {
            link = whole
        } else if let inner = Self.nested(text) {
            link = inner
        } else {
            return nil
        }
        guard let found = Self.read(link, places) else { return nil }
        self = found
    }

    // MARK: Recognising

    private static func read(_ link: PaymentLink, _ places: CitconConfiguration.ReturnPlaces) -> WalletReturn? {
        guard link.form == .web, let scheme = link.scheme.map(String.init) else { return nil }
        if link.isHTTP { return universalLink(link, places) ?? page(link, places) }
        guard link.port == nil else { return nil }
        return (link.fragment == nil ? wallet(link, scheme, places) : nil) ?? page(link, places)
    }

    private static func wallet(_ link: PaymentLink, _ scheme: String, _ places: CitconConfiguration.ReturnPlaces)
        -> WalletReturn?
    {
        let isBare = link.path.isEmpty || link.path == "/"
        func isOne(of schemes: Set<String>, suffix: String = "") -> Bool {
            schemes.contains { !$0.isEmpty && ($0 + suffix).equalsIgnoringASCIICase(scheme) }
        }
        switch link.host.map(String.init) {
        case "pay" where isBare && isOne(of: places.weChatAppIDs): return weChat(link, scheme)
        case "safepay" where isBare && isOne(of: places.schemes): return alipay(link, scheme)
        case "uppayresult" where isBare && isOne(of: places.schemes): return unionPay(link, scheme)
        case "cashapp" where isBare && isOne(of: places.schemes):
            return WalletReturn(
                .cashApp, code: nil, place: scheme,
                consent: consent(
                    "grant_id", link, ["expiry": "expiry", "consumer_id": "consumer_id", "cashtag": "cashtag"]),
                names: ReturnNames(link))
        case "klarna" where isBare && isOne(of: places.schemes):
            return WalletReturn(
                .klarna, code: nil, place: scheme, consent: consent("authorization_token", link),
                names: ReturnNames(link))
        case "x-callback-url" where isOne(of: places.bundleIDs, suffix: ".payments"): return braintree(link, scheme)
        default: return nil
        }
    }

    /// Reads `https://<universal link>/<app id>/pay?…`. The path that WeChat really uses is not certain.
    private static func universalLink(_ link: PaymentLink, _ places: CitconConfiguration.ReturnPlaces) -> WalletReturn?
    {
        guard link.isHTTPS, link.fragment == nil else { return nil }
        let address = address(of: link)
        for base in places.universalLinks {
            guard let base = try? PaymentLink(base), base.isHTTPS, base.query == nil else { continue }
            let prefix = Self.address(of: base)
            for id in places.weChatAppIDs
            where address == (prefix.hasSuffix("/") ? prefix : prefix + "/") + id + "/pay" {
                return weChat(link, id)
            }
        }
        return nil
    }

    /// Reads one of the merchant's own addresses, by scheme, host, port and path. A page may have added a query.
    private static func page(_ link: PaymentLink, _ places: CitconConfiguration.ReturnPlaces) -> WalletReturn? {
        let address = address(of: link)
        let own = places.pages.filter { Self.address(of: $0) == address }
        guard !own.isEmpty else { return nil }
        let names = ReturnNames(link, besides: own.compactMap { try? PaymentLink($0) })
        return WalletReturn(.page, code: nil, place: address, names: names)
    }

    /// Returns scheme, host, port and path, for comparison; nil for text that is not a URL with an authority.
    package static func address(of text: String) -> String? {
        guard let link = try? PaymentLink(text), link.form == .web else { return nil }
        return address(of: link)
    }

    private static func address(of link: PaymentLink) -> String {
        let path = link.path.isEmpty && link.host != nil ? "/" : link.path
        return "\(link.scheme ?? "")://\(link.host ?? "")\(link.port.map { ":\($0)" } ?? "")\(path)"
    }

    /// Reads `app://<scheme>://uppayresult?…`, a malformed URL that exists in the wild.
    private static func nested(_ text: String) -> PaymentLink? {
        let outer = "app://"
        guard text.prefix(outer.utf8.count).equalsIgnoringASCIICase(outer) else { return nil }
        let rest = text.dropFirst(outer.utf8.count)
        // The text is taken unchanged: an inner URL that was encoded as a whole is not this form.
        guard let inner = try? PaymentLink(String(rest)), inner.host == "uppayresult",
            inner.text.equalsIgnoringASCIICase(rest)
        else { return nil }
        return inner
    }

    // MARK: The wallets' words

    private static func weChat(_ link: PaymentLink, _ place: String) -> WalletReturn {
        let names = ReturnNames(link)
        guard let text = single("ret", link)?.reveal(), let code = Int32(text), String(code) == text else {
            return WalletReturn(
                .weChat, code: VendorCode.failure, message: VendorText.unknown, place: place, names: names)
        }
        return WalletReturn(.weChat, code: String(code), place: place, names: names)
    }

    /// Reads a query that is JSON as a whole.
    private static func alipay(_ link: PaymentLink, _ place: String) -> WalletReturn {
        let text = link.query.flatMap { PercentCoding.decode($0) } ?? ""
        let memo = (try? JSONValue(parsing: text))?["memo"]
        var names = ReturnNames(link)
        names.add(alipayEcho: memo?["result"]?.string ?? "")
        guard let status = memo?["ResultStatus"]?.string ?? memo?["resultStatus"]?.string, !status.isEmpty,
            status.utf8.count <= 16, status.utf8.allSatisfy({ $0.isASCIIDigit || $0 == UInt8(ascii: "-") })
        else {
            return WalletReturn(
                .alipay, code: VendorCode.failure, message: VendorText.unknown, place: place, names: names)
        }
        if status == "9000" { return WalletReturn(.alipay, code: VendorCode.success, place: place, names: names) }
        let said = memo?["memo"]?.string ?? ""
        let message = said.isEmpty ? "\(VendorText.unknown): \(status)" : said
        // Alipay's only code for "paid" is 9000. A status of 0 is not one.
        return WalletReturn(
            .alipay, code: status == VendorCode.success ? VendorCode.failure : status, message: message, place: place,
            names: names)
    }

    private static func unionPay(_ link: PaymentLink, _ place: String) -> WalletReturn {
        let values = link.queryItems.values("code")
        let code =
            switch values.count == 1 ? values[0] : values.isEmpty ? "" : "fail" {
            case "success": VendorCode.success
            case "fail": VendorCode.failure
            default: VendorCode.cancelled
            }
        var names = ReturnNames(link)
        for data in link.queryItems.values("data") { names.add(unionPayData: PercentCoding.decode(data) ?? "") }
        return WalletReturn(.unionPay, code: code, place: place, names: names)
    }

    private static func braintree(_ link: PaymentLink, _ place: String) -> WalletReturn? {
        let names = ReturnNames(link)
        switch link.path {
        case "/vzero/auth/venmo/success":
            let nonce = consent("paymentMethodNonce", link)
            return WalletReturn(.braintree, code: VendorCode.success, place: place, consent: nonce, names: names)
        case "/vzero/auth/venmo/error":
            return WalletReturn(
                .braintree, code: VendorCode.failure, message: VendorText.unknown, place: place, names: names)
        case "/vzero/auth/venmo/cancel":
            return WalletReturn(.braintree, code: VendorCode.cancelled, place: place, names: names)
        default: return nil
        }
    }

    /// The return address of PayPal's own library, in the system's session for it.
    package static let payPalSession = "sdk.ios.paypal://x-callback-url/paypal-sdk/paypal-checkout"

    /// Reads the return of a gateway's own library. PayPal's returns are read only here: none from outside its session
    /// is accepted.
    package init?(_ text: String, from request: AppRequest, at places: CitconConfiguration.ReturnPlaces) {
        guard request.returnURLs.contains(Self.payPalSession) else {
            self.init(text, at: places)
            return
        }
        guard let link = try? PaymentLink(text), link.form == .web, link.fragment == nil, link.port == nil,
            Self.address(of: link) == Self.payPalSession
        else { return nil }
        self.init(
            .payPal, code: nil, place: Self.payPalSession,
            consent: Self.consent("token", link, ["PayerID": "order_payer_id"]), names: ReturnNames(link))
    }

    /// Returns the consent in an item, with the accompanying items, each by the service's name for it.
    private static func consent(_ name: String, _ link: PaymentLink, _ more: [String: String] = [:]) -> Consent? {
        guard let value = single(name, link) else { return nil }
        var details: [String: String] = [:]
        for (item, member) in more { details[member] = single(item, link)?.reveal() }
        return Consent(value, details: details)
    }

    /// Returns the value of the one item with this name; nil when there is none, more than one, or an empty one.
    private static func single(_ name: String, _ link: PaymentLink) -> Redacted<String>? {
        link.only(name).map { Redacted($0) }
    }
}

// MARK: - Names

/// The names of an order in the URL of a payer's return.
///
/// Most URLs name nothing. The wallets' forms are those of Protocol 4.3. The others are the service's own members, in
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

    /// Returns the first item that contradicts `given`; nil when there is none. Of the items that are not given, only a
    /// charge's token contradicts.
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
