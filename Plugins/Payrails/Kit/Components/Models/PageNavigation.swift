import PaymentCore

/// The rules of a web view with a payment's page: the addresses it may open, and those that bring the payer back.
struct PageNavigation: Sendable {
    enum Decision: Sendable, Hashable {
        /// Load the address in the web view.
        case stay
        /// The payer returned by this address; do not load it.
        case returned(PaymentLink)
        /// The address belongs to another app, such as a bank's: let the system open it.
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

    /// Returns the decision about a navigation to `address`.
    ///
    /// Bank checks lead over many hosts, so every encrypted page may be shown; an unencrypted one only if the payment's
    /// own page is on this machine. An address that is neither a page nor a return URL opens outside, but only on a
    /// request of the main frame, and never for schemes of scripts and files.
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

    /// The schemes that lead to no other app.
    private static let local: Set<String> = [
        "about", "blob", "data", "file", "filesystem", "ftp", "http", "https", "javascript", "vbscript", "view-source",
        "ws", "wss",
    ]
}

extension PaymentLink {
    /// Returns true if scheme, host, port and path are equal; query and fragment may differ.
    fileprivate func isSamePlace(as other: PaymentLink) -> Bool {
        form == other.form && scheme == other.scheme && host == other.host && port == other.port && path == other.path
    }
}
