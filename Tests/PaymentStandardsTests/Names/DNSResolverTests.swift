import Foundation
import PaymentCore
import PaymentSettlement
import PaymentTesting
import TestSupport
import Testing

@testable import PaymentStandards

/// Names that are looked up over HTTPS, with real records and signatures.
@Suite("Look-ups of names")
struct DNSResolverTests {
    @Test("Real names are looked up and proved, over RSA and P-256, an alias and a wildcard")
    func real() async throws {
        let world = try NameWorld.real()
        #expect(world.rows.count >= 2)
        for (bytes, _) in world.rows {
            let expected = try BIP353Proof(bytes, at: world.time)
            let server = NameServer([bytes])
            let proof = try await world.proof(of: expected.name, at: server)
            #expect(proof.link == expected.link && proof.name == expected.name)
            #expect(proof.validity == expected.validity && proof.timeToLive == expected.timeToLive)
            // The proof is complete: it is checked again without any network.
            #expect(try BIP353Proof(proof.bytes, at: world.time) == proof)
            #expect(server.requests.count <= 12)
        }
    }

    @Test("A resolver that has all names is asked for one at a time, and proves the right one")
    func several() async throws {
        let world = try NameWorld.real()
        let server = NameServer(world.rows.map(\.proof))
        for (bytes, _) in world.rows {
            let name = try NameWorld.name(of: bytes)
            #expect(try await world.proof(of: name, at: server).link == BIP353Proof(bytes, at: world.time).link)
        }
    }

    @Test("Aliases and wildcards are followed, by the resolver or by us", arguments: [true, false])
    func aliases(followsAliases: Bool) async throws {
        let world = try NameWorld.made()
        #expect(world.rows.count == 7)
        for (bytes, row) in world.rows {
            let server = NameServer([bytes], followsAliases: followsAliases)
            let proof = try await world.proof(of: try NameWorld.name(of: bytes), at: server)
            #expect(proof.link == row["expect"]?["uri"]?.string, "\(row["comment"]?.text ?? "")")
        }
        let real = try NameWorld.real()
        for (bytes, _) in real.rows {
            let server = NameServer([bytes], followsAliases: followsAliases)
            let proof = try await real.proof(of: try NameWorld.name(of: bytes), at: server)
            #expect(try proof.link == BIP353Proof(bytes, at: real.time).link)
        }
    }

    @Test("What proves no name is refused when it is looked up, too")
    func unproved() async throws {
        for world in [try NameWorld.made("invalid"), try NameWorld.real("invalid")] {
            #expect(world.rows.count >= 2)
            for (bytes, row) in world.rows {
                for followsAliases in [true, false] {
                    let server = NameServer([bytes], followsAliases: followsAliases)
                    await #expect(throws: PaymentError.self, "\(row["why"]?.text ?? "")") {
                        try await world.proof(of: try NameWorld.name(of: bytes), at: server)
                    }
                }
            }
        }
    }

    @Test("Before and after the signatures' time nothing is proved")
    func time() async throws {
        let world = try NameWorld.real()
        let bytes = world.rows[0].proof
        let name = try NameWorld.name(of: bytes)
        for days in [-400.0, 400] {
            let clock = VirtualClock(world.time + days * 86_400)
            await #expect(throws: PaymentError.self) {
                try await world.proof(of: name, at: NameServer([bytes]), clock: clock)
            }
        }
    }

    @Test("Questions go to the one resolver, may be repeated, and are bounded in time and bytes")
    func requests() async throws {
        let world = try NameWorld.real()
        let server = NameServer([world.rows[0].proof])
        _ = try await world.proof(of: try NameWorld.name(of: world.rows[0].proof), at: server)
        #expect(!server.requests.isEmpty)
        for request in server.requests {
            #expect(request.url.text == NameWorld.url && request.method == .post && request.replay == .safe)
            #expect(request.headers["Content-Type"] == "application/dns-message")
            #expect(request.headers["Accept"] == "application/dns-message")
            #expect(request.timeout <= .seconds(10) && request.responseLimit == 65_535)
        }
        // Each question is asked once.
        #expect(Set(server.requests.map(\.body)).count == server.requests.count)
    }

    @Test("A link is offered while its record lives, for ten minutes at least, and never beyond its signatures")
    func offer() async throws {
        let world = try NameWorld.real()
        let bytes = world.rows[0].proof
        let proof = try BIP353Proof(bytes, at: world.time)
        #expect(proof.timeToLive < 600)
        let resolver = DNSResolver(try HTTPURL(service: NameWorld.url))
        let link = try PaymentLink(proof.name.display)
        for (time, end) in [
            (world.time, world.time + 600), (proof.validity.upperBound - 60, proof.validity.upperBound),
        ] {
            let found = try await resolver.link(of: link, over: NameServer([bytes]), clock: VirtualClock(time))
            #expect(found == ProvedLink(text: proof.link, expiresAt: end))
        }
        await #expect(throws: PaymentError.self, "an invoice is no name") {
            let invoice = try PaymentLink("lnbc1")
            return try await resolver.link(of: invoice, over: NameServer([bytes]), clock: VirtualClock(world.time))
        }
    }

    @Test("A resolver is checked by the root's keys")
    func check() async throws {
        let (real, made) = (try NameWorld.real(), try NameWorld.made())
        let resolver = DNSResolver(try HTTPURL(service: NameWorld.url))
        let clock = VirtualClock(real.time)
        try await resolver.check(over: NameServer([real.rows[0].proof]), clock: clock)
        for server in [NameServer([made.rows[0].proof]), NameServer([])] {
            await #expect(throws: PaymentError.self) { try await resolver.check(over: server, clock: clock) }
        }
    }
}
