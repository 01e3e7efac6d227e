import PaymentTransport

/// A client of Paykit without the guide's global functions. All its dependencies are passed to it.
///
/// ```swift
/// let network = try PubkyNetwork.standard(dht: DHTResolver(transport: UDPTransport()))
/// let client = PaykitClient(configuration: PaykitClientConfiguration(network: network), transport: transport)
/// try await client.initialize(secretKeyHex: secret, homeserverPubkey: homeserver)
/// try await client.setEndpoint(methodId: "lightning", endpoint: invoice)
/// let checkout = try await client.smartCheckout(pubkey: payee, preferredMethod: "lightning")
/// ```
///
/// Users are named by `pubkey`, in any form that a key has. Errors are ``PaykitError``.
public actor PaykitClient: PaykitService {
    let configuration: PaykitClientConfiguration
    let clock: any PaymentClock
    let random: any RandomSource
    let streams: any StreamTransport
    let store: any RecordStore
    var receipts: Receipts { Receipts(store) }
    /// Identifies this client among the programs that may have its links' state.
    private(set) lazy var linkProcess = random.uuid()
    let pkarr: PkarrClient
    let reader: PubkyReader
    let published: PublishedEndpoints
    let people: PubkyPeople
    let authorization: PubkyAuthorization
    let grants: GrantMaker
    /// The account of this device's key; nil before ``initialize(secretKeyHex:homeserverPubkey:)``, and after an
    /// imported session.
    var account: PubkyAccount?
    var session: PubkySession?
    /// A session that is being renewed. All callers wait for the same renewal: each opening ends the session before it.
    var renewal: (of: PubkySession, task: Task<Result<PubkySession, PaykitNetworkError>, Never>)?
    var offers = ChannelOffers()
    /// The payment methods of users, for as long as they may be shown without another request.
    var cache: RecentCache<PubkyKey, PaykitSupportedMethods>
    var uses: [String: PaykitEndpointUse] = [:]
    /// The cursors of the latest seen changes of users, by their directory.
    var cursors: [String: [PubkyKey: String]] = [:]

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - configuration: the network, and the client's behaviour there.
    ///   - transport: sends requests.
    ///   - clock: dates tokens and packets, and measures the lifetime of cached answers.
    ///   - random: creates secrets of authorisations, and the keys of single channels.
    ///   - streams: connects to payees for private channels.
    ///   - store: stores receipts of private payments, private links with generation 3 apps, subscriptions, and the
    ///     times of the users' latest packets. To survive the process they require a persistent store, such as
    ///     `SQLiteRecords`.
    public init(
        configuration: PaykitClientConfiguration, transport: any HTTPTransport,
        clock: any PaymentClock = SystemPaymentClock(), random: any RandomSource = SystemRandomSource(),
        streams: any StreamTransport = TCPTransport(), store: any RecordStore = InMemoryRecords()
    ) {
        self.store = store
        self.streams = streams
        self.configuration = configuration
        self.clock = clock
        self.random = random
        let network = configuration.network
        let pkarr = PkarrClient(
            relays: network.relays, http: transport, dht: network.dht, times: StoredPacketTimes(store), clock: clock)
        let features = HomeserverFeatures(clock: clock)
        let reader = PubkyReader(
            HomeserverLocator(
                pkarr, allowsLocal: network.allowsLocalHomeservers,
                names: { try? await streams.addresses(of: $0, port: 443) }), over: transport, features: features)
        grants = GrantMaker(clientID: configuration.clientID, random: random, clock: clock, features: features)
        self.pkarr = pkarr
        self.reader = reader
        published = PublishedEndpoints(reader, configuration.generations)
        people = PubkyPeople(reader)
        authorization = PubkyAuthorization(over: transport)
        cache = RecentCache(capacity: configuration.cacheCapacity)
    }

    // MARK: Signing in

    /// Signs in with a secret key, or signs up if the homeserver does not know it yet, and publishes the homeserver as
    /// the location of the user's data. A repeated call opens a new session. `secretKeyHex` is the Ed25519 seed: 64
    /// hexadecimal digits. `homeserverPubkey` is the homeserver's key, in any form that a key has.
    ///
    /// - Throws: ``PaykitError``.
    public func initialize(secretKeyHex: String, homeserverPubkey: String) async throws {
        try await mappingErrors {
            guard let seed = Hex.decode(secretKeyHex), let pair = try? PubkyKeyPair(seed: seed) else {
                throw PaykitNetworkError(.validationFailed, "a secret key is 64 hexadecimal digits")
            }
            let server = try Self.key(homeserverPubkey)
            let account = PubkyAccount(pair, at: server, reader, pkarr, clock: clock, grants: grants)
            session = try await account.open(configuration.sessionCapabilities, signUpToken: configuration.signUpToken)
            self.account = account
        }
    }

    /// The user of this device's session; nil without one.
    public var user: PubkyKey? { session?.user }

    // MARK: The user's own endpoints

    /// Publishes the user's own endpoint for a method: others see it at once. As a receiver (see
    /// ``PaykitClientConfiguration/receiver``) it is published in the generation 3 form, too. `methodId` is the method,
    /// such as `lightning`, or a generation 3 identifier, such as `btc-lightning-bolt11`. `endpoint` is the payment
    /// text.
    ///
    /// - Throws: ``PaykitError``, and the error of the configuration's `consent`.
    public func setEndpoint(methodId: String, endpoint: String) async throws {
        try await configuration.consent?(.publishEndpoint(methodId: methodId))
        try await putEndpoint(methodId, endpoint)
    }

    func putEndpoint(_ methodId: String, _ endpoint: String) async throws {
        try await signedIn { session in
            let endpoint = PaykitEndpoint(methodID: methodId, endpoint: endpoint)
            try configuration.endpointCheck?.check(endpoint, at: clock.now)
            try await publish(endpoint, session)
            uses[methodId] = PaykitEndpointUse(publishedAt: clock.now)
            cache.remove(session.user)
        }
    }

    /// Removes the user's own endpoint for a method. Without one it does nothing.
    ///
    /// - Throws: ``PaykitError``, and the error of the configuration's `consent`.
    public func removeEndpoint(methodId: String) async throws {
        try await configuration.consent?(.removeEndpoint(methodId: methodId))
        try await signedIn { session in
            try await remove(methodId, session)
            uses[methodId] = nil
            cache.remove(session.user)
        }
    }

    // MARK: Endpoints of others

    /// Returns the endpoints of a user, by method: in the newest form that they publish. A recent answer is reused.
    ///
    /// - Throws: ``PaykitError``.
    public func getSupportedMethods(pubkey: String) async throws -> PaykitSupportedMethods {
        try await mappingErrors { try await methods(of: Self.key(pubkey)) }
    }

    /// Returns a user's endpoint for a method; nil when they publish none. It is never cached.
    ///
    /// - Throws: ``PaykitError``.
    public func getEndpoint(pubkey: String, methodId: String) async throws -> String? {
        try await mappingErrors { try await published.endpoint(of: Self.key(pubkey), methodId) }
    }

    func methods(of user: PubkyKey) async throws(PaykitNetworkError) -> PaykitSupportedMethods {
        if let known = cache.value(of: user, at: clock.uptime) { return known }
        let removals = cache.removals
        let found = try await published.endpoints(of: user)
        let methods = PaykitSupportedMethods(
            methods: found.map(PaykitSupportedMethod.init),
            expiresAt: clock.now.addingTimeInterval(configuration.cacheTime / .seconds(1)))
        // It may lack what was published in the meantime.
        if removals == cache.removals { cache.keep(methods, of: user, until: clock.uptime + configuration.cacheTime) }
        return methods
    }

    // MARK: Internals

    var directory: PaykitDirectory { published.directory }
    var receivers: ReceiverDirectory { published.receivers }

    static func key(_ text: String) throws(PaykitNetworkError) -> PubkyKey {
        do { return try PubkyKey(text) } catch {
            // It may be a secret key by mistake: nothing of it is repeated.
            throw PaykitNetworkError(.validationFailed, "that is no valid key: \(error)")
        }
    }

    /// Runs `work` with the session, and maps its failures to the guide's errors.
    func signedIn<Value>(_ work: (PubkySession) async throws -> Value) async throws(PaykitError) -> Value {
        try await mappingErrors {
            guard let known = session else {
                throw PaykitNetworkError(
                    .notInitialized, "Paykit session not initialized. Call paykit_initialize first.")
            }
            let used = try await current(known)
            do { return try await work(used) } catch let error as PaykitNetworkError {
                guard error.code == .sessionExpired else { throw error }
                // A request refused for its session was not carried out. A grant may open another session; a cookie is
                // lost.
                guard let renewed = try await renewed(used) else { throw error }
                return try await work(renewed)
            }
        }
    }

    /// Runs `work`, and maps its failures to the guide's errors.
    func mappingErrors<Value>(_ work: () async throws -> Value) async throws(PaykitError) -> Value {
        do { return try await work() } catch { throw PaykitError(error) }
    }
}

