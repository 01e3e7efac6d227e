import PaykitPostgres
import PaykitProvider
import PaymentCore
import PaymentPostgres
import PostgresServing
import Testing

@Suite(
    "Paykit's receipts and states in PostgreSQL",
    .enabled(if: PostgresServer.isThere, Comment(rawValue: PostgresServer.need)))
struct PostgresStoreTests {
    private let proxy: CuttingProxy
    private let configuration: PostgresConfiguration

    init() async throws {
        (proxy, configuration) = try await PostgresServer.shared().proxied()
    }

    private static func receipt(_ name: String, payer: String = "payer") -> ChannelReceipt {
        ChannelReceipt(
            id: ChannelReceipt.ID(payer: payer, payee: "payee", name: name), method: "lightning", amount: "1.50",
            currency: "SAT", createdAt: 1_800_000_000, metadata: ["note": "a\u{0}b\u{1F600}", "list": [1, nil]])
    }

    @Test("A receipt is kept once, advances from its stage only, and is listed latest first")
    func receipts() async throws {
        let store = try await PostgresStore(configuration)
        let (receipts, other) = (try await PostgresReceipts(store), try await PostgresReceipts(store))
        let first = Self.receipt("first\u{0}")
        #expect(try await receipts.keep(first) == first)
        var changed = first
        changed.metadata = [:]
        #expect(try await other.keep(changed) == first, "the earlier one stays")
        let names = ["a", "b", "c"]
        for name in names { _ = try await receipts.keep(Self.receipt(name)) }
        #expect(try await receipts.keep(Self.receipt("a", payer: "another")).id.payer == "another")
        var paying = first
        paying.stage = .paying
        paying.proof = ["preimage": "00"]
        #expect(!(try await receipts.advance(paying, from: [.confirmed])))
        let advancing = paying
        let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<UInt8(8) {
                group.addTask {
                    try await (number % 2 == 0 ? receipts : other).advance(advancing, from: [.requested])
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(winners == 1)
        #expect(try await other.receipt(first.id) == paying)
        #expect(try await receipts.receipt(ChannelReceipt.ID(payer: "payer", payee: "payee", name: "d")) == nil)
        #expect(!(try await receipts.advance(Self.receipt("d"), from: [.requested])))
        let all = try await receipts.receipts(before: nil, limit: 100)
        #expect(all.map(\.id.name) == ["a", "c", "b", "a", "first\u{0}"])
        #expect(try await receipts.receipts(before: all[1].id, limit: 2).map(\.id.name) == ["b", "a"])
    }

    @Test("An arrival is new once")
    func arrivals() async throws {
        let receipts = try await PostgresReceipts(try await PostgresStore(configuration))
        let arrival = ChannelArrival(kind: "request", sender: "peer", name: "n")
        #expect(!(try await receipts.isNoted(arrival)))
        #expect(try await receipts.note(arrival))
        #expect(!(try await receipts.note(arrival)))
        #expect(try await receipts.isNoted(arrival))
        #expect(try await receipts.note(ChannelArrival(kind: "request", sender: "peern", name: "")))
    }

    @Test("A state follows its predecessor only, with its rows, in one step")
    func states() async throws {
        let store = try await PostgresStore(configuration)
        let states = try await PostgresSealedStates(store)
        func state(_ number: UInt64, _ bytes: [UInt8] = [0, 255, 1]) -> SealedState {
            SealedState(number: number, sealed: bytes)
        }
        #expect(!(try await states.keep(state(2), named: "link")))
        #expect(!(try await states.keep(state(0), named: "link")))
        #expect(try await states.keep(["link": state(1), "link/a": state(1, []), "links": state(1)], removing: []))
        #expect(try await states.states(named: "link") == ["link": state(1), "link/a": state(1, [])])
        #expect(!(try await states.keep(["link": state(2), "link/a": state(3)], removing: ["links"])))
        #expect(try await states.state(named: "links") == state(1), "nothing was changed")
        let large = [UInt8](repeating: 7, count: 2_000_000)
        #expect(try await states.keep(["link": state(2, large)], removing: ["link/a"]))
        #expect(try await states.states(named: "link") == ["link": state(2, large)])
        #expect(try await states.keep(state(1), named: "link/a"), "it is as if it had never been kept")
        // Several times: the first callers may be done before the last have a connection.
        for number in 1...UInt64(20) {
            let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
                for caller in 0..<UInt8(8) {
                    group.addTask {
                        try await states.keep(
                            ["link": state(2 + number, [caller]), "new": state(number)], removing: [])
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(winners == 1)
        }
    }

    @Test("An answer to a commit that is lost changes no answer", arguments: [CuttingProxy.Fate.arrivesLast, .isLost])
    func lostAnswers(fate: CuttingProxy.Fate) async throws {
        let store = try await PostgresStore(configuration)
        let receipts = try await PostgresReceipts(store)
        let states = try await PostgresSealedStates(store)
        func losing<Value>(_ call: () async throws -> Value) async throws -> Value {
            let counter = Counter()
            proxy.decide { toServer, packet in
                toServer && packet.contains("COMMIT\u{0}") && counter.next() == 1 ? fate : .passes
            }
            let value = try await call()
            #expect(counter.count > 0)
            proxy.decide { _, _ in .passes }
            return value
        }
        var receipt = Self.receipt("a")
        #expect(try await losing { try await receipts.keep(Self.receipt("a")) } == receipt)
        receipt.stage = .confirmed
        let confirmed = receipt
        let isAdvanced = try await losing { try await receipts.advance(confirmed, from: [.requested]) }
        #expect(isAdvanced)
        let arrival = ChannelArrival(kind: "request", sender: "peer", name: "n")
        let isNew = try await losing { try await receipts.note(arrival) }
        #expect(isNew)
        for number in 1...2 {
            let state = SealedState(number: UInt64(number), sealed: [1])
            let isKept = try await losing { try await states.keep(["link": state], removing: ["old"]) }
            #expect(isKept)
        }
        #expect(try await states.state(named: "link")?.number == 2)
    }
}
