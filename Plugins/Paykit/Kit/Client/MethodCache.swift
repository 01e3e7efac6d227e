/// The payment methods of users, for as long as they may be shown without another request. Bounded.
struct MethodCache: Sendable {
    private struct Entry: Sendable {
        let methods: PaykitSupportedMethods
        let end: Duration
        var order: UInt64
    }

    let capacity: Int
    let time: Duration
    private var entries: [PubkyKey: Entry] = [:]
    private var turn: UInt64 = 0
    /// The number of removals: a request made before one may return outdated methods.
    private(set) var removals = 0

    init(capacity: Int, time: Duration) {
        self.capacity = max(1, capacity)
        self.time = time
    }

    mutating func methods(of user: PubkyKey, at uptime: Duration) -> PaykitSupportedMethods? {
        guard var entry = entries[user], uptime < entry.end else { return nil }
        turn += 1
        entry.order = turn
        entries[user] = entry
        return entry.methods
    }

    mutating func keep(_ methods: PaykitSupportedMethods, of user: PubkyKey, at uptime: Duration) {
        turn += 1
        entries[user] = Entry(methods: methods, end: uptime + time, order: turn)
        guard entries.count > capacity, let oldest = entries.min(by: { $0.value.order < $1.value.order })?.key else {
            return
        }
        entries[oldest] = nil
    }

    var users: [PubkyKey] { Array(entries.keys) }

    mutating func remove(_ user: PubkyKey) {
        removals += 1
        entries[user] = nil
    }
}
