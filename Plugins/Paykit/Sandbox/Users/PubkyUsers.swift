public import PaykitProvider
import PaymentCore
import PaymentStandards
import PaymentTesting

extension PubkySandbox {
    /// A user of the simulated network.
    public struct User: Sendable {
        /// The name in the profile.
        public let name: String
        /// The user's own keys, which sign up, sign in and publish as this user.
        public let keyPair: PubkyKeyPair
        /// The user's behaviour.
        public let scenario: Scenario
        /// A few words for people.
        public let title: String

        /// The public key. The ledger names payments to the user by it.
        public var key: PubkyKey { keyPair.publicKey }
        /// A link that pays the user.
        public var link: String { "pubky://\(key)" }
    }

    /// Creates a user of a scenario, with everything published that belongs to it.
    ///
    /// The same seed gives the same keys, in the order of creation.
    ///
    /// - Parameters:
    ///   - scenario: the user's behaviour.
    ///   - name: for the profile; nil for one of the sandbox's names.
    ///   - follows: the user's contacts.
    ///   - endpoints: further endpoints in addition to those of the scenario, by method.
    /// - Returns: the user.
    @discardableResult
    public func createUser(
        _ scenario: Scenario = .ready, name: String? = nil, follows: [PubkyKey] = [],
        endpoints: [String: String] = [:]
    ) -> User {
        userCount += 1
        let user = User(
            name: name ?? Self.names[Int(userCount - 1) % Self.names.count], keyPair: keys.pair("user \(userCount)"),
            scenario: scenario, title: scenario.summary)
        let plan = scenario.plan
        plans[user.key] = plan
        users[user.key] = user
        people.append(user.key)
        record(.created, of: user.key)
        publishRecord(of: user, plan)
        guard plan.server != .knowsNoUser else { return user }
        for (path, content) in plan.files {
            let path = path.hasPrefix("/") ? path : Self.directory + path
            if case .refused(let status) = content {
                store([], at: path, of: user.key, refusal: status)
            } else {
                store(bytes(of: content, for: user.key), at: path, of: user.key)
            }
        }
        for (method, endpoint) in endpoints.sorted(by: { $0.key < $1.key }) {
            store(Array(endpoint.utf8), at: Self.directory + method, of: user.key)
        }
        publishProfile(of: user, plan.profile)
        for key in follows { follow(key, as: user.key) }
        var tenant = tenants[user.key] ?? PubkyTenant(quota: configuration.quota)
        tenant.isDisabled = plan.server == .isDisabled
        if plan.server == .isFull { tenant.quota = tenant.used }
        tenants[user.key] = tenant
        return user
    }

    /// Creates one user for each scenario, in the order of their declaration. The first one follows all the others.
    public func createAllScenarios() -> [User] {
        let users = Scenario.allCases.map { createUser($0) }
        if let first = users.first { for user in users.dropFirst() { follow(user.key, as: first.key) } }
        return users
    }

    /// Creates an unpublished invoice of `payee`.
    ///
    /// - Parameters:
    ///   - amount: the amount in satoshi, at most that of all bitcoin; nil leaves it to the payer.
    ///   - payee: one of the sandbox's users.
    /// - Returns: the invoice (BOLT 11).
    public func createInvoice(_ amount: UInt64?, for payee: PubkyKey) -> String {
        invoice(amount, for: payee, at: now / 1_000_000)
    }

    /// Writes a file as its owner would, without a session.
    ///
    /// - Parameters:
    ///   - content: the content.
    ///   - path: from the root, decoded: `/pub/paykit.app/v0/lightning`.
    ///   - owner: the owner of the file.
    public func publish(_ content: [UInt8], at path: String, of owner: PubkyKey) {
        store(content, at: path, of: owner)
    }

    /// Deletes a file as its owner would, without a session.
    ///
    /// - Returns: true if there was one.
    @discardableResult
    public func unpublish(_ path: String, of owner: PubkyKey) -> Bool { discard(path, of: owner) }

    /// Returns the content of a file; nil if there is none.
    public func file(at path: String, of owner: PubkyKey) -> [UInt8]? { tenants[owner]?.files[path]?.content }

    /// Returns the paths of all files of `owner`, in order.
    public func paths(of owner: PubkyKey) -> [String] { (tenants[owner]?.files.keys ?? [:].keys).sorted() }

    // MARK: Published content

    static let directory = "/pub/paykit.app/v0/"
    private static let names = [
        "Mina Kaya", "Bruno Costa", "Ada Lind", "Jonas Weber", "Sofia Rossi", "Tomás Silva", "Elif Demir",
        "Noor Haddad",
    ]

