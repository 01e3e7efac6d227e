/// A question to a node.
package enum KRPCQuery: Sendable, Hashable {
    /// Are you there?
    case ping(id: NodeID)
    /// Whom do you know near `target`?
    case findNode(id: NodeID, target: NodeID)
    /// What do you store at `target`, if its number is above `newerThan`, and whom do you know near it?
    case get(id: NodeID, target: NodeID, newerThan: Int64?)
    /// Store this.
    case put(KRPCPut)
    /// A question of another kind.
    case unknown(String)
    /// A question of a known kind that lacks something; the second is what.
    case invalid(String, String)

    /// Reads the arguments of the question called `name`.
    init(_ name: String, _ arguments: Bencode?) {
        func id(_ field: String) -> NodeID? { arguments?[field]?.bytes.flatMap { NodeID($0) } }
        guard ["ping", "find_node", "get", "put"].contains(name) else {
            self = .unknown(name)
            return
        }
        guard let sender = id("id") else {
            self = .invalid(name, "id")
            return
        }
        switch name {
        case "ping": self = .ping(id: sender)
        case "put":
            self =
                arguments.flatMap { KRPCPut(id: sender, $0) }.map(KRPCQuery.put)
                ?? .invalid(name, "k, seq, sig, token or v")
        default:
            guard let target = id("target") else {
                self = .invalid(name, "target")
                return
            }
            self =
                name == "get"
                ? .get(id: sender, target: target, newerThan: arguments?["seq"]?.integer)
                : .findNode(id: sender, target: target)
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
            .dictionary([
                "id": .bytes(id.bytes), "target": .bytes(target.bytes), "seq": number.map(Bencode.integer),
            ])
        case .put(let put): put.arguments
        case .unknown, .invalid: .dictionary([:])
        }
    }

    /// Who asks, where that is known.
    package var id: NodeID? {
        switch self {
        case .ping(let id), .findNode(let id, _), .get(let id, _, _): id
        case .put(let put): put.id
        case .unknown, .invalid: nil
        }
    }
}

/// What is to be stored. Nothing of it is checked yet.
package struct KRPCPut: Sendable, Hashable {
    /// Who asks.
    package var id: NodeID
    /// What the node gave out before, to see that the asker's address is its own.
    package var token: [UInt8]
    /// The owner, the number, the value and the signature.
    package var item: KRPCItem
    /// The number that what is stored must have.
    package var replacing: Int64?
    /// What tells several values of one key apart.
    package var salt: [UInt8]

    package init(id: NodeID, token: [UInt8], item: KRPCItem, replacing: Int64? = nil, salt: [UInt8] = []) {
        self.id = id
        self.token = token
        self.item = item
        self.replacing = replacing
        self.salt = salt
    }

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

/// The parts of an item as they came, or are to be sent: nothing of it is checked.
package struct KRPCItem: Sendable, Hashable {
    package var key: [UInt8]
    package var sequence: Int64
    package var value: [UInt8]
    package var signature: [UInt8]

    package init(key: [UInt8], sequence: Int64, value: [UInt8], signature: [UInt8]) {
        self.key = key
        self.sequence = sequence
        self.value = value
        self.signature = signature
    }

    package init(_ item: MutableItem) {
        self.init(key: item.key, sequence: item.sequence, value: item.value, signature: item.signature)
    }

    init?(_ fields: Bencode) {
        guard let key = fields["k"]?.bytes, let sequence = fields["seq"]?.integer, let value = fields["v"]?.bytes,
            let signature = fields["sig"]?.bytes
        else { return nil }
        self.init(key: key, sequence: sequence, value: value, signature: signature)
    }

    /// The item, where the signature is right.
    package var verified: MutableItem? {
        try? MutableItem(key: key, sequence: sequence, value: value, signature: signature)
    }
}

/// A node's answer. Which parts it has follows from the question.
package struct KRPCResponse: Sendable, Hashable {
    /// The node.
    package var id: NodeID
    /// Whom it knows near the target.
    package var nodes: [NodeContact]?
    /// What lets the asker store there.
    package var token: [UInt8]?
    /// What it stores.
    package var item: KRPCItem? {
        didSet { sequence = item?.sequence ?? sequence }
    }
    /// The number of what it stores, also where the item itself is left out.
    package var sequence: Int64?
    /// Whether it sent something in an item's place that is none.
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
            "token": token.map(Bencode.bytes),
            "k": item.map { .bytes($0.key) }, "v": item.map { .bytes($0.value) },
            "sig": item.map { .bytes($0.signature) },
            "seq": sequence.map(Bencode.integer),
        ])
    }
}
