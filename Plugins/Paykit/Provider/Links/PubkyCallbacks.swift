/// The addresses that a key manager opens after an authorisation (Protocol 10.7).
///
/// An opened callback proves nothing: only the relay shows what was authorised. The other side chooses the address: ask
/// the user before opening it.
public struct PubkyCallbacks: Sendable, Hashable {
    /// The app's own, unverified name.
    public let source: String?
    /// The address for an authorised app.
    public let success: String?
    /// The address for a failure.
    public let error: String?
    /// The address for a cancellation by the user.
    public let cancel: String?

    /// Creates callbacks.
    public init(source: String? = nil, success: String? = nil, error: String? = nil, cancel: String? = nil) {
        self.source = source
        self.success = success
        self.error = error
        self.cancel = cancel
    }

    /// Reads callbacks from a link's query: the first item of a name counts, and each is decoded once. A value that
    /// cannot be decoded stays as written.
    init(_ items: QueryItems) {
        func value(_ name: String) -> String? {
            items.first { $0.name == Substring(name) }.map { PercentCoding.decode($0.value) ?? String($0.value) }
        }
        self.init(
            source: value("x-source"), success: value("x-success") ?? value("callback"), error: value("x-error"),
            cancel: value("x-cancel"))
    }

    /// The items of a link's query, encoded as JavaScript's encodeURIComponent does.
    var items: [String] {
        [("x-source", source), ("x-success", success), ("x-error", error), ("x-cancel", cancel)].compactMap {
            name, value in
            value.map {
                "\(name)="
                    + PercentCoding.encode($0) { $0.isASCIILetter || $0.isASCIIDigit || "-_.!~*'()".utf8.contains($0) }
            }
        }
    }

    /// The outcome of an authorisation, for the app that asked.
    @nonexhaustive
    public enum Ending: Sendable, Hashable {
        /// The app was authorised.
        case success
        /// A failure, with a machine-readable code and a sentence for people.
        case failure(code: String, message: String)
        /// The user declined.
        case cancelled
    }

    /// Returns the address to open; nil where the app named none, or one that runs or shows content here instead of
    /// opening an app or page.
    public func link(after ending: Ending) -> PaymentLink? {
        let text: String?
        switch ending {
        case .success: text = success
        case .cancelled: text = cancel
        case .failure(let code, let message):
            text = error.map { KeyManagerLink.extended($0, [("errorCode", code), ("errorMessage", message)]) }
        }
        guard let text, let link = try? PaymentLink(text), let scheme = link.scheme,
            !["javascript", "data", "file", "about", "blob", "vbscript"].contains(scheme)
        else { return nil }
        return link
    }
}
