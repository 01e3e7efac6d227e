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
    /// The version by which this package identifies itself.
    package static let ownVersion = Array("PR".utf8) + [0, 1]

    /// Reads a message from the network; nil when it is none. Questions that are understood only in part are
    /// ``KRPCQuery/invalid(_:_:)``, so that they can be refused.
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
