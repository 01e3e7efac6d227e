import PaymentCore
import PaymentTesting
import Testing

@testable import PaykitProvider
@testable import PaykitSandbox

/// The answers of the sandbox's honest node, by BEP 44 and Pubky's implementation.
@Suite("A node of the sandbox")
struct NodeTests {
    private let asker = DatagramAddress(198, 51, 100, 3, port: 4000)
    private let owner = Owner(5)
    private let ownID = NodeID(hashing: [1])
    private let node: DHTNode

    init() {
        node = DHTNode(
            id: NodeID(hashing: [2]), address: .loopback(port: 9), random: SeededRandomSource(seed: 1), now: .zero)
    }

    private func ask(
        _ query: KRPCQuery, from sender: DatagramAddress? = nil, at time: Duration = .zero,
        transaction: [UInt8] = [1, 2]
    ) throws -> KRPCMessage {
        let message = KRPCMessage(transaction: transaction, isReadOnly: true, .query(query))
        let answers = node.answers(to: Datagram(bytes: message.encoded, sender: sender ?? asker), now: time)
        #expect(answers.count == 1)
        return try #require(answers.first.flatMap { KRPCMessage($0) })
    }

    private func get(_ newerThan: Int64? = nil, from sender: DatagramAddress? = nil, at time: Duration = .zero) throws
        -> KRPCResponse
    {
        let target = MutableItem.target(key: owner.key)
        let answer = try ask(.get(id: ownID, target: target, newerThan: newerThan), from: sender, at: time)
        guard case .response(let response) = answer.body else {
            Issue.record("refused")
            return KRPCResponse(id: ownID)
        }
        return response
    }

    private func put(
        _ item: KRPCItem, replacing: Int64? = nil, token: [UInt8]? = nil, salt: [UInt8] = [],
        from sender: DatagramAddress? = nil, at time: Duration = .zero
    ) throws -> Int64? {
        let token = try token ?? (try get(from: sender, at: time).token ?? [])
        let answer = try ask(
            .put(KRPCPut(id: ownID, token: token, item: item, replacing: replacing, salt: salt)), from: sender, at: time
        )
        guard case .error(let error) = answer.body else { return nil }
        return error.code
    }

    private func item(_ sequence: Int64, _ text: String = "v") throws -> KRPCItem {
        KRPCItem(try owner.item(sequence, text))
    }

    @Test("Repeats a transaction of any length and says where it sees the asker")
    func echo() throws {
        for length in [1, 2, 4, 9, 32] {
            let answer = try ask(.ping(id: ownID), transaction: Array(repeating: 7, count: length))
            #expect(answer.transaction.count == length && answer.seenAt == asker)
        }
    }

    @Test("Answers no answers, no errors and no noise, so that nodes cannot be set on each other")
    func quiet() {
        let response = KRPCMessage(transaction: [1], .response(KRPCResponse(id: ownID)))
        let error = KRPCMessage(transaction: [1], .error(.protocolError))
        for bytes in [response.encoded, error.encoded, [], Array("de".utf8), Array(repeating: 0x6C, count: 4000)] {
            #expect(node.answers(to: Datagram(bytes: bytes, sender: asker), now: .zero).isEmpty)
        }
    }

    @Test("Refuses what it does not know and what lacks something")
    func refusals() throws {
        #expect(try ask(.unknown("vote")).body == .error(.unknownMethod))
        guard case .error(let error) = try ask(.invalid("get", "target")).body else {
            Issue.record("answered")
            return
        }
        #expect(error.code == 203)
    }

    @Test("Stores what is put with its token, and gives it with its number")
    func stores() throws {
        #expect(try get().item == nil && get().sequence == nil)
        #expect(try put(item(3)) == nil)
        #expect(try get().item == item(3))
        #expect(try get(2).item == item(3))
        let omitted = try get(3)
        #expect(omitted.item == nil && omitted.sequence == 3)
    }

    @Test("Refuses with the codes of BEP 44")
    func codes() throws {
        #expect(try put(item(3), token: [1, 2, 3, 4]) == 203)
        #expect(try put(item(3), token: []) == 203)
        var long = try item(3)
        long.value = Array(repeating: 1, count: 1001)
        #expect(try put(long) == 205)
        var forged = try item(3)
        forged.sequence = 4
        #expect(try put(forged) == 206)
        #expect(try put(item(3), salt: Array(repeating: 1, count: 65)) == 207)
        #expect(try put(item(3)) == nil)
        #expect(try put(item(4), replacing: 2) == 301)
        #expect(try put(item(2)) == 302)
        #expect(try put(item(3, "another")) == nil, "an equal number is taken")
        #expect(try put(item(4), replacing: 3) == nil)
    }