/// Profiles and follows.
extension PaykitClient {
    /// Returns a user's own profile.
    ///
    /// - Throws: ``PaykitError``, of the type `peerNotFound` when they have none.
    public func profile(pubkey: String) async throws -> PubkyProfile {
        try await mappingErrors {
            let user = try Self.key(pubkey)
            guard let profile = try await people.profile(of: user) else {
                throw PaykitNetworkError(.notFound, "\(user) has published no profile")
            }
            return profile
        }
    }

    /// Publishes the profile of this device's user.
    ///
    /// - Throws: ``PaykitError``.
    public func publish(_ profile: PubkyProfile) async throws {
        try await signedIn { session in try await people.publish(profile, session) }
    }

    /// Returns the users that a user follows.
    ///
    /// - Throws: ``PaykitError``.
    public func follows(pubkey: String) async throws -> [PubkyListItem] {
        try await mappingErrors {
            try await people.follows(of: Self.key(pubkey)).map {
                PubkyListItem(name: $0.text, path: PubkyPeople.followsPath + $0.text, isDirectory: false)
            }
        }
    }

    /// Follows a user, or stops following them.
    ///
    /// - Throws: ``PaykitError``.
    public func follow(pubkey: String, _ follows: Bool = true) async throws {
        try await signedIn { session in
            try await people.follow(Self.key(pubkey), follows, at: clock.now.microseconds, session)
        }
    }
}

