/// Payments that are agreed on over private channels before they are made.
extension PaykitClient {
    // MARK: Asking

    /// Asks a payee over a private channel for the invoice or address of one payment. Nothing is paid.
    ///
    /// The answer is checked field by field against the request. Only the payee's homeserver vouches that the channel's
    /// key is the payee's. `request` is the amount, the method, and further data for the payee. `receiptId` is the id
    /// of an earlier receipt, to ask again for the same payment and get the same answer; nil for a new payment.
    ///
    /// - Returns: the receipt; its metadata hold the `invoice` or `address`.
    /// - Throws: ``PaykitError``.
    public func requestReceipt(
        fromPubkey pubkey: String, _ request: PaykitReceiptRequest, receiptId: String? = nil
    ) async throws -> PaykitReceipt {
        try await mappingErrors {
            let payee = try Self.key(pubkey)
            return PaykitReceipt(try await checkout().agree(inquiry(request, receiptId, to: payee)).receipt)
        }
    }

    /// Asks for a receipt, has the payment made, and sends the proof to the payee, who confirms it. `request` is the
    /// amount, the method, and further data for the payee. `receiptId` is as in
    /// ``requestReceipt(fromPubkey:_:receiptId:)``. A receipt is paid once: a repeated call after the wallet was asked
    /// returns the known result, or throws an error that the payment is in doubt. `settle` pays the endpoint, and
    /// returns the proof. When it throws, the payment is in doubt, and not repeated before ``resolvePayment(_:as:)``.
    ///
    /// - Returns: the receipt, its confirmation by the payee, and the proof.
    /// - Throws: ``PaykitError``.
    public func payOverChannel(
        pubkey: String, _ request: PaykitReceiptRequest, receiptId: String? = nil,
        settle: @Sendable (_ receipt: PaykitReceipt, _ endpoint: String) async throws -> PaykitSettlement
    ) async throws -> PaykitChannelPayment {
        try await mappingErrors {
            let payee = try Self.key(pubkey)
            let (receipt, isConfirmed) = try await checkout().pay(inquiry(request, receiptId, to: payee)) {
                agreement async throws(PaykitNetworkError) in
                do { return try await settle(PaykitReceipt(agreement.receipt), agreement.endpoint.endpoint) } catch {
                    throw PaykitNetworkError(
                        .paymentInDoubt, "whether it was paid is not known: ask the wallet before paying again",
                        methodID: agreement.endpoint.methodID)
                }
            }
            return PaykitChannelPayment(
                receipt: PaykitReceipt(receipt), proof: receipt.proof.flatMap { PaykitProof($0) },
                isConfirmed: isConfirmed)
        }
    }

    /// Records the wallet's result for a payment that was left in doubt.
    ///
    /// - Returns: true if it was in doubt.
    /// - Throws: ``PaykitError``.
    @discardableResult
    public func resolvePayment(_ id: ChannelReceipt.ID, as settlement: PaykitSettlement) async throws -> Bool {
        try await mappingErrors {
            guard let known = try await receipts.receipt(id) else { return false }
            return try await checkout().resolve(known, as: settlement)
        }
    }

    /// Sends the proof of a paid receipt to the payee again, if they have not confirmed it yet.
    ///
    /// - Throws: ``PaykitError``; the receipt stays paid.
    public func confirmPayment(_ id: ChannelReceipt.ID) async throws {
        try await mappingErrors {
            guard let known = try await receipts.receipt(id) else {
                throw PaykitNetworkError(.notFound, "no receipt \(id.name) is kept here")
            }
            try await checkout().confirm(known)
        }
    }

    // MARK: Receipts

    /// Returns the stored receipts, the latest first: of payments by this user and to this user. `earlier` is the
    /// receipt before which all returned ones were stored; nil for all. `limit` is the most receipts.
    ///
    /// - Throws: ``PaykitError``.
    public func receipts(before earlier: ChannelReceipt.ID? = nil, limit: Int = 100) async throws -> [ChannelReceipt] {
        try await mappingErrors { try await receipts.receipts(before: earlier, limit: limit) }
    }

    // MARK: Internals

    func identity() throws(PaykitNetworkError) -> ChannelIdentity {
        guard let account else {
            throw PaykitNetworkError(
                .notInitialized, "private channels need this user's own key: call paykit_initialize first")
        }
        return try ChannelIdentity(
            account.keyPair, device: configuration.device ?? ChannelIdentity.unnamed, epoch: configuration.epoch)
    }

    func dialer() throws(PaykitNetworkError) -> ChannelDialer {
        var timeout = PrivateChannel.Timeouts()
        timeout.message = configuration.channelTimeout
        timeout.handshake = min(timeout.handshake, configuration.channelTimeout)
        return ChannelDialer(
            try identity(), over: streams, allowsLocal: configuration.network.allowsLocalHomeservers, clock: clock,
            random: random, timeout: timeout)
    }

