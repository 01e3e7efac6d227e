import PaymentCore

/// Where a web view with a payment's page may go, and which addresses mean that the payer is back.
struct PageNavigation: Sendable {
    enum Decision: Sendable, Hashable {
        /// Load it in the web view.
        case stay
        /// The payer is back by this address; do not load it.
        case returned(PaymentLink)
        /// Another app is meant, such as a bank's: let the system open it.
        case openOutside
        /// Do nothing.
        case block
    }

    private let returns: [PaymentLink]
    private let start: HTTPURL

    init(_ page: PageRequest) {
        start = page.url
        returns = page.returnURLs.compactMap { try? PaymentLink($0) }
    }

    /// Returns what to do about a wish to go to `address`.
    ///
    /// Checks of banks lead over many hosts, so every encrypted page may be shown; an unencrypted one only where the
    /// payment's own page is on this machine. What is neither a page nor the way back opens outside, if it is the page
    /// itself that asks for it, but scripts and files never do.
    func decide(_ address: String, isMainFrame: Bool) -> Decision {
        if address == "about:blank" || address == "about:srcdoc" { return isMainFrame ? .block : .stay }
        guard let link = try? PaymentLink(address) else { return .block }
        if isMainFrame, returns.contains(where: { $0.isSamePlace(as: link) }) { return .returned(link) }
        if let url = try? HTTPURL(address) {
            return url.isSecure || start.isLoopback && url.isLoopback ? .stay : .block
        }
        guard isMainFrame, let scheme = link.scheme, !Self.local.contains(String(scheme)) else { return .block }
        return .openOutside
    }

    /// Schemes that lead to no other app.
    private static let local: Set<String> = [
        "about", "blob", "data", "file", "filesystem", "ftp", "http", "https", "javascript", "vbscript", "view-source",
        "ws", "wss",
    ]
}

extension PaymentLink {
    /// Whether scheme, host, port and path are equal; query and fragment may be anything.
    fileprivate func isSamePlace(as other: PaymentLink) -> Bool {
        form == other.form && scheme == other.scheme && host == other.host && port == other.port && path == other.path
    }
}
