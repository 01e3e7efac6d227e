public import PaymentCore
public import WalletConnectPayProvider

/// The rules for the form page's messages to the wallet through its script bridge.
///
/// Create one value per shown page. It survives failures, since the payer may try again in the same page, and accepts
/// one completion; later messages are ignored.
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

    /// The reason why a message changes nothing.
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
