import Foundation
import PaykitKit
import PaykitSandbox
import PaymentCore
import PaymentCrypto
import PaymentLoopback
import PaymentTesting
import PaymentTransport
import Synchronization
import TestSupport
import Testing

@testable import PaykitProvider

/// The client against a simulated network.
@Suite("Paykit's client")
struct PaykitClientTests: NetworkSuite {
    let network = TestNetwork()

    private func client(
        _ change: (inout PaykitClientConfiguration) -> Void = { _ in }, over transport: (any HTTPTransport)? = nil
    ) throws -> PaykitClient {
        try sandbox.newClient(over: transport, clock: clock, change)
    }

    private func signedIn(
        _ change: (inout PaykitClientConfiguration) -> Void = { _ in }
    ) async throws -> PaykitClient {
        try await signedIn(client(change))
    }

    // MARK: The identity of this device

    @Test("A new user is signed up, an existing one signed in, and found by others at once")
    func initialize() async throws {
        let client = try await signedIn()
        #expect(await client.user?.text == Self.me)
        try await client.setEndpoint(methodId: "lightning", endpoint: "lnbc1xyz")
        // The same user on another device: the account exists, and so do its published endpoints.
        let other = try await signedIn()
        #expect(try await other.getEndpoint(pubkey: Self.me, methodId: "lightning") == "lnbc1xyz")
        #expect(try await self.client().getEndpoint(pubkey: Self.me, methodId: "lightning") == "lnbc1xyz")
        #expect(try await client.checkSession())
    }

    @Test("Keys that are none are refused before anything is sent, and not repeated", arguments: ["", "11", "zz"])
    func badSecrets(_ secret: String) async throws {
        let client = try client()
        let failure = await failure {
            try await client.initialize(secretKeyHex: secret + "5ec2e7", homeserverPubkey: Self.me)
        }
        #expect(failure?.code == .validationFailed)
        #expect(failure?.message.contains("5ec2e7") == false)
    }

    @Test("A homeserver that wants a token of new users gets the one that was configured, once")
    func signUpTokens() async throws {
        var configuration = PubkySandbox.Configuration()
        configuration.signUp = .tokenRequired
        let sandbox = PubkySandbox(configuration, clock: clock, random: SeededRandomSource(seed: 1))
        let token = await sandbox.createSignUpToken()
        func start(_ secret: String, _ token: Redacted<String>?) async throws {
            let client = try client({ $0.signUpToken = token }, over: SandboxTransport(sandbox))
            clock.advance(by: .milliseconds(1))
            try await client.initialize(secretKeyHex: secret, homeserverPubkey: sandbox.homeserver.text)
        }
        #expect(await code { try await start(Self.secret, nil) } == .invalidCredentials)
        try await start(Self.secret, token)
        try await start(Self.secret, nil)
        let other = String(repeating: "22", count: 32)
        #expect(await code { try await start(other, token) } == .invalidCredentials)
    }

