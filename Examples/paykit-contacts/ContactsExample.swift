import PaykitKit
import PaykitProvider
import PaykitSandbox
import PaymentCore
import PaymentLoopback
import PaymentStandards
import PaymentTesting
import PaymentTransport

/// Signs up at a simulated homeserver, publishes payment endpoints, and looks at contacts: their names, the ways to pay
/// them, and the errors if there are none. Pays over private channels, by a private link and through a router, and
/// agrees on a subscription. All of it is over loopback HTTP, without money. Run it with `swift run paykit-contacts`.
@main
struct ContactsExample {
    static func main() async throws {
        // The same people every time.
        let sandbox = PubkySandbox(random: SeededRandomSource(seed: 7))
        let server = try LoopbackServer(sandbox)
        defer { server.stop() }
        let url = try HTTPURL("http://localhost:\(server.baseURL.port)")
        let network = try PubkyNetwork.sandbox(url)
        let settler = SandboxSettler(at: url, over: StandardTransport())
        // A wallet of generation 3: what it publishes by the guide is also published in the form of generation 3.
        let receiver = PaykitReceiverPath("contacts/wallet")
        let client = PaykitClient(
            configuration: PaykitClientConfiguration(
                network: network, receiver: receiver,
                receiverSecret: Redacted([UInt8](repeating: 9, count: 32))), transport: StandardTransport())
        Paykit.use(client)

        print("Before signing in:")
        await tryOut { try await publishEndpoints() }

        let secret = String(repeating: "07", count: 32)
        try await initializePaykit(Keychain(secretKeyHex: secret, homeserverPubkey: sandbox.homeserver.text))
        let me = await client.user?.text ?? "nobody"
        print("\nI am \(me)")
        try await publishEndpoints()
        try await client.publish(PubkyProfile(name: "Mina", status: "here"))

        let friends = [
            await sandbox.createUser(.ready, name: "Ada Lind"),
            await sandbox.createUser(.chainOnly, name: "Bruno Costa"),
            await sandbox.createUser(.emptyDirectory, name: "Sofia Rossi"), await sandbox.createUser(.unknownKey),
            await sandbox.createUser(.thirdGeneration, name: "Jonas Weber"),
        ]
        for friend in friends { try await client.follow(pubkey: friend.key.text) }

        print("\nMy methods, as others see them:")
        for method in try await discoverPaymentMethods(forPubkey: me).methods as [PaykitSupportedMethod] {
            print("  \(method.methodId): \(method.endpoint)")
        }

        let follows = try await fetchFollows(pubkey: me)
        print("\n\(follows.count) contacts:")
        for friend in friends where follows.contains(where: { $0.name == friend.key.text }) {
            print("- \(friend.key.text.prefix(8))…")
            await tryOut { print("  name: \(try await fetchProfile(pubkey: friend.key.text).name ?? "none")") }
            await tryOut {
                let result = try await smartCheckout(recipientPubkey: friend.key.text, preferredMethod: "lightning")
                let way = result.isPrivate ? "private" : "public"
                print("  pay by \(result.methodId) (\(way)): \(result.endpoint.prefix(9))…")
            }
        }

        let batch = await client.discoverBatch(pubkeys: friends.map(\.key.text))
        print("\nIn one batch: \(batch.methods.count) found, \(batch.errors.count) not")

        print("\nPrivately:")
        for manner in [.ready, .newerGeneration, .anotherAmount, .refuses] as [PubkySandbox.PeerManner] {
            let peer = try await sandbox.createPeer(manner, over: TCPTransport())
            let listening = Task { await peer.run() }
            defer { listening.cancel() }
            print("- \(peer.user.name) \(manner.summary)")
            await tryOut {
                let receipt = try await payInteractively(peer.user.key.text)
                print("  \(receipt.amount ?? "?") \(receipt.currency ?? "") to a separate invoice")
            }
            await tryOut {
                let request = PaykitReceiptRequest(amount: 2100, method: "lightning")
                let payment = try await client.payOverChannel(pubkey: peer.user.key.text, request) { _, endpoint in
                    try await settle(endpoint, at: sandbox)
                }
                print("  paid\(payment.isConfirmed ? ", and confirmed" : "")")
            }
        }
        print("\(try await client.receipts().count { $0.stage == .paid }) receipts are paid")

        print("\nBy a private link:")
        await tryOut { try await payByLink(client, sandbox, settler) }

        print("\nA subscription, signed by both:")
        await tryOut { try await Agreement(subscriber: client, sandbox: sandbox, network: network).run() }

        print("\nPrivately, through a router:")
        let routing = PrivateRouting(
            sandbox: sandbox, url: url,
            keyPair: try PubkyKeyPair(seed: [UInt8](repeating: 7, count: 32)))
        for (manner, use) in [
            (.ready, .only), (.refuses, .only), (.refuses, .preferred), (.anotherInvoice, .preferred),
        ] as [(PubkySandbox.PeerManner, PaykitChannelPayments.Use)] { try await routing.pay(manner, use) }

        print("\nFrom a wallet of our own, at LNbits:")
        await tryOut { try await OwnWallet(sandbox: sandbox, network: network).run() }

        print("\nSomebody paid to my Lightning address:")
        await client.noteUse(methodId: "lightning")
        try await rotateEndpoints(me)
        print("  now \(try await paykit_get_endpoint_for_key_and_method(pubkey: me, methodId: "lightning") ?? "none")")

        try await client.signOut()
        print("\nAfter signing out:")
        await tryOut { try await publishEndpoints() }
    }

    /// A peer with an app of generation 3 asks for a payment, and issues a receipt for it. The two need not be online
    /// at the same time: each polls from time to time.
    private static func payByLink(_ client: PaykitClient, _ sandbox: PubkySandbox, _ settler: SandboxSettler)
        async throws
    {
        guard let own = PaykitReceiverPath("contacts/wallet"), let theirs = PaykitReceiverPath("bitkit/wallet"),
            let me = await client.user
        else { return }
        let peer = try await sandbox.createLinkPeer(theirs, name: "Yuki Tanaka")
        try await peer.publish()
        try await client.publishReceiver()
        let link = try await client.privateLink(with: peer.user.key.text)
        func look() async throws {
            for _ in 0..<3 {
                try await link.poll()
                try await peer.look(at: me, own)
            }
            try await link.poll()
        }
        try await look()
        let id = try await peer.ask(2100, for: "dinner", of: me, own)
        try await look()
        for request in try await link.requests() where request.phase == .proposed {
            print("- \(peer.user.name) asks for \(request.amount?.decimalText ?? "?") BTC: \(request.reference)")
            try await link.pay(
                request.id, with: settler, check: PaykitEndpointCheck(StandardsReader(), network: .regtest))
        }
        try await look()
        print("  paid, with \(try await link.receipts(for: id).count) receipt")
    }

    /// Settles as a wallet would; the money here does not exist.
    private static func settle(_ endpoint: String, at sandbox: PubkySandbox) async throws -> PaykitSettlement {
        guard let invoice = try? Bolt11(text: endpoint), let hash = invoice.instruction.reference,
            case .preimage(let preimage) = try await sandbox.pay(endpoint)
        else { return .notPaid("no invoice") }
        return .paid(.preimage(preimage, paymentHash: hash))
    }

    private static func tryOut(_ work: @Sendable () async throws -> Void) async {
        do { try await work() } catch let error as PaykitError { handlePaykitError(error) } catch {
            print("  \(error)")
        }
    }
}