    func checkout() throws(PaykitNetworkError) -> ChannelCheckout {
        ChannelCheckout(directory, try dialer(), receipts, clock: clock)
    }

    func inquiry(
        _ request: PaykitReceiptRequest, _ receiptId: String? = nil, to payee: PubkyKey
    ) throws(PaykitNetworkError) -> PaykitReceiptRecord {
        try checkout().inquiry(
            named: receiptId ?? "rcpt_\(random.uuid())", request.method, "\(request.amount)", to: payee,
            metadata: .object(request.metadata.mapValues { .string($0) }))
    }
}

/// A payer's request for a receipt, before paying.
public struct PaykitReceiptRequest: Sendable, Hashable {
    /// The amount in satoshis.
    public var amount: UInt64
    /// The method, such as `lightning`.
    public var method: String
    /// Further data for the payee.
    public var metadata: [String: String]

    /// Creates a request.
    public init(amount: UInt64, method: String, metadata: [String: String] = [:]) {
        self.amount = amount
        self.method = method
        self.metadata = metadata
    }
}

/// The record that payer and payee keep of a payment agreed over a channel. It is not signed.
public struct PaykitReceipt: Sendable, Hashable {
    /// The name that both sides use.
    public var receiptId: String
    /// The payer's key.
    public var payer: String
    /// The payee's key.
    public var payee: String
    /// The method, such as `lightning`.
    public var methodId: String
    /// The amount as decimal text in the currency's own unit; nil if it is open.
    public var amount: String?
    /// The currency, such as `SAT`.
    public var currency: String?
    /// The time of its creation, in seconds since 1970.
    public var createdAt: Int64
    /// A JSON object with further data of both sides, including the payee's `invoice` or `address`.
    public var metadataJson: String

    /// Creates a receipt.
    public init(
        receiptId: String, payer: String, payee: String, methodId: String, amount: String? = nil,
        currency: String? = nil, createdAt: Int64, metadataJson: String = "{}"
    ) {
        self.receiptId = receiptId
        self.payer = payer
        self.payee = payee
        self.methodId = methodId
        self.amount = amount
        self.currency = currency
        self.createdAt = createdAt
        self.metadataJson = metadataJson
    }
}

/// A payment that was agreed on over a private channel, and made.
public struct PaykitChannelPayment: Sendable, Hashable {
    /// The record that both sides keep of it.
    public let receipt: PaykitReceipt
    /// The proof of payment.
    public let proof: PaykitProof?
    /// True if the payee has confirmed its arrival. A payment without a confirmation is paid, too.
    public let isConfirmed: Bool
}

extension PaykitReceipt {
    /// The receipt's id in the store.
    public var id: ChannelReceipt.ID { ChannelReceipt.ID(payer: payer, payee: payee, name: receiptId) }

    init(_ receipt: ChannelReceipt) {
        self.init(
            receiptId: receipt.id.name, payer: receipt.id.payer, payee: receipt.id.payee, methodId: receipt.method,
            amount: receipt.amount, currency: receipt.currency, createdAt: receipt.createdAt,
            metadataJson: receipt.metadata.text)
    }
}

// MARK: - Channels

/// The published addresses of private channels, and channels to them.
extension PaykitClient {
    /// Returns the address of a user's private channel; nil when they have published none. Only its place on their
    /// homeserver shows that the key is theirs.
    ///
    /// - Throws: ``PaykitError``.
    public func noiseEndpoint(pubkey: String) async throws -> PaykitNoiseEndpoint? {
        try await mappingErrors { try await directory.noiseEndpoint(of: Self.key(pubkey)) }
    }

    /// Opens a private channel. `endpoint` is the result of ``noiseEndpoint(pubkey:)``.
    ///
    /// - Throws: ``PaykitError``.
    public func openChannel(to endpoint: PaykitNoiseEndpoint) async throws -> PaykitNoiseChannel {
        try await mappingErrors { PaykitNoiseChannel(try await dialer().open(to: endpoint), of: self) }
    }

    /// Offers endpoints to one user alone, who may keep them and pay there.
    ///
    /// - Returns: the methods that were accepted.
    /// - Throws: ``PaykitError``.
    public func offer(_ offers: [PaykitChannelOffer], toPubkey pubkey: String) async throws -> [String] {
        guard let endpoint = try await noiseEndpoint(pubkey: pubkey) else {
            throw PaykitError(.methodNotSupported, "\(pubkey) cannot be spoken to privately")
        }
        return try await openChannel(to: endpoint).offer(offers)
    }

    // MARK: Being paid

