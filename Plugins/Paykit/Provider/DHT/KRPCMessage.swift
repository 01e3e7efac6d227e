/// A message between DHT nodes (BEP 5, 43 and 44): a question, its answer, or a refusal.
package struct KRPCMessage: Sendable, Hashable {
    /// The bytes that the asker chose to recognise the answer. Answers repeat them, whatever their length.
    package var transaction: [UInt8]
    /// The sender's program, if it names one.
    package var version: [UInt8]?
    /// True if the sender answers no questions, so that other nodes do not keep its address (BEP 43).
    package var isReadOnly: Bool
    /// The asker's address as the answerer sees it (BEP 42).
    package var seenAt: DatagramAddress?
    package var body: Body

    package enum Body: Sendable, Hashable {
        case query(KRPCQuery)
        case response(KRPCResponse)
        case error(KRPCError)
    }

    package init(
        transaction: [UInt8], version: [UInt8]? = nil, isReadOnly: Bool = false, seenAt: DatagramAddress? = nil,
        _ body: Body
    ) {
        self.transaction = transaction
        self.version = version
        self.isReadOnly = isReadOnly
        self.seenAt = seenAt
        self.body = body
    }

    /// The most bytes of a foreign transaction that are repeated.
    package static let transactionLimit = 32
    /// This package's version.
    package static let ownVersion = Array("PR".utf8) + [0, 1]

    /// Reads a message from the network; nil if the bytes are not a message. Questions that are understood only in part
    /// are ``KRPCQuery/invalid(_:_:)``, so that they can be refused.
    package init?(_ bytes: [UInt8]) {
        guard let value = try? Bencode(bytes), let transaction = value["t"]?.bytes,
            1...Self.transactionLimit ~= transaction.count
        else { return nil }
        switch value["y"]?.bytes {
        case Array("q".utf8):
            guard let name = value["q"]?.bytes, name.count <= 32 else { return nil }
            body = .query(KRPCQuery(String(decoding: name, as: UTF8.self), value["a"]))
        case Array("r".utf8):
            guard let response = value["r"].flatMap(KRPCResponse.init) else { return nil }
            body = .response(response)
        case Array("e".utf8):
            let list = value["e"]?.list
            guard let code = list?.first?.integer else { return nil }
            let text = list?.dropFirst().first?.bytes ?? []
            body = .error(KRPCError(code: code, text: KRPCError.plain(text)))
        default: return nil
        }
        self.transaction = transaction
        version = value["v"]?.bytes
        isReadOnly = value["ro"]?.integer == 1
        seenAt = value["ip"]?.bytes.flatMap { DatagramAddress(compact: $0) }
    }

    package var encoded: [UInt8] {
        let names: (kind: String, name: String, content: Bencode)
        switch body {
        case .query(let query): names = ("q", "a", query.arguments)
        case .response(let response): names = ("r", "r", response.fields)
        case .error(let error): names = ("e", "e", .list([.integer(error.code), .text(error.text)]))
        }
        var name: Bencode?
        if case .query(let query) = body { name = .text(query.name) }
        return Bencode.dictionary([
            names.name: names.content, "q": name, "t": .bytes(transaction), "y": .text(names.kind),
            "v": version.map(Bencode.bytes), "ip": seenAt.map { .bytes($0.compact) },
            "ro": .integer(isReadOnly ? 1 : 0),
        ]).encoded
    }
}