    @Test("Before signing in nothing is published, and the guide's error says what to call")
    func notInitialized() async throws {
        let client = try client()
        for work in [
            { try await client.setEndpoint(methodId: "lightning", endpoint: "x") },
            { try await client.removeEndpoint(methodId: "lightning") },
            { try await client.publish(PubkyProfile(name: "Anna")) },
        ] as [@Sendable () async throws -> Void] {
            await #expect { try await work() } throws: {
                guard case PaykitError.notInitialized? = $0 as? PaykitError else { return false }
                return ($0 as? PaykitError)?.type == .notInitialized
            }
        }
    }

    @Test("A session that the homeserver has ended is not used again, and a new one is opened")
    func expiredSessions() async throws {
        let client = try await signedIn()
        await sandbox.endSessions(of: try PubkyKey(Self.me))
        #expect(try await !client.checkSession())
        #expect(await client.user == nil)
        try await client.refreshSession()
        try await client.setEndpoint(methodId: "lightning", endpoint: "x")
        await sandbox.endSessions(of: try PubkyKey(Self.me))
        #expect(await code { try await client.setEndpoint(methodId: "lightning", endpoint: "y") } == .sessionExpired)
        #expect(await client.user == nil)
    }

    @Test("A session is exported, tried where it is imported, and never printed")
    func exporting() async throws {
        let client = try await signedIn()
        let exported = try #require(await client.exportedSession)
        #expect(exported.reveal().hasPrefix(Self.me + ":"))
        let other = try self.client()
        try await other.importSession(exported)
        try await other.setEndpoint(methodId: "onchain", endpoint: "bc1q")
        #expect(await code { try await other.refreshSession() } == .notInitialized)
        for bad in [
            "", Self.me, "\(Self.me):", "\(Self.me):a b", "x:y", "\(Self.me):\(String(repeating: "A", count: 26))",
        ] {
            let failure = await failure { try await other.importSession(Redacted(bad)) }
            #expect([.validationFailed, .sessionExpired].contains(failure?.code), "\(bad)")
        }
        // The earlier import is still there.
        #expect(await other.user?.text == Self.me)
    }

    @Test("A user who signs out can publish nothing more, here and with the old secret")
    func signOut() async throws {
        let client = try await signedIn()
        let exported = try #require(await client.exportedSession)
        try await client.signOut()
        try await client.signOut()
        #expect(await client.exportedSession == nil)
        #expect(await code { try await client.setEndpoint(methodId: "lightning", endpoint: "x") } == .notInitialized)
        #expect(await code { try await client.importSession(exported) } == .sessionExpired)
    }

    @Test("A record that leads elsewhere, as an old one does, shows the session to no other server")
    func elsewhere() async throws {
        let watched = RecordingTransport(over: SandboxTransport(sandbox))
        let client = try sandbox.newClient(over: watched, clock: clock, streams: NamelessStreams())
        try await client.initialize(secretKeyHex: Self.secret, homeserverPubkey: sandbox.homeserver.text)
        try await client.setEndpoint(methodId: "lightning", endpoint: "x")
        // Another server takes over the user's data, by the user's own record of another day.
        let (me, server) = (try PubkySamples.pair(0x11), try PubkySamples.pair(0x33))
        let relay = PkarrClient(
            relays: [try HTTPURL("http://localhost:6286/pkarr")], http: SandboxTransport(sandbox), clock: clock)
        let time = clock.now.microseconds + 1_000_000
        for (pair, name, target) in [(me, "_pubky", server.publicKey.text), (server, "", "former.example.com")] {
            let record = DNSRecord(
                try #require(SignedPacket.name(name, under: pair.publicKey)),
                .https(DNSService(priority: 1, target: try #require(DNSName(target)))))
            try await relay.publish(try SignedPacket(signing: [record], at: time, by: pair))
        }
        clock.advance(by: .seconds(7200))
        for work in [
            { try await client.setEndpoint(methodId: "lightning", endpoint: "y") },
            { try await client.removeEndpoint(methodId: "lightning") }, { try await client.checkSession() },
        ] as [@Sendable () async throws -> Void] {
            let failure = await failure(work)
            #expect(failure?.code == .auth, "\(failure as Any)")
        }
        let shown = watched.requests.filter { $0.headers["Cookie"] != nil }.map(\.url.origin)
        #expect(Set(shown) == ["http://localhost:6286"])
        // A record that may be wrong ends no session.
        #expect(await client.user != nil)
    }

    /// Streams of a device that resolves no name, as behind a proxy.
    private struct NamelessStreams: StreamTransport {
        private let base = LocalStreams()

        func connect(to address: StreamAddress) async throws(StreamError) -> any ByteStream {
            try await base.connect(to: address)
        }

        func listen(at address: StreamAddress) async throws(StreamError) -> any StreamListener {
            try await base.listen(at: address)
        }

        func addresses(of host: String, port: UInt16) async throws(StreamError) -> [StreamAddress] {
            throw .hostNotFound(host)
        }
    }

    // MARK: Another device

    @Test("Another device signs this one in, with what was asked for and no more")
    func authorization() async throws {
        // On the system's clock: waiting on a virtual clock makes every token too old.
        let sandbox = PubkySandbox(random: SeededRandomSource(seed: 1))
        func device(_ capabilities: [PubkyCapability]) throws -> PaykitClient {
            try sandbox.newClient(clock: SystemPaymentClock(), seed: UInt64(capabilities.count)) {
                $0.capabilities = capabilities
                $0.consent = { _ in }
            }
        }
        let phone = try device([.paykit, .profile])
        try await phone.initialize(secretKeyHex: Self.secret, homeserverPubkey: sandbox.homeserver.text)
        let app = try device([.paykit])
        let link = app.authorizationLink()
        async let user = app.awaitAuthorization(of: link)
        try await phone.approve(try PubkyAuthorizationLink(PaymentLink(link.text.reveal())))
        #expect(try await user.text == Self.me)
        try await app.setEndpoint(methodId: "lightning", endpoint: "from the app")
        #expect(try await phone.getEndpoint(pubkey: Self.me, methodId: "lightning") == "from the app")
        #expect(await code { try await app.publish(PubkyProfile(name: "Anna")) } == .auth)
        #expect(await code { try await app.approve(link) } == .notInitialized)
        let export = try PubkyAuthorizationLink(
            PaymentLink(link.text.reveal().replacing("signin", with: "secret_export")))
        #expect(await code { try await phone.approve(export) } == .validationFailed)
    }

    @Test("A text at the relay that no holder of the secret signed signs no user in")
    func forgedAuthorization() async throws {
        let phone = try await signedIn()
        let app = try client()
        let (link, other) = (app.authorizationLink(), try client().authorizationLink())
        #expect(link.text.reveal() != other.text.reveal() || link == other)
        let url = try HTTPURL("http://localhost:6286/inbox/\(link.channel ?? "")")
        let transport = SandboxTransport(sandbox)
        _ = try await transport.send(HTTPRequest(.post, url, body: [UInt8](repeating: 1, count: 200)))
        #expect(await code { _ = try await app.awaitAuthorization(of: link) } == .invalidCredentials)
        #expect(await app.user == nil)
        _ = phone
    }

    // MARK: Endpoints

    @Test("Every user of the sandbox is found, or the error says which of the guide's kinds it is")
    func scenarios() async throws {
        let client = try client()
        for user in await sandbox.createAllScenarios() {
            let scenario = user.scenario
            var found: [String]?
            var error: PaykitError?
            do { found = try await methods(client, user.key.text) } catch let failure as PaykitError { error = failure }
            switch scenario.expectedOutcome {
            case .payable:
                #expect(found?.isEmpty == false, "\(scenario): \(String(describing: error))")
                for method in scenario.expectedMethods {
                    #expect(found?.contains(method) == true, "\(scenario) \(method)")
                }
            case .unknownUser: #expect(error?.type == .peerNotFound, "\(scenario)")
            case .unreachable: #expect(error != nil, "\(scenario)")
            case .error: #expect(error != nil || found != nil, "\(scenario)")
            default: #expect(found != nil || error != nil, "\(scenario)")
            }
            #expect(found?.contains("noise") != true && found?.contains("supported.json") != true)
        }
    }

    @Test("Endpoints are published, replaced and taken back, and taking back twice does no harm")
    func endpoints() async throws {
        let client = try await signedIn()
        try await client.setEndpoint(methodId: "lightning", endpoint: " lnbc1 \n")
        try await client.setEndpoint(methodId: "onchain", endpoint: "bc1q")
        var methods: [PaykitSupportedMethod] = try await client.getSupportedMethods(pubkey: Self.me).methods
        #expect(methods.map(\.endpoint) == ["lnbc1", "bc1q"])
        try await client.setEndpoint(methodId: "lightning", endpoint: "lnbc2")
        try await client.removeEndpoint(methodId: "onchain")
        try await client.removeEndpoint(methodId: "onchain")
        methods = try await client.getSupportedMethods(pubkey: Self.me).methods
        #expect(methods.map(\.endpoint) == ["lnbc2"])
        for (method, endpoint) in [("noise", "x"), ("../x", "x"), ("lightning", " "), ("", "x")] {
            #expect(
                await code { try await client.setEndpoint(methodId: method, endpoint: endpoint) }
                    == .validationFailed)
        }
    }

    @Test("Private offers come first, the preferred method counts in both, and no payee is paid without one")
    func checkout() async throws {
        let client = try client()
        let user = await sandbox.createUser(.ready)
        let key = user.key.text
        #expect(try await client.smartCheckout(pubkey: key).methodId == "lightning")
        let chain = try await client.smartCheckout(pubkey: key, preferredMethod: "onchain")
        #expect(chain.methodId == "onchain" && !chain.isPrivate)
        await client.keep(
            PaykitChannelOffer(
                PaykitEndpoint(methodID: "bolt12", endpoint: "lno1"), expiresAt: clock.now.addingTimeInterval(60)),
            of: user.key)
        let offer = try await client.smartCheckout(pubkey: key, preferredMethod: "onchain")
        #expect(offer.endpoint == "lno1" && offer.isPrivate && offer.requiresInteractive)
        clock.advance(by: .seconds(61))
        #expect(try await client.smartCheckout(pubkey: key, preferredMethod: "onchain").methodId == "onchain")
        let nothing = await sandbox.createUser(.emptyDirectory)
        let error = await #expect(throws: PaykitError.self) { try await client.smartCheckout(pubkey: nothing.key.text) }
        #expect(error?.type == .methodNotSupported)
    }

    @Test("What was asked shortly before is not asked again, and what one publishes oneself is seen at once")
    func caching() async throws {
        let counting = RecordingTransport(over: SandboxTransport(sandbox))
        let client = try client(over: counting)
        let user = await sandbox.createUser(.ready)
        _ = try await client.getSupportedMethods(pubkey: user.key.text)
        let first = counting.requests.count
        for _ in 0..<10 { _ = try await client.getSupportedMethods(pubkey: user.key.text) }
        #expect(counting.requests.count == first)
        clock.advance(by: .seconds(301))
        _ = try await client.getSupportedMethods(pubkey: user.key.text)
        #expect(counting.requests.count > first)
    }

    @Test("A payee whose endpoints have changed is asked again, and no other")
    func changes() async throws {
        let client = try client()
        let users = [await sandbox.createUser(.ready), await sandbox.createUser(.chainOnly)]
        for user in users { _ = try await client.getSupportedMethods(pubkey: user.key.text) }
        // The first time the earlier state is unknown.
        #expect(await client.forgetChanged().count == 2)
        for user in users { _ = try await client.getSupportedMethods(pubkey: user.key.text) }
        #expect(await client.forgetChanged().isEmpty)
        await sandbox.publish(Array("x".utf8), at: "/pub/paykit.app/v0/paypal", of: users[1].key)
        await sandbox.publish(Array("x".utf8), at: "/pub/elsewhere", of: users[0].key)
        #expect(await client.forgetChanged() == [users[1].key])
        #expect(try await methods(client, users[1].key.text).contains("paypal"))
        #expect(await client.forgetChanged().isEmpty)
    }

    @Test(
        "A thousand users are discovered over loopback, some at a time, with progress and an error for each that fails")
    func batch() async throws {
        let sandbox = PubkySandbox(random: SeededRandomSource(seed: 3))
        let server = try LoopbackServer(sandbox)
        defer { server.stop() }
        var keys: [String] = []
        for index in 0..<1000 {
            let user = await sandbox.createUser(index.isMultiple(of: 100) ? .unknownKey : .chainOnly)
            keys.append(user.key.text)
        }
        var configuration = PaykitClientConfiguration(
            network: try .sandbox(HTTPURL("http://localhost:\(server.baseURL.port)")))
        configuration.cacheCapacity = 100
        let client = PaykitClient(configuration: configuration, transport: StandardTransport())
        let progress = Mutex<[Int]>([])
        let (methods, errors) = await client.discoverBatch(pubkeys: keys + keys.prefix(3)) { done in
            progress.withLock { $0.append(done) }
        }
        #expect(methods.count == 990 && errors.count == 10)
        #expect(errors.values.allSatisfy { $0.type == .peerNotFound })
        #expect(progress.withLock { $0 } == Array(1...1000))
    }

    @Test("The address of a channel is read in both spellings, and an unreadable one is reported")
    func noise() async throws {
        let client = try client()
        let user = await sandbox.createUser(.chainOnly)
        let key = String(repeating: "ab", count: 32)
        #expect(try await client.noiseEndpoint(pubkey: user.key.text) == nil)
        for (json, isConnectable) in [
            (#"{"host":"pay.example","port":9000,"pubkey":"\#(key)","more":1}"#, true),
            (#"{"host":"pending","port":0,"public_key":"\#(key)"}"#, false),
        ] {
            await sandbox.publish(Array(json.utf8), at: "/pub/paykit.app/v0/noise", of: user.key)
            let endpoint = try await client.noiseEndpoint(pubkey: user.key.text)
            #expect(endpoint?.key == [UInt8](repeating: 0xAB, count: 32) && endpoint?.isConnectable == isConnectable)
        }
        for json in [
            "{}", #"{"host":"h","port":65536,"pubkey":"\#(key)"}"#, #"{"host":"h","port":1,"pubkey":"ab"}"#, "x",
        ] {
            await sandbox.publish(Array(json.utf8), at: "/pub/paykit.app/v0/noise", of: user.key)
            #expect(await code { _ = try await client.noiseEndpoint(pubkey: user.key.text) } == .invalidData)
        }
    }

    // MARK: People

    @Test("Profiles and follows are published and read")
    func people() async throws {
        let client = try await signedIn()
        let profile = PubkyProfile(
            name: "Anna", bio: "b", image: "https://a.example/a.png",
            namedLinks: [.init(title: "T", url: "https://t.example")],
            status: "here")
        try await client.publish(profile)
        #expect(try await client.profile(pubkey: Self.me) == profile)
        #expect(try await client.profile(pubkey: Self.me).links == ["https://t.example"])
        let friend = await sandbox.createUser()
        try await client.follow(pubkey: friend.key.text)
        #expect(try await client.follows(pubkey: Self.me).map(\.name) == [friend.key.text])
        try await client.follow(pubkey: friend.key.text, false)
        #expect(try await client.follows(pubkey: Self.me).isEmpty)
        #expect(await code { try await client.publish(PubkyProfile(name: "A")) } == .validationFailed)
    }

    // MARK: Rotation

    @Test("Used endpoints are replaced, others and strangers' are not")
    func rotation() async throws {
        let client = try await signedIn { $0.rotation = ["onchain": .onThreshold(2)] }
        try await client.setEndpoint(methodId: "lightning", endpoint: "a")
        try await client.setEndpoint(methodId: "onchain", endpoint: "b")
        #expect(try await client.checkRotationNeeded(pubkey: Self.me).isEmpty)
        await client.noteUse(methodId: "lightning")
        await client.noteUse(methodId: "onchain")
        #expect(try await client.checkRotationNeeded(pubkey: Self.me) == ["lightning"])
        #expect(try await client.rotateEndpoints { "new \($0)" } == ["lightning"])
        #expect(try await client.getEndpoint(pubkey: Self.me, methodId: "lightning") == "new lightning")
        #expect(try await client.rotateEndpoints { "never \($0)" }.isEmpty)
        let uses = await client.endpointUses
        let again = try await signedIn { $0.rotation = ["onchain": .onThreshold(1)] }
        await again.restore(uses: uses)
        #expect(try await again.checkRotationNeeded(pubkey: Self.me) == ["onchain"])
        let stranger = await sandbox.createUser()
        #expect(try await client.checkRotationNeeded(pubkey: stranger.key.text).isEmpty)
    }

    @Test("Rotation in the background continues after a failure, and ends with its task")
    func backgroundRotation() async throws {
        let client = try await signedIn()
        try await client.setEndpoint(methodId: "lightning", endpoint: "a")
        await client.noteUse(methodId: "lightning")
        let reports = Mutex<[Bool]>([])
        let attempts = Mutex(0)
        let (stream, done) = AsyncStream<Void>.makeStream()
        let task = Task { [clock] in
            await client.keepRotating(
                every: .seconds(60),
                report: { result in
                    let count = reports.withLock { reports in
                        reports.append((try? result.get()) != nil)
                        return reports.count
                    }
                    clock.advance(by: .seconds(60))
                    if count == 3 { done.finish() }
                }
            ) { _ in
                guard
                    attempts.withLock({
                        $0 += 1; return $0
                    }) > 1
                else { throw CancellationError() }
                return "b"
            }
        }
        for await _ in stream {}
        task.cancel()
        await task.value
        #expect(reports.withLock { Array($0.prefix(3)) } == [false, true, true])
        #expect(try await client.getEndpoint(pubkey: Self.me, methodId: "lightning") == "b")
    }
}
