import PaymentCore
import PayrailsTypes

/// Where the token may be sent and which pages may be opened.
///
/// Addresses come from answers, and an answer may be forged or confused. The token goes only to the service's own
/// domain and to the origins that the merchant's server named in the init data, always encrypted unless on this
/// machine.
struct AddressRule: Sendable {
    /// The service's domain.
    static let domain = "payrails.io"
    private static let payPalDomain = "paypal.com"

    private let origins: Set<String>
    /// Where the payment itself is asked about, which decides over pages on this machine.
    private let home: HTTPURL?

    /// Trusts the origins of `addresses` besides the service's own domain.
    ///
    /// - Parameter home: where the payment is asked about; nil where there is none to be made, and no page to be
    ///   opened.
    init(home: String?, trusting addresses: [String?]) {
        self.home = home.flatMap { try? HTTPURL($0) }
        origins = Set(addresses.compactMap { $0.flatMap { try? HTTPURL($0) }?.origin })
    }

    /// Refuses what would send the token in the open.
    ///
    /// - Throws: ``PayrailsError``.
    static func checkIsPrivate(_ url: HTTPURL) throws(PayrailsError) {
        guard url.isConfidential else {
            throw .unknown(error: PayrailsUnderlyingError.insecureAddress(origin: url.origin))
        }
    }

    /// An address that may be called with the token.
    ///
    /// - Throws: ``PayrailsError``.
    func service(_ text: String, called name: String) throws(PayrailsError) -> HTTPURL {
        let url = try Self.read(text, name)
        try Self.checkIsPrivate(url)
        guard isOwn(url) else { throw .unknown(error: PayrailsUnderlyingError.untrustedAddress(origin: url.origin)) }
        return url
    }

    /// A page of the service that may be opened.
    func page(_ text: String, called name: String) throws(PayrailsError) -> HTTPURL {
        try openable(try service(text, called: name))
    }

    /// A page of PayPal that may be opened.
    func payPalPage(_ text: String) throws(PayrailsError) -> HTTPURL {
        let url = try Self.read(text, "PayPal's page")
        guard isOwn(url) || url.isSecure && url.port == 443 && Self.host(url.host, isWithin: Self.payPalDomain) else {
            throw .unknown(error: PayrailsUnderlyingError.untrustedAddress(origin: url.origin))
        }
        return try openable(url)
    }

    /// A page of anybody that the service sends the payer to: a bank, a wallet.
    func foreignPage(_ text: String) throws(PayrailsError) -> HTTPURL {
        try openable(try Self.read(text, "'links.redirect'"))
    }

    private func openable(_ url: HTTPURL) throws(PayrailsError) -> HTTPURL {
        guard let home, url.mayBeOpened(by: home) else {
            throw .unknown(error: PayrailsUnderlyingError.untrustedAddress(origin: url.origin))
        }
        return url
    }

    /// Whether `host` is `domain` or lies below it.
    static func host(_ host: String, isWithin domain: String) -> Bool {
        host == domain || host.hasSuffix("." + domain)
    }

    /// Whether `url` is on the service's own domain, encrypted and on the usual port.
    static func isPayrails(_ url: HTTPURL) -> Bool {
        url.isSecure && url.port == 443 && host(url.host, isWithin: domain)
    }

    private func isOwn(_ url: HTTPURL) -> Bool {
        Self.isPayrails(url) || url.isConfidential && origins.contains(url.origin)
    }

    private static func read(_ text: String, _ name: String) throws(PayrailsError) -> HTTPURL {
        do { return try HTTPURL(text) } catch { throw .missingData("\(name) is not a web address: \(error)") }
    }
}

extension SessionPayload {
    /// The addresses that this payment's answers may lead to.
    var addresses: AddressRule {
        AddressRule(home: execution?.links.me, trusting: serviceAddresses)
    }

    /// The only hosts that a client of this session may call: the service's own, by their domain, and the others that
    /// the merchant's server named.
    package var hosts: [String] {
        let suffix = "." + AddressRule.domain
        let named = serviceAddresses.compactMap { $0.flatMap { try? HTTPURL($0) } }
        return [suffix] + named.filter { !AddressRule.isPayrails($0) || !$0.host.hasSuffix(suffix) }.map(\.authority)
    }

    /// Where the service may list what is stored: where it stores, or what its other addresses hang on. Nil when no
    /// address tells.
    package var instrumentsAddress: String? {
        func parent(_ link: LinkBody?, of last: String) -> String? {
            guard let href = link?.href, href.hasSuffix("/" + last) else { return nil }
            return String(href.dropLast(last.utf8.count + 1))
        }
        return vault?.links?.saveInstrument?.href?.nonEmpty ?? parent(tokenization?.tokenize, of: "tokenize")
            ?? parent(instrumentDelete, of: ":instrumentId") ?? parent(instrumentUpdate, of: ":instrumentId")
    }

    /// Every address of the service in the init data.
    var serviceAddresses: [String?] {
        [
            execution?.links.me, execution?.authorize?.href, vault?.links?.saveInstrument?.href,
            tokenization?.tokenize.href, instrumentDelete?.href, instrumentUpdate?.href,
        ]
    }
}