    /// Listens for payers, and publishes the address: a payer that opens a channel may ask `payee` how to pay. The
    /// receipts are kept in this client's store. Other users' subscriptions are taken in as by
    /// ``PaykitSubscriptions/poll()``.
    ///
    /// - Parameters:
    ///   - address: the local address to listen at.
    ///   - host: this device's name or address for others.
    ///   - port: this device's port for others; nil for the local port.
    ///   - payee: provides the terms of payments.
    /// - Returns: the listener; call ``PaykitListener/run()``. Once it is closed, others cannot connect.
    /// - Throws: ``PaykitError``.
    public func listen(
        at address: StreamAddress, asHost host: String, port: UInt16? = nil, for payee: any PaykitPayee
    ) async throws -> PaykitListener {
        try await signedIn { session in
            let identity = try identity()
            let socket: any StreamListener
            do throws(StreamError) { socket = try await streams.listen(at: address) } catch {
                throw PaykitNetworkError(.connectionFailed, "\(error)")
            }
            let responder = ReceiptResponder(
                session.user, payee, receipts,
                offers: { [weak self] offer, user in await self?.keep(offer, of: user) ?? false },
                subscriptions: { [weak self] view, user in try? await self?.exchange(with: user).answer(view) })
            let listener = PayeeListener(socket, as: identity, responder, clock: clock, random: random)
            let place = PaykitNoiseEndpoint(
                owner: session.user, host: host, port: port ?? socket.localAddress.port, key: identity.publicKey)
            do { try await directory.publish(place, session) } catch {
                listener.close()
                throw error
            }
            return PaykitListener(listener, at: place)
        }
    }

    /// Removes the published address of this user's private channels.
    public func removeNoiseEndpoint() async throws {
        try await signedIn { session in try await directory.removeNoiseEndpoint(session) }
    }
}

/// An open private channel to a user. It is closed when it is released.
public final class PaykitNoiseChannel: Sendable {
    private let client: PaykitClient
    private let channel: PrivateChannel

    init(_ channel: PrivateChannel, of client: PaykitClient) {
        self.channel = channel
        self.client = client
    }

    deinit { channel.close() }

    /// The user at the other end.
    public var peer: PubkyKey { channel.peer }

    /// Asks for a receipt (the guide's third and fourth step). Nothing is paid.
    ///
    /// - Throws: ``PaykitError``; the channel is closed then.
    public func requestReceipt(_ request: PaykitReceiptRequest) async throws -> PaykitReceipt {
        try await client.mappingErrors {
            let inquiry = try await client.inquiry(request, to: peer)
            return PaykitReceipt(try await client.checkout().agree(inquiry, over: channel).receipt)
        }
    }

    /// Offers endpoints to the other side alone.
    ///
    /// - Returns: the methods that were accepted.
    /// - Throws: ``PaykitError``; the channel is closed then.
    public func offer(_ offers: [PaykitChannelOffer]) async throws -> [String] {
        let messages = offers.map {
            ChannelMessage.Offer($0.endpoint, expiresAt: $0.expiresAt.map { Int64(clamping: $0.timeIntervalSince1970) })
        }
        do { return try await channel.offer(messages) } catch { throw PaykitError(error) }
    }

    /// Closes the channel.
    public func close() { channel.close() }
}

/// A payee's listener for private channels.
public final class PaykitListener: Sendable {
    /// The address that payers connect to, as it was published.
    public let endpoint: PaykitNoiseEndpoint
    private let listener: PayeeListener

    init(_ listener: PayeeListener, at endpoint: PaykitNoiseEndpoint) {
        self.listener = listener
        self.endpoint = endpoint
    }

    deinit { listener.close() }

    /// Answers payers until the task is cancelled, or the listener is closed.
    public func run() async { await listener.run() }

    /// Stops listening.
    public func close() { listener.close() }
}

// MARK: - Requests

/// Requests for payments, sealed on their senders' homeservers.
extension PaykitClient {
    /// Asks a user to pay. Only they can read the request. `amount` is the amount in satoshis. `method` is the method,
    /// such as `lightning`. `note` is the purpose. `lifetime` is the time until it expires; nil for no expiry.
    ///
    /// - Returns: the request.
    /// - Throws: ``PaykitError``, of the type `methodNotSupported` when they have published no key to seal it for.
    public func requestPayment(
        fromPubkey pubkey: String, amount: UInt64, method: String = "lightning", note: String? = nil,
        lifetime: Duration? = nil
    ) async throws -> PaykitPaymentRequest {
        try await signedIn { session in
            let now = Int64(clock.now.timeIntervalSince1970)
            let request = PaykitPaymentRequest(
                id: "req_\(random.uuid())", sender: session.user, recipient: try Self.key(pubkey), amount: amount,
                methodID: method, note: note, createdAt: now, expiresAt: lifetime.map { now + $0.components.seconds })
            try await messageStore().leave(
                request.content, as: .request, named: request.id, for: request.recipient, session)
            return request
        }
    }

