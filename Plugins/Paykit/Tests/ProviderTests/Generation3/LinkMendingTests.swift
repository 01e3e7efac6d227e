import PaykitSandbox
import PaymentCore
import Testing

@testable import PaykitLaboratory
@testable import PaykitProvider

/// Late requests that replace a later file by an older one or delete it (Protocol 12.8).
@Suite("Private links that something late has hurt")
struct LinkMendingTests {
    /// A story of a link: it is established, a payment is requested, the payer loses everything, and both begin anew.
    private struct Story {
        let world: LinkWorld
        /// All earlier contents of a place, in order; nil for no file.
        private(set) var past: [Place: [[UInt8]?]] = [:]

        struct Place: Hashable {
            let owner: PubkyKey
            let path: String
        }

        init(seed: UInt64, looks: Int) async throws {
            world = try await LinkWorld(seed: seed, trouble: 0)
            for look in 0..<looks {
                if look == 8 { world.payer.disk.lose() }
                try await self.look(look)
                if look == 5 { try await ask("tea") }
                for owner in [world.payer.key, world.payee.key] {
                    let paths = await world.sandbox.paths(of: owner).filter { $0.contains("/private/") }
                    for place in Set(paths.map { Place(owner: owner, path: $0) }).union(past.keys)
                    where place.owner == owner {
                        let now = await world.sandbox.file(at: place.path, of: owner)
                        if past[place, default: [nil]].last != now { past[place, default: [nil]].append(now) }
                    }
                }
            }
        }

        /// Lets each side look in its turn.
        @discardableResult
        func look(_ number: Int) async throws -> PrivateLinkFlow.Status {
            let (me, other) = number.isMultiple(of: 2) ? (world.payer, world.payee) : (world.payee, world.payer)
            return try await me.flow.poll(other.key, other.receiver, me.session)
        }

        /// True if the payer, who has lost everything, re-establishes the link while neither says anything.
        func isMended() async throws -> Bool {
            for number in 0..<60 {
                if case .linked = try await look(number), number.isMultiple(of: 2) { return true }
            }
            return false
        }

        func ask(_ reference: String) async throws {
            _ = try await world.payee.flow.ask(
                for: world.terms(reference), at: nil, world.payee.party(with: world.payer))
        }

        /// True if both re-establish the link, and new messages arrive.
        func findsTogether() async throws -> Bool {
            for number in 0..<4 { try await look(number) }
            try await ask("cake")
            for number in 0..<60 {
                try await look(number)
                let known = try await world.payer.flow.requests(with: world.payee.key, world.payee.receiver)
                if known.contains(where: { $0.terms.reference == "cake" }) { return true }
            }
            return false
        }
    }

    /// The payer begins the handshake in the one, the payee in the other.
    private static let seeds: [UInt64] = [1, 2]
    /// The numbers of looks before the fault: in the first handshake, at its end, with an open request, and in the
    /// second handshake.
    private static let moments = [3, 4, 6, 9, 11, 12]

    @Test("Each of these histories begins with another side")
    func roles() async throws {
        var begins: Set<Bool> = []
        for seed in Self.seeds {
            let world = try await LinkWorld(seed: seed, trouble: 0)
            let begin = PrivateLinkParty.begins(world.payer.key, with: world.payee.key)
            begins.insert(begin == true)
        }
        #expect(begins.count == 2)
    }

    @Test(
        "Whatever a file was before and becomes again, both find each other, and what is said arrives",
        arguments: seeds, moments)
    func late(seed: UInt64, looks: Int) async throws {
        for (place, contents) in try await Story(seed: seed, looks: looks).past {
            for content in Set(contents.dropLast()) where content != contents.last {
                let story = try await Story(seed: seed, looks: looks)
                if let content {
                    await story.world.sandbox.publish(content, at: place.path, of: place.owner)
                } else {
                    #expect(await story.world.sandbox.unpublish(place.path, of: place.owner))
                }
                let what = content == nil ? "nothing" : "an older file"
                #expect(try await story.findsTogether(), "\(what) at \(place.path) after \(looks) looks")
            }
        }
    }

    @Test("A side that begins anew reaches the other, also where its first message and what it depends on are gone")
    func marker() async throws {
        for seed in Self.seeds {
            // The payer has just lost everything, and reported it.
            let story = try await Story(seed: seed, looks: 9)
            let world = story.world
            for (owner, part) in [(world.payer.key, "/encrypted-link-recovery/"), (world.payee.key, "/messages/")] {
                for path in await world.sandbox.paths(of: owner) where path.contains(part) {
                    #expect(await world.sandbox.unpublish(path, of: owner))
                }
            }
            #expect(try await story.isMended(), "in the story of \(seed)")
            #expect(try await story.findsTogether(), "in the story of \(seed)")
        }
    }
}
