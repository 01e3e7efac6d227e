public import PaymentCore

/// The pages by which a payer comes back from a page of the service.
///
/// Coming back proves nothing: what became of a payment is always asked of the service.
public struct ReturnURLs: Sendable, Hashable {
    /// Which way the payer came back.
    @nonexhaustive
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The page was finished.
        case success
        /// The payer called it off there.
        case cancel
        /// The page failed.
        case error
        /// The page was finished; the payment goes on.
        case pending
    }

    /// Where a finished page leads.
    public let success: String
    /// Where an abandoned page leads.
    public let cancel: String
    /// Where a failed page leads.
    public let error: String
    /// Where a page leads whose payment goes on.
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

    /// All four, in the order of ``Kind``.
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

    /// Returns which of the pages `url` is, or nil. Scheme, host, port and path have to be equal; a longer path or host
    /// that merely begins the same is somebody else's. Query and fragment may be anything.
    public func kind(of url: PaymentLink) -> Kind? {
        Kind.allCases.first { kind in
            guard let own = try? PaymentLink(self[kind]) else { return false }
            return own.form == url.form && own.scheme == url.scheme && own.host == url.host && own.port == url.port
                && own.path == url.path
        }
    }
}