    @Test("A token is good for its address only, for five minutes to ten")
    func tokens() throws {
        let token = try #require(try get().token)
        #expect(token.count == 4)
        let other = DatagramAddress(198, 51, 100, 4, port: 4000)
        #expect(try put(item(1), token: token, from: other) == 203)
        #expect(try put(item(1), token: token, from: DatagramAddress(198, 51, 100, 3, port: 5)) == nil)
        #expect(try put(item(1), token: token, at: .seconds(301)) == nil)
        #expect(try put(item(1), token: token, at: .seconds(601)) == 203)
        // No question for a long time: both secrets are old.
        let late = try #require(try get(at: .seconds(1000)).token)
        #expect(try put(item(1), token: late, at: .seconds(5000)) == 203)
    }

    @Test("Forgets an item two hours after it was last put")
    func expiry() throws {
        #expect(try put(item(1)) == nil)
        #expect(try get(at: .seconds(7199)).item != nil)
        #expect(try put(item(1), at: .seconds(7000)) == nil)
        #expect(try get(at: .seconds(14_199)).item != nil)
        #expect(try get(at: .seconds(14_200)).item == nil)
    }

    @Test("Keeps a bounded number of items, the latest ones")
    func bounded() throws {
        var store = DHTItemStore()
        for number in 0..<DHTItemStore.limit + 5 {
            var put = KRPCPut(id: ownID, token: [], item: try item(1))
            // The same item under many salts is as many items; each is signed.
            put.salt = Array("\(number)".utf8)
            let message = MutableItem.signable(sequence: 1, value: put.item.value, salt: put.salt)
            put.item.signature = try owner.sign(message)
            #expect(store.put(put, now: .seconds(number)) == nil)
        }
        #expect(store.count == DHTItemStore.limit)
        #expect(store.item(at: MutableItem.target(key: owner.key, salt: Array("4".utf8)), now: .seconds(1100)) == nil)
        #expect(store.item(at: MutableItem.target(key: owner.key, salt: Array("5".utf8)), now: .seconds(1100)) != nil)
    }

    @Test("Names the nearest it knows, twenty at most, and learns of nodes that ask and answer")
    func names() throws {
        let others = (1...200).map { number in
            NodeContact(
                id: NodeID(hashing: [UInt8(number)] + [9]),
                address: DatagramAddress(10, 0, 0, UInt8(number), port: 6881))
        }
        node.learn(others)
        let target = NodeID(hashing: [77])
        guard case .response(let response) = try ask(.findNode(id: ownID, target: target)).body else { return }
        let nodes = try #require(response.nodes)
        #expect(nodes.count == 20)
        #expect(nodes == nodes.sorted { $0.id.distance(to: target) < $1.id.distance(to: target) })
        #expect(!nodes.contains { $0.id == ownID })

        let ping = KRPCMessage(transaction: [1], .query(.ping(id: target)))
        _ = node.answers(to: Datagram(bytes: ping.encoded, sender: asker), now: .zero)
        guard case .response(let again) = try ask(.findNode(id: ownID, target: target)).body else { return }
        #expect(again.nodes?.first == NodeContact(id: target, address: asker))
    }

    @Test("Liars lie as they are said to: what they send is read, and is not what is stored")
    func liars() throws {
        let (old, new) = (try item(1, "old"), try item(2, "new"))
        let foreign = try Owner(6).item(9, "another's")
        func answer(of behaviour: DHTNodeBehaviour) throws -> KRPCResponse {
            let node = DHTNode(
                id: NodeID(hashing: [3]), address: .loopback(port: 9), behaviour: behaviour, foreign: foreign,
                random: SeededRandomSource(seed: 1), now: .zero)
            func ask(_ query: KRPCQuery) -> KRPCMessage.Body? {
                let message = KRPCMessage(transaction: [1, 2], .query(query))
                let answers = node.answers(to: Datagram(bytes: message.encoded, sender: asker), now: .zero)
                return answers.compactMap { KRPCMessage($0) }.last { $0.transaction == [1, 2] }?.body
            }
            let get = KRPCQuery.get(id: ownID, target: MutableItem.target(key: owner.key), newerThan: nil)
            for item in [old, new] {
                guard case .response(let response)? = ask(get) else { continue }
                _ = ask(.put(KRPCPut(id: ownID, token: response.token ?? [], item: item)))
            }
            guard case .response(let response)? = ask(get) else { throw Missing() }
            return response
        }
        let forged = try #require(try answer(of: .forging).item)
        #expect(forged.key == owner.key && forged.sequence > 2 && forged.verified == nil)
        #expect(try answer(of: .substituting).item == KRPCItem(foreign))
        #expect(try answer(of: .replaying).item == old)
        #expect(try answer(of: .denying).item == nil && answer(of: .denying).sequence == nil)
        #expect(try answer(of: .babbling).item == new)
        #expect(try answer(of: .flooding).nodes?.count == 60)
        let target = MutableItem.target(key: owner.key)
        let chameleon = try answer(of: .chameleon)
        #expect(chameleon.id.distance(to: target).leadingZeroBits >= 50)
        #expect(Set(chameleon.nodes?.map(\.address) ?? []) == [.loopback(port: 9)])
    }

    private struct Missing: Error {}
}
