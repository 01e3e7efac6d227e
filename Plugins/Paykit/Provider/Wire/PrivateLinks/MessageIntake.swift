import PaymentCore
import PaymentCrypto

/// What became of a text that came over a link (Protocol 12.4). Nothing that cannot be read stops what follows it.
package enum MessageIntake: Sendable, Hashable {
    case valid(PrivateLinkMessage)
    /// Of a kind that is known, and wrong. Its id, where it can be read, is taken: nothing else may come under it.
    case malformed(PrivateLinkMessage.Kind, eventID: String?)
    /// Of a kind or form that is not known here. It is kept, and skipped.
    case unknown(kind: String)
    case unreadable

    /// What stands for a message that is not UTF-8.
    package static let invalidText = "paykit.invalid_utf8_private_message:"

    /// The text of a message as it is kept.
    package static func text(of bytes: [UInt8]) -> String {
        String(validating: bytes, as: UTF8.self) ?? invalidText + Base64URL.encode(bytes)
    }

    /// Reads a text.
    ///
    /// - Parameter sender: whose app speaks at the other end of the link; a receipt that lies elsewhere is not theirs.
    package init(_ text: String, from sender: PaykitReceiverPath) {
        guard let json = try? JSONValue(parsing: text), json.object != nil else {
            self = .unreadable
            return
        }
        guard let version = json["version"], version.uint64 != nil, let name = json["kind"]?.string else {
            self = .unreadable
            return
        }
        guard let kind = PrivateLinkMessage.Kind(rawValue: name) else {
            self = .unknown(kind: name)
            return
        }
        let eventID = kind == .paymentList ? nil : json["event_id"]?.string.flatMap(EventID.normal)
        do {
            let message = try PrivateLinkMessage(json, kind)
            if case .receiptAccess(let access) = message, !access.isAt(sender) {
                // Somebody else's place: what was meant for another link takes no id of this one.
                self = .malformed(kind, eventID: nil)
            } else {
                self = .valid(message)
            }
        } catch {
            self = .malformed(kind, eventID: eventID)
        }
    }

    /// A message again that was taken in before.
    static func known(_ text: String) -> PrivateLinkMessage? {
        guard let json = try? JSONValue(parsing: text), let name = json["kind"]?.string,
            let kind = PrivateLinkMessage.Kind(rawValue: name)
        else { return nil }
        return try? PrivateLinkMessage(json, kind)
    }

    /// Whether a text is of the form after the one that is spoken here: each of its messages names the app that sent
    /// it.
    package static func isLater(_ text: String) -> Bool {
        guard let json = try? JSONValue(parsing: text), json["kind"]?.string?.hasPrefix("paykit.") == true else {
            return false
        }
        return json["app_id"]?.string != nil
    }
}
