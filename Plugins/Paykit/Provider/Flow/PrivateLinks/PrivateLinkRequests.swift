/// The requests of a link that are not over, and the latest of the others, in the order of their arrival. Each is a
/// stored row; the link's own state holds the numbers of the rows that belong to it.
package struct PrivateLinkRequests: Sendable, Hashable, Codable {
    struct Stored: Sendable, Hashable, Codable {
        let id: String
        let number: UInt64
    }

    enum Effect {
        case taken
        case ignored
        case full
    }

    package private(set) var rows: [PrivateLinkRequest] = []
    /// The rows that were dropped to make room since the state was read.
    private(set) var dropped: [PrivateLinkRequest] = []
    var stored: [Stored] = []

    private enum CodingKeys: String, CodingKey { case stored }

    /// The most requests of a link. A new one takes the place of the oldest that is over, or else of the oldest that
    /// waits for this side's answer.
    package static let most = 256

    package init() {}

    package subscript(id: String) -> PrivateLinkRequest? {
        get { rows.first { $0.id == id } }
        set {
            guard let newValue, let place = rows.firstIndex(where: { $0.id == id }) else { return }
            rows[place] = newValue
        }
    }

    mutating func take(_ message: PrivateLinkMessage, _ entry: PrivateLinkRequest.Entry) -> Effect {
        guard let id = message.requestID else { return .ignored }
        // What was dropped since the state was read is not stored yet.
        if self[id] == nil, let place = dropped.firstIndex(where: { $0.id == id }) {
            let row = dropped.remove(at: place)
            if !add(row) { dropped.append(row) }
        }
        if case .request = message {
            // The first counts: a second one of the same id has no effect, even with the same terms.
            guard self[id] == nil, let request = PrivateLinkRequest(entry) else { return .ignored }
            return add(request) ? .taken : .full
        }
        return self[id]?.take(message, entry) == true ? .taken : .ignored
    }

    /// Adds a row. Returns false if there is no room.
    mutating func add(_ request: PrivateLinkRequest) -> Bool {
        if rows.count >= Self.most {
            let place =
                rows.firstIndex { $0.isOver }
                ?? rows.firstIndex { !$0.isOwn && $0.state.phase == .proposed && $0.payments.isEmpty }
            guard let place else { return false }
            dropped.append(rows.remove(at: place))
        }
        rows.append(request)
        return true
    }

    mutating func fill(_ rows: [PrivateLinkRequest]) { self.rows = rows }

    mutating func settle(_ stored: [Stored]) { (self.stored, dropped) = (stored, []) }
}
