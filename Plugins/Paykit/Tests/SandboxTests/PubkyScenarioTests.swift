import Foundation
import PaykitProvider
import PaykitSandbox
import PaymentCore
import PaymentCrypto
import PaymentLoopback
import PaymentStandards
import PaymentTesting
import PaymentTransport
import TestSupport
import Testing

/// The users of the simulated network, as an app meets them.
@Suite("The Pubky sandbox's users")
struct PubkyScenarioTests {
    private let world = PubkyWorld()
    typealias Scenario = PubkySandbox.Scenario

    /// The endpoints that the reference client finds in the directory, except `noise` and `supported.json`.
    private func found(_ user: PubkySandbox.User, in world: PubkyWorld) async throws -> [String: [UInt8]] {
        // One reader for both: a new question to the relays may get an older answer.
        let reader = PubkyReader(try world.locator(), over: world.transport)
        // Endpoints of generation 3 come first, if there are any.
        if let offer = try? await ReceiverDirectory(reader).offer(of: user.key) {
            return Dictionary(uniqueKeysWithValues: offer.endpoints.map { ($0.methodID, Array($0.endpoint.utf8)) })
        }
        let homeserver = try await reader.homeserver(of: user.key)
        let directory = try PubkyAddress(user.key, path: "/pub/paykit.app/v0/")
        var endpoints: [String: [UInt8]] = [:]
        for entry in try await homeserver.list(directory, isShallow: true) ?? [] where !entry.path.hasSuffix("/") {
            let name = String(entry.path.dropFirst(directory.path.count))
            guard let file = try await homeserver.read(entry), !file.isEmpty else { continue }
            endpoints[name] = file
        }
        return endpoints
    }

    @Test("Every scenario shows what it says", arguments: Scenario.allCases)
    func shows(_ scenario: Scenario) async throws {
        let world = PubkyWorld { $0.slowness = .zero }
        let user = await world.sandbox.createUser(scenario)
        #expect(user.link == "pubky://\(user.key)" && user.scenario == scenario && user.title == scenario.summary)
        #expect(scenario.expectedMethods.isEmpty == (scenario.expectedOutcome != .payable))
        switch scenario.expectedOutcome {
        case .payable:
            let endpoints = try await found(user, in: world)
            #expect(Set(scenario.expectedMethods).isSubset(of: endpoints.keys))
        case .nothing:
            let usable = try await found(user, in: world).filter { Self.isSound($0.value) }
            #expect(usable.isEmpty)
        case .unknownUser:
            #expect(await code { _ = try await found(user, in: world) } == .notFound)
        case .unreachable:
            // Unknown, without a web address, or down: the connection is the last to fail.
            let codes: [PaykitNetworkError.Code] = [.notFound, .connectionFailed, .transport]
            let failure = await code { _ = try await found(user, in: world) }
            #expect(failure.map(codes.contains) == true)
        default:
            let failure = await code { _ = try await found(user, in: world) }
            #expect(failure != nil && failure != .notFound)
        }
    }

    /// True if an endpoint's checksum is right.
    private static func isSound(_ bytes: [UInt8]) -> Bool {
        guard let link = try? PaymentLink(String(decoding: bytes, as: UTF8.self)) else { return false }
        return (try? Bolt11(link)) != nil || (try? BitcoinAddress(link)) != nil
    }

    @Test("Names are distinct")
    func words() {
        let all = Scenario.allCases
        #expect(Set(all.map(\.summary)).count == all.count && all.allSatisfy { !$0.summary.isEmpty })
        #expect(Set(all.map(\.rawValue)).count == all.count && Set(all).count == all.count)
        #expect(all.allSatisfy { Scenario(rawValue: $0.rawValue) == $0 && "\($0)" == $0.rawValue })
        #expect(all.allSatisfy { $0.rawValue.wholeMatch(of: /[a-z]+(-[a-z]+)*/) != nil })
        #expect(Scenario(rawValue: "no such scenario") == nil)
    }

