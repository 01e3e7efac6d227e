public import PaymentCore
public import WalletConnectPayProvider

/// What the form's page tells the wallet through its script bridge, and whether to believe it.
///
/// One value per shown page. It lives through failures, since the payer may try again in the same page, and accepts
/// one completion; whatever comes after it is ignored.
public struct DataCollectionBridge: Sendable {
    /// The name under which the page looks for the bridge: `window.webkit.messageHandlers.<name>`.
    public static let handlerName = "payDataCollectionComplete"
    /// The most UTF-8 bytes of a message.
    public static let maximumMessageLength = 65_536

    /// What a message means.
    public enum Verdict: Sendable, Hashable {
        /// The data is handed in. Go on, and leave `collectedData` out when confirming.
        case completed
        /// The page reports a problem; the text, fit to be shown, says which. The payer may try again.
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
        /// The data was handed in before.
        case alreadyCompleted
        /// It is of a type that this version does not know.
        case unknownType
    }

    /// What is reported of a message that cannot be read.
    static let malformed = Verdict.failed("Invalid message format")

    private let origin: WebOrigin
    /// Whether the data was handed in.
    public private(set) var isCompleted = false

    /// Creates a bridge for `page`: believes its origin and no other.
    public init(for page: DataCollectionPage) {
        origin = page.origin
    }

    /// Judges one message.
    ///
    /// - Parameters:
    ///   - body: What the page posted: an object, or its JSON text in a string. Both are seen in practice.
    ///   - sender: The origin of the frame that posted it, as the web view reports it.
    ///   - isMainFrame: Whether that frame is the page itself.
    public mutating func receive(_ body: JSONValue, from sender: WebOrigin, isMainFrame: Bool) -> Verdict {
        guard isMainFrame else { return .ignored(.notMainFrame) }
        guard sender == origin else { return .ignored(.otherOrigin) }
        guard !isCompleted else { return .ignored(.alreadyCompleted) }
        let verdict = Self.read(body)
        isCompleted = verdict == .completed
        return verdict
    }

    /// What a message says, whoever sent it.
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
            // The vendor's guides do not look at `success` at all; only an outright "no" is one.
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
    /// The part of a web view's message that matters, as a value: a string stays one, of a dictionary the known
    /// members are kept, everything else becomes `null`.
    static func body(from raw: Any) -> JSONValue {
        if let text = raw as? String { return .string(text) }
        guard let members = raw as? [String: Any] else { return .null }
        var body: [String: JSONValue] = [:]
        for key in ["type", "error"] { body[key] = (members[key] as? String).map(JSONValue.string) }
        if let success = members["success"] {
            // Anything but a truth value stays unreadable, so that it cannot pass for one.
            body["success"] = (success as? Bool).map(JSONValue.bool) ?? .string("")
        }
        return .object(body)
    }
}
