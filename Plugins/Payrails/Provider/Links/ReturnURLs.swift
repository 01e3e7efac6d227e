public import PaymentCore

/// The addresses that a payer returns to from a page of the service.
///
/// A return proves nothing: only the service's statuses determine a payment's report.
public struct ReturnURLs: Sendable, Hashable {
    /// The kind of a payer's return.
    @nonexhaustive
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The payer finished the page.
        case success
        /// The payer cancelled on the page.
        case cancel
        /// The page failed.
        case error
        /// The payer finished the page; the payment continues.
        case pending
    }

    /// The address after a finished page.
    public let success: String
    /// The address after a cancelled page.
    public let cancel: String
    /// The address after a failed page.
    public let error: String
    /// The address after a page whose payment continues.
    public let pending: String

    /// Creates addresses, each of the form `scheme://host/path`.
    public init(success: String, cancel: String, error: String, pending: String) {
        self.success = success
        self.cancel = cancel
        self.error = error
        self.pending = pending
    }

    /// The host of the service's own static pages.
    static let standardHost = "assets.payrails.io"

    /// The service's own static pages.
    public static let standard = ReturnURLs(
        success: "https://\(standardHost)/html/payrails-success.html",
        cancel: "https://\(standardHost)/html/payrails-cancel.html",
        error: "https://\(standardHost)/html/payrails-error.html",
        pending: "https://\(standardHost)/html/payrails-pending.html")

    /// All four addresses, in the order of ``Kind``.
    public var all: [String] { Kind.allCases.map { self[$0] } }

    /// The address of one kind.
    public subscript(_ kind: Kind) -> String {
        switch kind {
        case .success: success
        case .cancel: cancel
        case .error: error
        case .pending: pending
        }
    }

    /// Returns the kind whose address `url` is, or nil. Scheme, host, port and path have to be equal. A longer path or
    /// host with the same beginning does not match. Query and fragment may differ.
    public func kind(of url: PaymentLink) -> Kind? {
        Kind.allCases.first { kind in
            guard let own = try? PaymentLink(self[kind]) else { return false }
            return own.form == url.form && own.scheme == url.scheme && own.host == url.host && own.port == url.port
                && own.path == url.path
        }
    }
}