    /// Withdraws one of this user's requests.
    ///
    /// - Returns: true if it was still there.
    /// - Throws: ``PaykitError``.
    @discardableResult
    public func withdraw(_ request: PaykitPaymentRequest) async throws -> Bool {
        try await signedIn { session in
            try await messageStore().takeBack(.request, request.id, for: request.recipient, session)
        }
    }

    /// Returns the requests that `pubkey` has left for this user: those that are valid, that name the owner of the
    /// storage as their author, and that ``note(_:)`` was not called with.
    ///
    /// - Throws: ``PaykitError``.
    public func paymentRequests(fromPubkey pubkey: String) async throws -> [PaykitPaymentRequest] {
        try await mappingErrors {
            let (sender, own) = (try Self.key(pubkey), try identity().owner.publicKey)
            let now = Int64(clock.now.timeIntervalSince1970)
            var found: [PaykitPaymentRequest] = []
            for letter in try await messageStore().messages(.request, from: sender).messages {
                guard let request = PaykitPaymentRequest(letter, for: own), !request.isOver(at: now),
                    try await !receipts.isNoted(letter.arrival)
                else { continue }
                found.append(request)
            }
            return found
        }
    }

    /// Records that a request was dealt with: paid, declined or shown. It is not returned again.
    ///
    /// - Returns: true if it was not recorded before: for one of several devices that share a store.
    /// - Throws: ``PaykitError``.
    @discardableResult
    public func note(_ request: PaykitPaymentRequest) async throws -> Bool {
        try await mappingErrors {
            let arrival = ChannelArrival(
                kind: SealedMessageStore.Kind.request.rawValue, sender: request.sender.text, name: request.id)
            return try await receipts.note(arrival)
        }
    }

    /// Publishes the key that others use to seal messages for this user: requests, and proposals of subscriptions. It
    /// names no address to connect to; ``listen(at:asHost:port:for:)`` publishes the same key with one.
    public func publishMessageKey() async throws {
        try await signedIn { session in
            let endpoint = PaykitNoiseEndpoint(
                owner: session.user, host: "pending", port: 0, key: try identity().publicKey)
            guard try await directory.noiseEndpoint(of: session.user)?.key != endpoint.key else { return }
            try await directory.publish(endpoint, session)
        }
    }

    func messageStore() throws(PaykitNetworkError) -> SealedMessageStore {
        SealedMessageStore(directory, try identity(), random: random)
    }
}

// MARK: - The guide's flow

/// The guide's service, which asks a payee for a receipt with the terms of a payment.
public final class InteractivePaymentService: Sendable {
    private let client: PaykitClient?

    /// Creates a service. `client` is the client; nil for that of the guide's functions.
    public init(client: PaykitClient? = nil) { self.client = client }

    /// Asks for a receipt. Nothing is paid. `amount` is in satoshis. `method` is the method, such as `lightning`.
    ///
    /// - Returns: the receipt, with the payee's invoice or address among its metadata.
    /// - Throws: ``PaykitError``.
    public func requestReceipt(fromPubkey: String, amount: UInt64, method: String) async throws -> PaykitReceipt {
        let client = if let client { client } else { try Paykit.client() }
        return try await client.requestReceipt(
            fromPubkey: fromPubkey,
            PaykitReceiptRequest(amount: amount, method: method, metadata: ["description": "Payment request"]))
    }
}

/// Returns the address and the key of a user's private channel (the guide's first step).
///
/// - Throws: ``PaykitError``, of the type `methodNotSupported` when they have published none.
public func resolveNoiseKey(pubkey: String) async throws -> PaykitNoiseEndpoint {
    guard let endpoint = try await Paykit.client().noiseEndpoint(pubkey: pubkey) else {
        throw PaykitError(.methodNotSupported, "\(pubkey) cannot be spoken to privately")
    }
    return endpoint
}

/// Opens a private channel (the guide's second step). `peerKey` is the result of ``resolveNoiseKey(pubkey:)``.
///
/// - Throws: ``PaykitError``.
public func establishNoiseChannel(peerKey: PaykitNoiseEndpoint) async throws -> PaykitNoiseChannel {
    try await Paykit.client().openChannel(to: peerKey)
}

extension Int64 {
    /// Creates the seconds of a time, as near as possible.
    fileprivate init(clamping seconds: Double) {
        self = Int64(exactly: seconds.rounded(.down)) ?? (seconds > 0 ? .max : 0)
    }
}
