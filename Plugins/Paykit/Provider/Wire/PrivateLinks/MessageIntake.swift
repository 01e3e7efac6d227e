import PaymentCrypto

/// The result of reading a text from a link (Protocol 12.4). An unreadable text does not stop those after it.
package enum MessageIntake: Sendable, Hashable {
    case valid(PrivateLinkMessage)
    /// Of a known kind, and wrong. Its id, if it can be read, is taken: nothing else may arrive under it.
    case malformed(PrivateLinkMessage.Kind, eventID: String?)
    /// Of an unknown kind or form. It is kept, and skipped.
    case unknown(kind: String)
    case unreadable

    /// The prefix of a text that stands for a message that is not UTF-8.
    package static let invalidText = "paykit.invalid_utf8_private_message:"

    /// Returns the text of a message as it is kept.
    package static func text(of bytes: [UInt8]) -> String {
        String(validating: bytes, as: UTF8.self) ?? invalidText + Base64URL.encode(bytes)
    }

    /// Reads a text. `sender` is the receiver at the other end; a receipt that lies elsewhere is not theirs.
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
                // Another sender's place: a message meant for another link takes no id of this one.
                self = .malformed(kind, eventID: nil)
            } else {
                self = .valid(message)
            }
        } catch {
            self = .malformed(kind, eventID: eventID)
        }
    }

    static func known(_ text: String) -> PrivateLinkMessage? {
        guard let json = try? JSONValue(parsing: text), let name = json["kind"]?.string,
            let kind = PrivateLinkMessage.Kind(rawValue: name)
        else { return nil }
        return try? PrivateLinkMessage(json, kind)
    }
}
