import PaymentCore
import ServiceSupport

/// The rule for addresses that may receive the token and for pages that may be opened.
///
/// Addresses come from answers, and an answer may be forged or confused. The token is sent only to the service's own
/// domain and to the origins that the merchant's server named in the init data, always encrypted unless on this
/// machine.
struct AddressRule: Sendable {
    /// The service's domain.
    static let domain = "payrails.io"
    private static let payPalDomain = "paypal.com"

    private let origins: Set<String>
    /// The address of the payment's status, which decides whether pages on this machine may be opened.
    private let home: HTTPURL?

    /// Trusts the origins of `addresses` in addition to the service's own domain.
    ///
    /// - Parameter home: the address of the payment's status; nil if the session has no payment, and no page may be
    ///   opened.
    init(home: String?, trusting addresses: [String?]) {
        self.home = home.flatMap { try? HTTPURL($0) }
        origins = Set(addresses.compactMap { $0.flatMap { try? HTTPURL($0) }?.origin })
    }

    /// Rejects an address that would receive the token unencrypted.
    ///
    /// - Throws: ``PayrailsError``.
    static func checkIsPrivate(_ url: HTTPURL) throws(PayrailsError) {
        guard url.isConfidential else {
            throw .unknown(error: PayrailsUnderlyingError.insecureAddress(origin: url.origin))
        }
    }

    /// Returns an address that may be called with the token.
    ///
    /// - Throws: ``PayrailsError``.
    func service(_ text: String, called name: String) throws(PayrailsError) -> HTTPURL {
        let url = try Self.read(text, name)
        try Self.checkIsPrivate(url)
        guard isOwn(url) else { throw .unknown(error: PayrailsUnderlyingError.untrustedAddress(origin: url.origin)) }
        return url
    }

    /// Returns a page of the service that may be opened.
    func page(_ text: String, called name: String) throws(PayrailsError) -> HTTPURL {
        try openable(try service(text, called: name))
    }

    /// Returns a page of PayPal that may be opened.
    func payPalPage(_ text: String) throws(PayrailsError) -> HTTPURL {
        let url = try Self.read(text, "PayPal's page")
        guard isOwn(url) || url.isSecure && url.port == 443 && Self.host(url.host, isWithin: Self.payPalDomain) else {
            throw .unknown(error: PayrailsUnderlyingError.untrustedAddress(origin: url.origin))
        }
        return try openable(url)
    }

    /// Returns any third party's page that the service sends the payer to, such as a bank's or a wallet's.
    func foreignPage(_ text: String) throws(PayrailsError) -> HTTPURL {
        try openable(try Self.read(text, "'links.redirect'"))
    }

    private func openable(_ url: HTTPURL) throws(PayrailsError) -> HTTPURL {
        guard let home, url.mayBeOpened(by: home) else {
            throw .unknown(error: PayrailsUnderlyingError.untrustedAddress(origin: url.origin))
        }
        return url
    }

    /// Returns true if `host` is `domain` or a subdomain of it.
    static func host(_ host: String, isWithin domain: String) -> Bool {
        host == domain || host.hasSuffix("." + domain)
    }

    /// Returns true if `url` is on the service's own domain, encrypted and on the default port.
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
    /// The rule for the addresses in this payment's answers.
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

    /// The address where the service may list stored instruments: the one for storing them, or the parent of the other
    /// addresses. Nil if there is no such address.
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
