public import PaymentCore

/// Where a key manager leads back to after an authorisation (Protocol 10.7).
///
/// Whoever comes back proves nothing by it: what was authorised, the relay says. An address is of the other side's
/// choosing: ask before it is opened.
public struct PubkyCallbacks: Sendable, Hashable {
    /// How the app that asks calls itself.
    public let source: String?
    /// Opened when the app was let in.
    public let success: String?
    /// Opened when something failed.
    public let error: String?
    /// Opened when somebody said no.
    public let cancel: String?

    /// Creates callbacks.
    public init(source: String? = nil, success: String? = nil, error: String? = nil, cancel: String? = nil) {
        self.source = source
        self.success = success
        self.error = error
        self.cancel = cancel
    }

    /// Reads them from a link's query: the first of a name counts, and each is decoded once. What cannot be decoded
    /// stays as it is written.
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

    /// How an authorisation ended, for the app that asked.
    @nonexhaustive
    public enum Ending: Sendable, Hashable {
        /// The app was let in.
        case success
        /// Something failed: a short word for programs, a sentence for people.
        case failure(code: String, message: String)
        /// Somebody said no.
        case cancelled
    }

    /// Where to lead back to; nil where the app named no place, or one that runs or shows something here instead of
    /// leading to an app or page.
    ///
    /// - Parameter ending: how the authorisation ended.
    public func link(after ending: Ending) -> PaymentLink? {
        let text: String?
        switch ending {
        case .success: text = success
        case .cancelled: text = cancel
        case .failure(let code, let message):
            text = error.map {
                $0 + ($0.contains("?") ? "&" : "?") + "errorCode=\(PercentCoding.encode(code))&errorMessage="
                    + PercentCoding.encode(message)
            }
        }
        guard let text, let link = try? PaymentLink(text), let scheme = link.scheme,
            !["javascript", "data", "file", "about", "blob", "vbscript"].contains(scheme)
        else { return nil }
        return link
    }
}