    @Test("Invoices and addresses are real ones, of a chain without money unless another is wanted")
    func endpoints() async throws {
        for (chain, network) in [(PubkySandbox.Chain.regtest, "regtest"), (.mainnet, "mainnet")] {
            let world = PubkyWorld { $0.chain = chain }
            let user = await world.sandbox.createUser()
            let endpoints = try await found(user, in: world).mapValues { String(decoding: $0, as: UTF8.self) }
            let invoice = try Bolt11(PaymentLink(try #require(endpoints["lightning"])))
            #expect(invoice.network.rawValue == network)
            #expect(invoice.amountMsat == 2_100_000)
            #expect(invoice.timestamp == PubkyWorld.start / 1_000_000)
            #expect(invoice.expiresAt == invoice.timestamp + 24 * 3600)
            #expect(invoice.hasLowS)
            let address = try BitcoinAddress(PaymentLink(try #require(endpoints["onchain"])))
            #expect(address.fields["network"] == .string(network))
        }
        let user = await world.sandbox.createUser(.emptyDirectory)
        for (amount, msat) in [
            (nil, nil), (1, 1000), (10, 10_000), (2100, 2_100_000), (123_456, 123_456_000), (500_000, 500_000_000),
            (300_000_000, 300_000_000_000),
        ] as [(UInt64?, UInt64?)] {
            let text = await world.sandbox.createInvoice(amount, for: user.key)
            #expect(try Bolt11(PaymentLink(text)).amountMsat == msat, "\(text)")
        }
    }

    @Test("The same seed makes the same people, whatever else happens")
    func deterministic() async throws {
        let (first, second) = (PubkyWorld(seed: 1), PubkyWorld(seed: 1))
        _ = try await second.signUp(PubkyWorld.pair(3))
        let (users, same) = (await first.sandbox.createAllScenarios(), await second.sandbox.createAllScenarios())
        #expect(users.map(\.key) == same.map(\.key))
        #expect(first.sandbox.homeserver == second.sandbox.homeserver)
        #expect(Set(users.map(\.key)).count == Scenario.allCases.count)
        #expect(PubkyWorld(seed: 2).sandbox.homeserver != first.sandbox.homeserver)
        let contacts = await first.sandbox.paths(of: users[0].key).filter { $0.hasPrefix("/pub/pubky.app/follows/") }
        #expect(Set(contacts.map { String($0.dropFirst(23)) }) == Set(users.dropFirst().map(\.key.text)))
        #expect("\(users[0])".contains("seed: <redacted>"))
    }

    @Test("A user has the profile, contacts and endpoints that are asked for")
    func custom() async throws {
        let friend = await world.sandbox.createUser()
        let user = await world.sandbox.createUser(
            .emptyDirectory, name: "Ada", follows: [friend.key], endpoints: ["x-points": "ada-7"])
        let profile = try #require(await world.sandbox.file(at: "/pub/pubky.app/profile.json", of: user.key))
        #expect(try JSONValue(parsing: profile)["name"]?.string == "Ada")
        #expect(
            await world.sandbox.paths(of: user.key) == [
                "/pub/paykit.app/v0/x-points", "/pub/pubky.app/follows/\(friend.key)", "/pub/pubky.app/profile.json",
            ])
        #expect(try await found(user, in: world) == ["x-points": Array("ada-7".utf8)])
    }

    @Test("A holder of the user's keys signs in and publishes", arguments: Wire.allCases)
    func owner(_ wire: Wire) async throws {
        let world = try PubkyWorld(on: wire)
        let user = await world.sandbox.createUser()
        let homeserver = Homeserver(try await world.locator().address(of: user.key), over: world.transport)
        let session = try await homeserver.open(world.token(user.keyPair), isSignUp: false)
        let address = try PubkyAddress(user.key, path: "/pub/paykit.app/v0/lightning")
        try await homeserver.write(Array("mina@example.com".utf8), to: address, session)
        #expect(try await found(user, in: world)["lightning"] == Array("mina@example.com".utf8))
    }

    @Test("A session that the homeserver loses is replaced by the next one")
    func sessionLost() async throws {
        let user = await world.sandbox.createUser(.sessionLost)
        let homeserver = try world.homeserver()
        let address = try PubkyAddress(user.key, path: "/pub/x")
        let lost = try await homeserver.open(world.token(user.keyPair), isSignUp: false)
        #expect(await code { try await homeserver.write([1], to: address, lost) } == .sessionExpired)
        let session = try await homeserver.open(world.token(user.keyPair, at: 1), isSignUp: false)
        try await homeserver.write([1], to: address, session)
    }

    @Test("A relay that goes back to an older packet is not believed")
    func olderPacket() async throws {
        let user = await world.sandbox.createUser(.olderPacket)
        let client = try world.pkarr()
        let latest = try #require(try await client.resolve(user.key))
        #expect(try await client.resolve(user.key, isFresh: true) == latest)
        // The relay did return the older one.
        let payload = try await world.send("GET", "/pkarr/\(user.key)").body
        let older = try SignedPacket(payload: payload, of: user.key)
        #expect(latest.isNewer(than: older))
        #expect(world.sandbox.homeserver.text == latest.records(at: "_pubky").first?.data.service?.target.description)
    }

    @Test("A relay and a homeserver that want fewer requests say for how long")
    func timeout() async throws {
        let (relay, server) = (
            await world.sandbox.createUser(.relayBusy), await world.sandbox.createUser(.homeserverBusy)
        )
        let first = try await world.send("GET", "/pkarr/\(relay.key)")
        let second = try await world.send("GET", "/pub/x", of: server.key)
        for answer in [first, second] {
            #expect(answer.status == 429)
            #expect(answer.headers["Retry-After"] == "7")
        }
        #expect(await code { _ = try await world.pkarr().resolve(relay.key) } == .rateLimited)
    }

    @Test("A slow homeserver answers when its time has come")
    func slow() async throws {
        let user = await world.sandbox.createUser(.slow)
        async let answer = world.send("GET", "/pub/paykit.app/v0/lightning", of: user.key)
        await world.clock.sleepers(1)
        world.clock.advance(by: .seconds(5))
        #expect(try await answer.status == 200)
    }

    @Test("Faults and records work around it as around the other sandboxes")
    func faults() async throws {
        let user = await world.sandbox.createUser()
        let faults = FaultInjector(world.sandbox)
        faults.inject(.dropAfter) { $1.hasPrefix("/pkarr/") }
        let relay = try PubkyNetwork.sandbox(HTTPURL(world.origin)).relays
        let client = PkarrClient(relays: relay, http: SandboxTransport(faults), clock: world.clock)
        #expect(await code { _ = try await client.resolve(user.key) } != nil)
        #expect(try await client.resolve(user.key) != nil)
        #expect(faults.requests.map(\.path) == ["/pkarr/\(user.key)", "/pkarr/\(user.key)"])
    }

    @Test("It shares an address with others when it comes last")
    func shared() async throws {
        let user = await world.sandbox.createUser()
        let address = SharedAddress([
            .init(Other(), paths: ["/v1"]), .init(world.sandbox, paths: PubkySandbox.paths),
        ])
        let server = try LoopbackServer(address)
        defer { server.stop() }
        let network = try PubkyNetwork.sandbox(server.baseURL)
        let client = PkarrClient(relays: network.relays, http: PlatformTransport(), clock: world.clock)
        let url = try await HomeserverLocator(client, allowsLocal: true).address(of: user.key)
        #expect(url.port == server.baseURL.port)
        let file = try PubkyAddress(user.key, path: "/pub/pubky.app/profile.json")
        guard try await Homeserver(url, over: PlatformTransport()).read(file) != nil else {
            Issue.record("no profile")
            return
        }
    }
}

/// A service that shares the address.
private struct Other: SandboxService {
    func respond(to request: HTTPRequest) async -> HTTPResponse { HTTPResponse(status: 418) }
}