    private func publishRecord(of user: User, _ plan: Scenario.Plan) {
        let name = "user \(userCount)"
        var server: PubkyKey? = homeserver
        switch plan.record {
        case .here: break
        case .none: return
        case .withoutHomeserver: server = nil
        case .unknownHomeserver: server = keys.pair(name + " homeserver").publicKey
        case .deadHomeserver: server = deadHomeserver()
        case .homeserverByKeyOnly:
            let pair = keys.pair(name + " homeserver")
            packets[pair.publicKey] = PubkyRecords.keyOnly(at: now, by: pair)
            server = pair.publicKey
        case .homeserversInCircle:
            let pairs = ["first", "second"].map { keys.pair("\(name) \($0) homeserver") }
            for (pair, other) in zip(pairs, pairs.reversed()) {
                packets[pair.publicKey] = PubkyRecords.alias(of: other.publicKey, at: now, by: pair)
            }
            server = pairs[0].publicKey
        }
        packets[user.key] = PubkyRecords.user(of: server, at: now, by: user.keyPair)
        if plan.relay == .goesBack {
            // An hour older: a reader that accepts it as the latest ends at a homeserver that is down.
            let before = now - min(now, 3_600_000_000)
            oldPackets[user.key] = PubkyRecords.user(of: deadHomeserver(), at: before, by: user.keyPair)
        }
    }

    private func deadHomeserver() -> PubkyKey {
        let pair = keys.pair("dead homeserver")
        packets[pair.publicKey] = PubkyRecords.homeserver(Self.deadPort, at: now, by: pair)
        return pair.publicKey
    }

    private func publishProfile(of user: User, _ profile: Scenario.Plan.Profile) {
        let body: JSONValue
        switch profile {
        case .broken:
            store(Array("<html>not a profile</html>".utf8), at: "/pub/pubky.app/profile.json", of: user.key)
            return
        case .usual:
            body = [
                "name": .string(user.name), "bio": "Lives in a sandbox.",
                "image": "https://paykit-sandbox.example/picture.png",
                "links": [["title": "Home", "url": "https://paykit-sandbox.example/"]], "status": "here",
            ]
        case .odd:
            body = [
                "name": .string(String(repeating: "N\u{202E}", count: 200)), "bio": 7, "image": "javascript:alert(1)",
                "links": [
                    "https://paykit-sandbox.example/", ["title": "no url"], nil,
                    ["title": "Home", "url": "https://paykit-sandbox.example/"],
                ], "status": ["here"], "unknown": true,
            ]
            for name in ["not-a-key", "\(user.key)x", "sub/\(user.key)"] {
                store([], at: "/pub/pubky.app/follows/\(name)", of: user.key)
            }
        }
        store(body.serialized(), at: "/pub/pubky.app/profile.json", of: user.key)
    }

    private func follow(_ key: PubkyKey, as owner: PubkyKey) {
        store(Array(#"{"created_at":1627849723}"#.utf8), at: "/pub/pubky.app/follows/\(key)", of: owner)
    }

    private func bytes(of content: Scenario.Plan.Content, for owner: PubkyKey) -> [UInt8] {
        if case .filler(let count) = content { return [UInt8](repeating: UInt8(ascii: "1"), count: count) }
        return Array(text(of: content, for: owner).utf8)
    }

    func text(of content: Scenario.Plan.Content, for owner: PubkyKey) -> String {
        let time = now / 1_000_000
        switch content {
        case .text(let text): return text
        case .invoice(let amount): return invoice(amount, for: owner, at: time)
        case .expiredInvoice:
            return invoice(2100, for: owner, at: time - min(time, configuration.invoiceLifetime + 60))
        case .address:
            let program = Array(keys.bytes("address \(owner)").prefix(20))
            let address = Bech32.encode(
                prefix: configuration.chain.prefix, groups: [0] + Bech32.groups(of: program), .bech32)
            payees[address] = owner
            return address
        case .framed(let frame, let content): return frame.replacing("%", with: text(of: content, for: owner))
        case .spoilt(let content):
            let text = text(of: content, for: owner)
            return String(text.dropLast()) + (text.hasSuffix("q") ? "p" : "q")
        case .empty, .filler, .refused: return ""
        }
    }

    /// - Parameter chain: the invoice's chain; nil for the sandbox's.
    func invoice(_ amount: UInt64?, for payee: PubkyKey, at time: UInt64, chain: Chain? = nil) -> String {
        let name = "invoice \(invoices.count) \(payee)"
        let invoice = try? PubkyInvoice(
            amount, for: payee, at: time, lifetime: configuration.invoiceLifetime, chain: chain ?? configuration.chain,
            secrets: (keys.bytes(name), keys.bytes(name + " secret"), keys.bytes("node \(payee)")))
        // 32 bytes are almost always a valid key: a failure here is not by chance.
        guard let invoice else { preconditionFailure("no secp256k1 on this system") }
        invoices[invoice.hash] = invoice
        return invoice.text
    }
}
