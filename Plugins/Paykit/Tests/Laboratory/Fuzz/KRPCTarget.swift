import FuzzModel
import PaykitProvider
import PaymentCore
import PaymentCrypto

/// Datagrams to a socket that searches the DHT: bencoding, and messages in it.
struct KRPCTarget: FuzzTarget {
    static let name = "messages of the DHT"
    static let share = 8

    let corpus: Corpus
    private(set) var counts: [String: Int] = [:]

    init() {
        let id = "20:abcdefghij0123456789"
        corpus = Corpus(
            [
                "d1:ad2:id\(id)e1:q4:ping1:t2:aa1:y1:qe",
                "d1:ad2:id\(id)6:target20:mnopqrstuvwxyz123456e1:q9:find_node2:roi1e1:t4:aaaa1:v4:PR001:y1:qe",
                "d1:ad2:id\(id)3:seqi5e6:target20:mnopqrstuvwxyz123456e1:q3:get1:t2:aa1:y1:qe",
                "d1:ad2:id\(id)1:k32:\(String(repeating: "k", count: 32))3:seqi5e3:sig64:\(String(repeating: "s", count: 64))"
                    + "5:token4:tttt1:v5:valuee1:q3:put1:t2:aa1:y1:qe",
                "d2:ip6:1234561:rd2:id\(id)5:nodes26:abcdefghij01234567891234565:token4:tttte1:t2:aa1:y1:re",
                "d1:rd2:id\(id)1:k32:\(String(repeating: "k", count: 32))3:seqi-9223372036854775808e3:sig64:"
                    + "\(String(repeating: "s", count: 64))5:token4:tttt1:v5:valuee1:t2:aa1:y1:re",
                "d1:eli302e33:Sequence number less than currente1:t2:aa1:y1:ee",
                "d1:ad1:bli1e2:abdeee1:t2:aae", "lllleeee", "i0e",
            ],
            pieces: [
                "d", "l", "i", "e", ":", "-", "0", "1:", "2:id", "20:", "26:", "32:", "64:", "1:t", "1:y1:r", "1:y1:q",
                "1:r",
                "1:a", "i-0e", "i9223372036854775807e", "99999999999999999999:", "i1e", "le", "de", "5:nodes", "1:v",
                "3:seq",
                "3:sig", "\u{0}", "é", String(repeating: "l", count: 40), String(repeating: "d1:a", count: 20),
            ])
    }

    mutating func violation(_ input: [UInt8]) -> String? {
        do {
            let value = try Bencode(input)
            let written = value.encoded
            guard (try? Bencode(written, atMost: 4096)) == value else {
                return "bencoding is written so that it reads otherwise"
            }
            guard written.count == input.count else { return "bencoding has another length than was read" }
        } catch {
            guard let place = error.position, (0...input.count).contains(place) else {
                return "a defect lies outside of the bytes"
            }
        }
        guard let message = KRPCMessage(input) else {
            counts["refused", default: 0] += 1
            return nil
        }
        counts["\(Self.kind(message))", default: 0] += 1
        guard 1...KRPCMessage.transactionLimit ~= message.transaction.count else {
            return "a transaction of another length"
        }
        if case .response(let response) = message.body, response.item?.verified != nil {
            return "an item that nobody signed"
        }
        if case .query(.invalid) = message.body { return nil }
        if case .query(.unknown) = message.body { return nil }
        if case .response(let response) = message.body, response.hasForeignValue { return nil }
        // A reading drops unknown parts, so writing drops them too: the second reading is equal.
        return KRPCMessage(message.encoded) == message ? nil : "a message is written so that it reads otherwise"
    }

    private static func kind(_ message: KRPCMessage) -> String {
        switch message.body {
        case .query(.unknown): "a question of another kind"
        case .query(.invalid): "an incomplete question"
        case .query: "a question"
        case .response(let response): response.item == nil ? "an answer" : "an answer with an item"
        case .error: "a refusal"
        @unknown default: "something else"
        }
    }
}
