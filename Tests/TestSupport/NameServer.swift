package import PaymentCore
import Synchronization

/// A DNS resolver over HTTPS that has the records of finished proofs (RFC 9102). It shares no code with the reader of
/// messages, and compresses names.
package final class NameServer: HTTPTransport {
    /// A record. Names are texts in lower case that end with a dot.
    package struct Record: Sendable, Hashable {
        package var owner: String
        package var type: Int
        package var ttl: Int
        package var data: [UInt8]

        package init(owner: String, type: Int, ttl: Int, data: [UInt8]) {
            (self.owner, self.type, self.ttl, self.data) = (owner, type, ttl, data)
        }

        /// The type that a signature is for.
        package var covered: Int? { type == 46 ? Int(data[0]) << 8 | Int(data[1]) : nil }
    }

    /// An answer before it is written.
    package struct Answer: Sendable {
        package var name: String
        package var type: Int
        package var id = 0
        /// An answer to a question with recursion, without the code.
        package var flags = 0x8180
        package var code = 0
        package var answers: [Record] = []
        package var authorities: [Record] = []
        package var status = 200
        package var mediaType: String? = "application/dns-message"
        /// The body in place of the message.
        package var body: [UInt8]?
    }

    private let records: [Record]
    private let followsAliases: Bool
    private let change: @Sendable (inout Answer) -> Void
    private let sent = Mutex<[HTTPRequest]>([])

    /// - Parameters:
    ///   - proofs: The proofs, each with its name.
    ///   - followsAliases: False for a resolver that answers with one alias at a time.
    ///   - change: Changes each answer.
    package init(
        _ proofs: [[UInt8]], followsAliases: Bool = true, change: @escaping @Sendable (inout Answer) -> Void = { _ in }
    ) {
        var seen: Set<Record> = []
        records = proofs.flatMap { Self.records(of: $0) }.filter { seen.insert($0).inserted }
        (self.followsAliases, self.change) = (followsAliases, change)
    }

    /// Every request so far, in order.
    package var requests: [HTTPRequest] { sent.withLock { $0 } }

    package func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        sent.withLock { $0.append(request) }
        var answer = answer(to: request.body)
        change(&answer)
        let body = answer.body ?? Message(answer).bytes
        guard body.count <= request.responseLimit else {
            throw TransportError(
                .maybeSent, .responseTooLarge(limit: request.responseLimit), origin: request.url.origin)
        }
        var response = HTTPResponse(status: answer.status, body: body)
        response.headers["Content-Type"] = answer.mediaType
        return response
    }

    // MARK: What it knows

    private func answer(to question: [UInt8]) -> Answer {
        var place = 12
        let name = Self.name(question, &place)
        let type = Int(question[place]) << 8 | Int(question[place + 1])
        var answer = Answer(name: name, type: type)
        var owner = name
        for _ in 0..<10 {
            let found = set(owner, type)
            let aliases = set(owner, 5)
            answer.answers += found.isEmpty ? aliases : found
            if !found.isEmpty { break }
            if let alias = aliases.first {
                var start = 0
                owner = Self.name(alias.data, &start)
            } else if let alias = records.first(where: { $0.type == 39 && owner.hasSuffix("." + $0.owner) }) {
                var start = 0
                let target = owner.dropLast(alias.owner.count) + Self.name(alias.data, &start)
                answer.answers += set(alias.owner, 39)
                // Made from the DNAME, and not signed.
                answer.answers.append(Record(owner: owner, type: 5, ttl: 0, data: Self.wire(String(target))))
                owner = String(target)
            } else {
                break
            }
            if !followsAliases { break }
        }
        if type == 16 { answer.authorities = records.filter { [47, 50].contains($0.covered ?? $0.type) } }
        answer.code = answer.answers.isEmpty ? 3 : 0
        return answer
    }

    /// The records of a name and type, and their signatures.
    private func set(_ owner: String, _ type: Int) -> [Record] {
        let found = records.filter { $0.owner == owner && $0.type == type }
        return found.isEmpty ? [] : found + records.filter { $0.owner == owner && $0.covered == type }
    }

    /// The records of a proof.
    package static func records(of proof: [UInt8]) -> [Record] {
        var place = 1 + Int(proof[0])
        var records: [Record] = []
        while place < proof.count {
            let owner = name(proof, &place)
            func number(_ offset: Int, _ count: Int) -> Int {
                proof[(place + offset)..<(place + offset + count)].reduce(0) { $0 << 8 | Int($1) }
            }
            let (type, ttl, length) = (number(0, 2), number(4, 4), number(8, 2))
            place += 10
            records.append(Record(owner: owner, type: type, ttl: ttl, data: Array(proof[place..<place + length])))
            place += length
        }
        return records
    }

    private static func name(_ bytes: [UInt8], _ place: inout Int) -> String {
        var text = ""
        while bytes[place] != 0 {
            let end = place + 1 + Int(bytes[place])
            text += String(decoding: bytes[place + 1..<end], as: UTF8.self).lowercased() + "."
            place = end
        }
        place += 1
        return text.isEmpty ? "." : text
    }

    /// The wire form of a name, not compressed.
    package static func wire(_ name: String) -> [UInt8] {
        name.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
    }

    /// Writes a message, with each name as short as it can be.
    private struct Message {
        private(set) var bytes: [UInt8] = []
        private var places: [String: Int] = [:]
        /// The place of the first byte in the whole message.
        private let base: Int

        init(_ answer: Answer) {
            base = 0
            add(answer.id)
            add(answer.flags | answer.code & 0xF)
            for count in [1, answer.answers.count, answer.authorities.count, 1] { add(count) }
            add(answer.name)
            add(answer.type)
            add(1)
            for record in answer.answers + answer.authorities {
                add(record.owner)
                add(record.type)
                add(1)
                add(record.ttl >> 16)
                add(record.ttl & 0xFFFF)
                var start = 0
                var data = Message(at: bytes.count + 2, places)
                data.bytes = record.data
                if record.type == 5 {
                    data.bytes = []
                    data.add(NameServer.name(record.data, &start))
                }
                add(data.bytes.count)
                bytes += data.bytes
            }
            // OPT: the upper bits of the code, version 0, DO.
            bytes += [0, 0, 41, 0x10, 0, UInt8(answer.code >> 4), 0, 0x80, 0, 0, 0]
        }

        private init(at base: Int, _ places: [String: Int]) { (self.base, self.places) = (base, places) }

        private mutating func add(_ number: Int) { bytes += [UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)] }

        private mutating func add(_ name: String) {
            var rest = Substring(name == "." ? "" : name)
            while !rest.isEmpty {
                if let place = places[String(rest)] {
                    add(0xC000 | place)
                    return
                }
                if base + bytes.count < 0x4000 { places[String(rest)] = base + bytes.count }
                let label = rest.prefix { $0 != "." }
                bytes += [UInt8(label.utf8.count)] + Array(label.utf8)
                rest = rest.dropFirst(label.count + 1)
            }
            bytes.append(0)
        }
    }
}