/// A node's refusal (BEP 5 and 44).
package struct KRPCError: Sendable, Hashable, Error {
    package var code: Int64
    /// The node's own text, for developers only.
    package var text: String

    package init(code: Int64, text: String) {
        self.code = code
        self.text = text
    }

    /// Returns a foreign text, shortened and without control characters.
    static func plain(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.prefix(200).map { 0x20...0x7E ~= $0 ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }

    /// The stored item has another number than the one to be replaced.
    package static let mismatch = KRPCError(code: 301, text: "CAS mismatch, re-read value and try again.")
    /// The stored item has a higher number.
    package static let sequenceTooLow = KRPCError(code: 302, text: "Sequence number less than current.")
}

package enum KRPCQuery: Sendable, Hashable {
    case ping(id: NodeID)
    /// Asks for the nodes known near `target`.
    case findNode(id: NodeID, target: NodeID)
    /// Asks for the item at `target`, if its number is above `newerThan`, and for the nodes known near it.
    case get(id: NodeID, target: NodeID, newerThan: Int64?)
    /// Asks to store an item.
    case put(KRPCPut)
    /// A question of another kind.
    case unknown(String)
    /// A question of a known kind that lacks a field; the second value describes it.
    case invalid(String, String)

    /// Reads the arguments of the question called `name`.
    init(_ name: String, _ arguments: Bencode?) {
        func id(_ field: String) -> NodeID? { arguments?[field]?.bytes.flatMap { NodeID($0) } }
        switch (name, id("id"), id("target")) {
        case ("ping", let sender?, _): self = .ping(id: sender)
        case ("put", let sender?, _):
            let put = arguments.flatMap { KRPCPut(id: sender, $0) }
            self = put.map(KRPCQuery.put) ?? .invalid(name, "k, seq, sig, token or v")
        case ("get", let sender?, let target?):
            self = .get(id: sender, target: target, newerThan: arguments?["seq"]?.integer)
        case ("find_node", let sender?, let target?): self = .findNode(id: sender, target: target)
        case ("get", let sender, _), ("find_node", let sender, _):
            self = .invalid(name, sender == nil ? "id" : "target")
        case ("ping", _, _), ("put", _, _): self = .invalid(name, "id")
        default: self = .unknown(name)
        }
    }

    var name: String {
        switch self {
        case .ping: "ping"
        case .findNode: "find_node"
        case .get: "get"
        case .put: "put"
        case .unknown(let name), .invalid(let name, _): name
        }
    }

    var arguments: Bencode {
        switch self {
        case .ping(let id): .dictionary(["id": .bytes(id.bytes)])
        case .findNode(let id, let target): .dictionary(["id": .bytes(id.bytes), "target": .bytes(target.bytes)])
        case .get(let id, let target, let number):
            .dictionary(["id": .bytes(id.bytes), "target": .bytes(target.bytes), "seq": number.map(Bencode.integer)])
        case .put(let put): put.arguments
        case .unknown, .invalid: .dictionary([:])
        }
    }

    package var id: NodeID? {
        switch self {
        case .ping(let id), .findNode(let id, _), .get(let id, _, _): id
        case .put(let put): put.id
        case .unknown, .invalid: nil
        }
    }
}

/// The content of a question to store an item. Nothing of it is checked yet.
package struct KRPCPut: Sendable, Hashable {
    package var id: NodeID
    /// The token that the node issued before; it shows that the asker owns its address.
    package var token: [UInt8]
    /// The owner, the number, the value and the signature.
    package var item: KRPCItem
    /// The number that the stored item must have.
    package var replacing: Int64?
    /// The bytes that distinguish several values of one key.
    package var salt: [UInt8] = []
}

extension KRPCPut {
    init?(id: NodeID, _ arguments: Bencode) {
        guard let token = arguments["token"]?.bytes, let item = KRPCItem(arguments) else { return nil }
        self.init(
            id: id, token: token, item: item, replacing: arguments["cas"]?.integer,
            salt: arguments["salt"]?.bytes ?? [])
    }

    var arguments: Bencode {
        .dictionary([
            "id": .bytes(id.bytes), "token": .bytes(token), "k": .bytes(item.key), "v": .bytes(item.value),
            "seq": .integer(item.sequence), "sig": .bytes(item.signature), "cas": replacing.map(Bencode.integer),
            "salt": salt.isEmpty ? nil : .bytes(salt),
            "target": .bytes(MutableItem.target(key: item.key, salt: salt).bytes),
        ])
    }
}

/// The parts of an item as received, or to be sent: nothing of it is checked.
package struct KRPCItem: Sendable, Hashable {
    package var key: [UInt8]
    package var sequence: Int64
    package var value: [UInt8]
    package var signature: [UInt8]
}

extension KRPCItem {
    package init(_ item: MutableItem) {
        self.init(key: item.key, sequence: item.sequence, value: item.value, signature: item.signature)
    }

    init?(_ fields: Bencode) {
        guard let key = fields["k"]?.bytes, let sequence = fields["seq"]?.integer, let value = fields["v"]?.bytes,
            let signature = fields["sig"]?.bytes
        else { return nil }
        self.init(key: key, sequence: sequence, value: value, signature: signature)
    }

    package var verified: MutableItem? {
        try? MutableItem(key: key, sequence: sequence, value: value, signature: signature)
    }
}

/// A node's answer. Its parts follow from the question.
package struct KRPCResponse: Sendable, Hashable {
    package var id: NodeID
    /// The nodes that it knows near the target.
    package var nodes: [NodeContact]?
    /// The token that permits the asker to store there.
    package var token: [UInt8]?
    package var item: KRPCItem? {
        didSet { sequence = item?.sequence ?? sequence }
    }
    /// The number of the item that it stores, also if the item itself is left out.
    package var sequence: Int64?
    /// True if it sent something other than an item in an item's place.
    package private(set) var hasForeignValue = false

    package init(
        id: NodeID, nodes: [NodeContact]? = nil, token: [UInt8]? = nil, item: KRPCItem? = nil, sequence: Int64? = nil
    ) {
        self.id = id
        self.nodes = nodes
        self.token = token
        self.item = item
        self.sequence = sequence ?? item?.sequence
    }

    init?(_ fields: Bencode) {
        guard let id = fields["id"]?.bytes.flatMap({ NodeID($0) }) else { return nil }
        self.init(
            id: id, nodes: fields["nodes"]?.bytes.flatMap(NodeContact.list), token: fields["token"]?.bytes,
            item: KRPCItem(fields), sequence: fields["seq"]?.integer)
        hasForeignValue = item == nil && fields["v"] != nil
    }

    var fields: Bencode {
        .dictionary([
            "id": .bytes(id.bytes), "nodes": nodes.map { .bytes($0.flatMap(\.compact)) },
            "token": token.map(Bencode.bytes), "k": item.map { .bytes($0.key) }, "v": item.map { .bytes($0.value) },
            "sig": item.map { .bytes($0.signature) }, "seq": sequence.map(Bencode.integer),
        ])
    }
}
