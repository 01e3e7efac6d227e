public import PaymentCore
public import WalletConnectPayProvider

/// The rules for the form page's messages to the wallet through its script bridge.
///
/// Create one value per shown page. It survives failures, since the payer may try again in the same page, and accepts
/// one completion. Later messages are ignored.
public struct DataCollectionBridge: Sendable {
    /// The name of the bridge in the page: `window.webkit.messageHandlers.<name>`.
    public static let handlerName = "payDataCollectionComplete"
    /// The maximum length of a message, in UTF-8 bytes.
    public static let maximumMessageLength = 65_536

    /// The meaning of a message.
    public enum Verdict: Sendable, Hashable {
        /// The data is submitted. Continue, and omit `collectedData` when confirming.
        case completed
        /// The page reports an error, described by the displayable text. The payer may try again.
        case failed(String)
        /// The message changes nothing.
        case ignored(IgnoredReason)
    }

    /// Why a message changes nothing.
    public enum IgnoredReason: Sendable, Hashable {
        /// A frame inside the page sent it.
        case notMainFrame
        /// Another page sent it.
        case otherOrigin
        /// The data was submitted before.
        case alreadyCompleted
        /// The message has a type that is unknown to this version.
        case unknownType
    }

    /// The result for an unreadable message.
    static let malformed = Verdict.failed("Invalid message format")

    private let origin: WebOrigin
    /// True once the data was submitted.
    public private(set) var isCompleted = false

    /// Creates a bridge for `page`: it accepts messages of this page's origin only.
    public init(for page: DataCollectionPage) {
        origin = page.origin
    }

    /// Evaluates one message.
    ///
    /// - Parameters:
    ///   - body: the page's message: an object, or its JSON text in a string. Both occur in practice.
    ///   - sender: the origin of the frame that posted it, as the web view reports it.
    ///   - isMainFrame: true if that frame is the page itself.
    public mutating func receive(_ body: JSONValue, from sender: WebOrigin, isMainFrame: Bool) -> Verdict {
        guard isMainFrame else { return .ignored(.notMainFrame) }
        guard sender == origin else { return .ignored(.otherOrigin) }
        guard !isCompleted else { return .ignored(.alreadyCompleted) }
        let verdict = Self.read(body)
        isCompleted = verdict == .completed
        return verdict
    }

    /// Returns the meaning of a message, whatever its sender.
    static func read(_ body: JSONValue) -> Verdict {
        var message = body
        if let text = body.string {
            guard text.utf8.count <= maximumMessageLength, let parsed = try? JSONValue(parsing: text) else {
                return malformed
            }
            message = parsed
        }
        switch message["type"]?.string {
        case "IC_COMPLETE":
            // The vendor's guides ignore `success`; only an explicit false counts as a failure.
            switch message["success"] {
            case nil, .null, true: return .completed
            case false: return failure(message)
            default: return malformed
            }
        case "IC_ERROR": return failure(message)
        case .some: return .ignored(.unknownType)
        case nil: return malformed
        }
    }

    private static func failure(_ message: JSONValue) -> Verdict {
        let text = PlainLine.make(message["error"]?.string ?? "")
        return .failed(text.isEmpty ? "Unknown error" : text)
    }
}

extension DataCollectionBridge {
    /// Returns the relevant part of a web view's message, as a value: a string stays one, a dictionary keeps its known
    /// members, everything else becomes `null`.
    static func body(from raw: Any) -> JSONValue {
        if let text = raw as? String { return .string(text) }
        guard let members = raw as? [String: Any] else { return .null }
        var body: [String: JSONValue] = [:]
        for key in ["type", "error"] { body[key] = (members[key] as? String).map(JSONValue.string) }
        if let success = members["success"] {
            // Anything but a Boolean becomes unreadable, so that it cannot pass for one.
            body["success"] = (success as? Bool).map(JSONValue.bool) ?? .string("")
        }
        return .object(body)
    }
}

/// The navigation rules of a web view with the service's form.
public struct DataCollectionNavigation: Sendable {
    /// The frame that would show the new page.
    public enum Frame: Sendable, Hashable {
        /// The page itself.
        case main
        /// A frame inside it.
        case inner
        /// A new window.
        case new
    }

    /// The action for a navigation.
    public enum Decision: Sendable, Hashable {
        /// Load it in the web view.
        case stay
        /// Stay on the page and open the address in the system's browser.
        case openOutside
        /// Neither load nor open it.
        case block
    }

    private let origin: WebOrigin

    /// Creates the rules for `page`.
    public init(for page: DataCollectionPage) {
        origin = page.origin
    }

    /// Returns the action for a navigation to `address`.
    ///
    /// The page itself stays on its own origin. Links that the payer follows to other https pages open outside.
    /// Requests of redirects and scripts are blocked, and so is any address that is not https (`javascript:`, `data:`,
    /// `file:`, other apps) or that hides its host behind a user name. Frames inside the page may show other https
    /// pages; their messages are never accepted.
    ///
    /// - Parameters:
    ///   - address: the destination.
    ///   - frame: the frame of the page that navigates.
    ///   - isLinkFollowed: true if the payer activated a link.
    public func decide(_ address: String, in frame: Frame, isLinkFollowed: Bool) -> Decision {
        if frame == .inner, address == "about:blank" || address == "about:srcdoc" { return .stay }
        // Only text written as a web address qualifies: the strict scan would also decode an encoded one.
        guard let colon = address.utf8.firstIndex(of: UInt8(ascii: ":")),
            ["https", "http"].contains(where: { address[..<colon].equalsIgnoringASCIICase($0) }),
            let url = try? HTTPURL(address)
        else { return .block }
        let isOwn = WebOrigin(url) == origin
        return switch frame {
        case .main where isOwn: .stay
        case .inner: isOwn || url.isSecure ? .stay : .block
        case .main, .new: isLinkFollowed && url.isSecure ? .openOutside : .block
        }
    }
}
