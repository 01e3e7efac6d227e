import Foundation
import PaymentCore
import TestSupport
import Testing

@testable import PaymentStandards

/// Resolvers that lie, fail, or never come to an end: none leads to a link, and each has its error.
@Suite("Dishonest resolvers")
struct DishonestResolverTests {
    typealias Answer = NameServer.Answer

    /// A resolver's misdeed and the error that it leads to.
    struct Misdeed: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: PaymentError.Code
        let change: @Sendable (inout Answer) -> Void

        init(_ words: String, _ code: PaymentError.Code, _ change: @escaping @Sendable (inout Answer) -> Void) {
            (testDescription, self.code, self.change) = (words, code, change)
        }
    }

    private static let (txt, rrsig, dnskey, ds) = (16, 46, 48, 43)

    static let misdeeds: [Misdeed] = [
        .init("a text of its choice", .integrity) { answer in
            for index in answer.answers.indices where answer.answers[index].type == txt {
                answer.answers[index].data = [12] + Array("bitcoin:bc1q".utf8)
            }
        },
        .init("a second link beside the true one", .integrity) { answer in
            guard let first = answer.answers.first(where: { $0.type == txt }) else { return }
            var other = first
            other.data = [12] + Array("bitcoin:bc1q".utf8)
            answer.answers.insert(other, at: 0)
        },
        .init("no signatures", .integrity) { $0.answers.removeAll { $0.type == rrsig } },
        .init("no signature of the text", .integrity) { answer in
            if answer.type == txt { answer.answers.removeAll { $0.type == rrsig } }
            answer.authorities = []
        },
        .init("no signature of a zone's keys", .integrity) { answer in
            if answer.type == dnskey { answer.answers.removeAll { $0.type == rrsig } }
        },
        .init("no delegations", .integrity) { if $0.type == ds { $0.answers = [] } },
        .init("the keys of a zone, each with a changed byte", .integrity) { answer in
            for index in answer.answers.indices where answer.answers[index].type == dnskey {
                answer.answers[index].data[20] ^= 1
            }
        },
        .init("the denial that there is such a name", .notFound) { answer in
            (answer.code, answer.answers) = (3, [])
        },
        .init("no records", .notFound) { ($0.answers, $0.authorities) = ([], []) },
        .init("a record of another name", .notFound) { answer in
            for index in answer.answers.indices { answer.answers[index].owner = "eve." + answer.answers[index].owner }
        },
        .init("a failure", .serviceFailure) { ($0.code, $0.answers) = (2, []) },
        .init("a refusal", .requestRefused) { $0.code = 5 },
        .init("a refusal whose bits are in the OPT record", .requestRefused) { $0.code = 16 },
        .init("an answer that is cut off", .invalidResponse) { $0.flags |= 0x200 },
        .init("an answer with another number", .invalidResponse) { $0.id = 1 },
        .init("the question itself", .invalidResponse) { $0.flags = 0x100 },
        .init("another operation", .invalidResponse) { $0.flags |= 0x800 },
        .init("the answer to another name", .invalidResponse) { $0.name = "eve." + $0.name },
        .init("the answer to another type", .invalidResponse) { $0.type = 1 },
        .init("a page", .invalidResponse) { ($0.mediaType, $0.body) = ("text/html", Array("<html>".utf8)) },
        .init("a message that is called a page", .invalidResponse) { $0.mediaType = "text/html" },
        .init("a message without its kind", .invalidResponse) { $0.mediaType = nil },
        .init("nothing", .invalidResponse) { $0.body = [] },
        .init("a name that leads into itself", .invalidResponse) { answer in
            answer.body = [0, 0, 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0, 1, 97, 0xC0, 12, 0, 16, 0, 1]
        },
        .init("a redirect", .serviceFailure) { $0.status = 302 },
        .init("an error of HTTP with a true message", .serviceFailure) { $0.status = 500 },
        .init("more than a message can hold", .network) { $0.body = [UInt8](repeating: 0, count: 65_536) },
        .init("more records than a proof can hold", .invalidResponse) { answer in
            guard answer.type == txt else { return }
            for number in 0..<230 {
                let text: [UInt8] = [UInt8(number)] + [UInt8](repeating: 65, count: 253)
                answer.answers.append(.init(owner: answer.name, type: txt, ttl: 30, data: [254] + text))
            }
        },
        .init("an alias that never ends", .invalidResponse) { answer in
            guard answer.type == txt else { return }
            let target = NameServer.wire("x" + answer.name)
            answer.answers = [.init(owner: answer.name, type: 5, ttl: 30, data: target)]
        },
        .init("an alias to itself", .invalidResponse) { answer in
            guard answer.type == txt else { return }
            answer.answers = [.init(owner: answer.name, type: 5, ttl: 30, data: NameServer.wire(answer.name))]
        },
        .init("signatures of one zone after the other", .invalidResponse) { answer in
            guard answer.type == txt else { return }
            let deep = (0..<60).map { "z\($0)." }.joined()
            for count in 0..<60 {
                // A signature of a text by the zone that is `count` labels above.
                let zone = deep.split(separator: ".").dropFirst(count).joined(separator: ".") + "."
                let head: [UInt8] = [0, 16, 13, 60] + [UInt8](repeating: 0, count: 12) + [0, 1]
                answer.answers.append(
                    .init(owner: deep, type: rrsig, ttl: 30, data: head + NameServer.wire(zone) + [1]))
            }
        },
    ]

    @Test("Nothing but what is signed leads to a link", arguments: misdeeds)
    func refused(misdeed: Misdeed) async throws {
        let world = try NameWorld.real()
        for (bytes, _) in world.rows {
            let server = NameServer([bytes], change: misdeed.change)
            let name = try NameWorld.name(of: bytes)
            let error = await #expect(throws: PaymentError.self) { try await world.proof(of: name, at: server) }
            #expect(error?.code == misdeed.code, "\(error?.message ?? "")")
            #expect(server.requests.count <= 40)
        }
    }

    @Test("The signed records of another name do not lead to this one's link")
    func swapped() async throws {
        let world = try NameWorld.real()
        let (mine, other) = (world.rows[0].proof, world.rows[1].proof)
        let name = try NameWorld.name(of: mine)
        let stolen = NameServer([other])
        let error = await #expect(throws: PaymentError.self) { try await world.proof(of: name, at: stolen) }
        #expect(error?.code == .notFound)
        // The other name's text and signature, said to be of this name.
        let records = NameServer.records(of: other)
        let server = NameServer(
            [mine, other],
            change: { answer in
                guard answer.type == 16 else { return }
                answer.answers = records.filter { $0.type == 16 || $0.covered == 16 }
                for index in answer.answers.indices { answer.answers[index].owner = answer.name }
            })
        let refusal = await #expect(throws: PaymentError.self) { try await world.proof(of: name, at: server) }
        #expect(refusal?.code == .integrity)
    }

    @Test("The keys of one zone prove nothing in another")
    func keys() async throws {
        let world = try NameWorld.real()
        let bytes = world.rows[1].proof
        let records = NameServer.records(of: bytes)
        let server = NameServer(
            [bytes],
            change: { answer in
                guard answer.type == 48, answer.name == "bitcoin.ninja." else { return }
                answer.answers = records.filter { $0.owner == "mattcorallo.com." && ($0.covered ?? $0.type) == 48 }
                for index in answer.answers.indices { answer.answers[index].owner = answer.name }
            })
        let name = try NameWorld.name(of: bytes)
        let error = await #expect(throws: PaymentError.self) { try await world.proof(of: name, at: server) }
        #expect(error?.code == .integrity)
    }

    @Test("A slow resolver is left after half a minute")
    func slow() async throws {
        let world = try NameWorld.real()
        let clock = VirtualClock(world.time)
        let server = NameServer([world.rows[1].proof], change: { _ in clock.advance(by: .seconds(9)) })
        let name = try NameWorld.name(of: world.rows[1].proof)
        let error = await #expect(throws: PaymentError.self) {
            try await world.proof(of: name, at: server, clock: clock)
        }
        #expect(error?.code == .network)
        #expect(server.requests.map(\.timeout) == [10, 10, 10, 3].map { .seconds($0) })
    }

    @Test("A resolver that is not reached is an error of the network, and a cancelled task one that was cancelled")
    func unreachable() async throws {
        let world = try NameWorld.real()
        let name = try NameWorld.name(of: world.rows[0].proof)
        for (reason, code) in [
            (TransportError.Reason.hostNotFound, PaymentError.Code.network), (.timedOut, .network),
            (.cancelled, .cancelled),
        ] {
            let server = RecordingTransport(
                result: .failure(TransportError(.maybeSent, reason, origin: "https://dns.example")))
            let error = await #expect(throws: PaymentError.self) { try await world.proof(of: name, at: server) }
            #expect(error?.code == code && server.requests.count == 1)
        }
    }
}
