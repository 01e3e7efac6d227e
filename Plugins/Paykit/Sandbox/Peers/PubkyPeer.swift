public import PaykitProvider
import PaymentCore
import PaymentCrypto

extension PubkySandbox {
    /// A user with a private channel, at a port of this machine. The money is simulated.
    public final class Peer: Sendable {
        /// The user.
        public let user: User
        /// The behaviour.
        public let manner: PeerManner
        /// The published address of the channel.
        public let endpoint: PaykitNoiseEndpoint
        private let listener: any StreamListener
        private let conversation: PubkyConversation

        init(_ user: User, _ endpoint: PaykitNoiseEndpoint, _ listener: any StreamListener, talk: PubkyConversation) {
            self.user = user
            self.endpoint = endpoint
            self.listener = listener
            manner = talk.manner
            conversation = talk
        }

        deinit { listener.close() }

        /// Serves all connections, until the task is cancelled or the peer is closed.
        public func run() async {
            await withDiscardingTaskGroup { group in
                while let stream = try? await listener.accept() {
                    group.addTask { [conversation] in
                        await conversation.run(over: stream)
                        stream.close()
                    }
                }
                group.cancelAll()
            }
        }

        /// Stops listening.
        public func close() { listener.close() }
    }

    /// Creates a user with a private channel, and publishes its address. Call ``Peer/run()``.
    ///
    /// - Parameters:
    ///   - manner: the user's behaviour.
    ///   - name: for the profile; nil for one of the sandbox's names.
    ///   - streams: the transport to listen on: TCP, or streams of this process.
    ///   - place: the address to listen at.
    /// - Throws: ``/PaykitProvider/StreamError`` when listening there is not possible.
    public func createPeer(
        _ manner: PeerManner = .ready, name: String? = nil, over streams: any StreamTransport,
        at place: StreamAddress = .loopback()
    ) async throws(StreamError) -> Peer {
        let listener = try await streams.listen(at: place)
        let host = if case .v6 = listener.localAddress.host { "::1" } else { "127.0.0.1" }
        let user = createUser(.ready, name: name)
        let identity = identity(of: user.keyPair)
        let published = manner == .identityMismatch ? self.identity(of: keys.pair("somebody else")) : identity
        let endpoint = PaykitNoiseEndpoint(
            owner: user.key, host: manner == .placeholder ? "pending" : host,
            port: manner == .placeholder ? 0 : listener.localAddress.port, key: published.publicKey)
        if [.notListening, .placeholder].contains(manner) { listener.close() }
        publish(endpoint.wire, at: Self.directory + "noise", of: user.key)
        let talk = PubkyConversation(
            manner: manner, identity: identity,
            responder: responder(of: user.key, factor: manner == .anotherInvoice ? 10 : 1),
            clock: clock, random: random,
            pause: configuration.slowness)
        return Peer(user, endpoint, listener, talk: talk)
    }

    private func identity(of pair: PubkyKeyPair) -> ChannelIdentity {
        guard let identity = try? ChannelIdentity(pair) else { preconditionFailure("no X25519 on this system") }
        return identity
    }

    private func responder(of payee: PubkyKey, factor: UInt64) -> ReceiptResponder {
        ReceiptResponder(payee, PubkyPayee(sandbox: self, key: payee, factor: factor), InMemoryReceipts())
    }

    /// Returns a user's terms for a receipt.
    func terms(_ inquiry: PaykitInquiry, of payee: PubkyKey, factor: UInt64) throws(PaykitPayeeError)
        -> PaykitPayeeTerms
    {
        guard inquiry.currency ?? "SAT" == "SAT" else {
            throw PaykitPayeeError("UNSUPPORTED_CURRENCY", "Only SAT is taken")
        }
        guard let amount = inquiry.amount.flatMap({ UInt64($0) }), amount > 0 else {
            throw PaykitPayeeError("INVALID_AMOUNT", "Amount must be specified and non-zero")
        }
        // More than all bitcoin cannot be asked for; an invoice counts in smaller units.
        guard amount <= Self.mostSatoshi / max(1, factor) else {
            throw PaykitPayeeError("INVALID_AMOUNT", "Amount is more than there is")
        }
        switch inquiry.methodID {
        case "lightning":
            let text = createInvoice(amount * factor, for: payee)
            return PaykitPayeeTerms(
                endpoint: text, paymentHash: invoices.first { $0.value.text == text }?.key,
                metadata: ["generated_at": .number(JSONNumber(Int64(now / 1_000_000)))])
        case "onchain":
            guard let address = payees.first(where: { $0.value == payee })?.key else { fallthrough }
            return PaykitPayeeTerms(endpoint: address)
        default: throw PaykitPayeeError("UNSUPPORTED_METHOD", "Unsupported payment method")
        }
    }
}

/// One of the sandbox's users, who is paid.
private struct PubkyPayee: PaykitPayee {
    let sandbox: PubkySandbox
    let key: PubkyKey
    /// The factor between the amount of an inquiry and that of its invoice.
    let factor: UInt64

    func terms(for inquiry: PaykitInquiry) async throws -> PaykitPayeeTerms {
        try await sandbox.terms(inquiry, of: key, factor: factor)
    }

    func hasArrived(_ inquiry: PaykitInquiry, _ proof: PaykitProof) async -> Bool {
        guard case .transaction(let id) = proof else { return false }
        return await sandbox.transactions[id] == key
    }
}
