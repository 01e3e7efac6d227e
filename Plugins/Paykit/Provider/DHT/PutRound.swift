/// Stores one item at nodes that issued tokens. Each is asked at most twice.
struct PutRound: DHTExchange {
    private var waiting: ArraySlice<(address: DatagramAddress, token: [UInt8])>
    private(set) var flights: DHTFlights
    private let put: KRPCPut
    private(set) var report = DHTPublication()

    init(
        _ item: MutableItem, replacing: Int64?, at stores: [(address: DatagramAddress, token: [UInt8])],
        _ configuration: DHTConfiguration, random: any RandomSource, now: Duration
    ) {
        waiting = stores[...]
        flights = DHTFlights(configuration, random: random, now: now)
        put = KRPCPut(id: NodeID(random: random), token: [], item: KRPCItem(item), replacing: replacing)
    }

    mutating func outgoing(now: Duration) -> [DHTOutgoing] {
        var out = flights.repeated(now)
        report.silent += flights.expired(now).count
        while now < flights.end, flights.hasRoom(now), let (address, token) = waiting.popFirst() {
            var put = put
            put.token = token
            out.append(flights.launch(.put(put), to: address, sendLimit: 2, now: now))
        }
        return out
    }

    mutating func receive(_ datagram: Datagram) {
        switch flights.take(datagram)?.answer {
        case .response: report.stored += 1
        case .error(let error):
            switch error.code {
            case KRPCError.sequenceTooLow.code: report.outdated += 1
            case KRPCError.mismatch.code: report.mismatched += 1
            default: report.refused += 1
            }
        case .query, nil: return
        }
    }
}