/// The behaviour of a ``PaykitClient``.
public struct PaykitClientConfiguration: Sendable {
    /// The entry points of the network.
    public var network: PubkyNetwork
    /// The permissions of this device's sessions.
    public var capabilities: [PubkyCapability] = [.paykit, .profile]
    /// The time that a user's methods are reused without another request.
    public var cacheTime = Duration.seconds(300)
    /// The most users whose methods are cached.
    public var cacheCapacity = 1000
    /// The conditions for replacing the user's own endpoints, by method; `onUse` if none is given.
    public var rotation: [String: PaykitRotationPolicy] = [:]
    /// The check of endpoints before they are published or chosen; nil accepts every text. Applications that pay should
    /// set one.
    public var endpointCheck: PaykitEndpointCheck?
    /// The token that the homeserver requires of new users.
    public var signUpToken: Redacted<String>?
    /// The bytes that distinguish this device's private channels from those of the user's other devices: at least 16,
    /// or none for the value that the vendor's library uses for all devices.
    public var device: [UInt8]?
    /// The number of times that the key of this device's channels was changed.
    public var epoch: UInt32 = 0
    /// The longest wait for each message of a peer on a private channel.
    public var channelTimeout = Duration.seconds(30)
    /// This app's name when it is authorised: 1 to 253 bytes, by custom a domain. Key managers show it.
    public var clientID = "swift-payment-router"
    /// Asks for consent to anything that only the owner of the device may want. Without it no app or device is
    /// approved; the user's own endpoints are published without a question.
    public var consent: PaykitConsent?
    /// The forms of Paykit that are read and published; see ``receiver``.
    public var generations = PaykitGenerations.both
    /// The app that publishes endpoints in the generation 3 form, such as `bitkit/wallet`; nil to publish in
    /// the older one only. A wallet chooses it once, and keeps it: payers recognise it by that.
    public var receiver: PaykitReceiverPath?
    /// The secret of that app's private links: 32 bytes, drawn once, kept in a keychain, never changed; nil for none.
    public var receiverSecret: Redacted<[UInt8]>?

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - network: the entry points of the network.
    ///   - receiver: see ``receiver``.
    ///   - receiverSecret: see ``receiverSecret``.
    public init(network: PubkyNetwork, receiver: PaykitReceiverPath? = nil, receiverSecret: Redacted<[UInt8]>? = nil) {
        self.network = network
        self.receiver = receiver
        self.receiverSecret = receiverSecret
    }

    /// The permissions to ask for: those of the application, and further ones that its receiver requires.
    var sessionCapabilities: [PubkyCapability] {
        guard generations != .second, let receiver else { return capabilities }
        return capabilities
            + receiver.capabilities.filter { needed in
                !capabilities.contains { $0.canRead && $0.canWrite && $0.covers(needed.scope) }
            }
    }
}
