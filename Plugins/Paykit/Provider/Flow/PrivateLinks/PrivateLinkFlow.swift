package import PaymentCore
import PaymentCrypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Payments over private links (Protocol 12): a link connects two apps by files on both homeservers, so that they need
/// not be online at the same time. Call ``poll(_:_:_:)`` regularly; whatever happens between two calls, no message is
/// sent twice with different content, and no payment is made twice or forgotten.
package struct PrivateLinkFlow: Sendable {
    let user: PubkyKey
    let receiver: PaykitReceiverPath
    let keys: PrivateLinkKeys
    let reader: PubkyReader
    let clock: any PaymentClock
    let random: any RandomSource
    let form: PrivateLinkForm
    private let store: any SealedStateStore
    private let seal: PrivateLinkSeal

    /// The most messages that are read at a time.
    static let mostMessages = 64

    package init(
        _ user: PubkyKey, as receiver: PaykitReceiverPath, _ keys: PrivateLinkKeys, _ reader: PubkyReader,
        store: any SealedStateStore, clock: any PaymentClock, random: any RandomSource, form: PrivateLinkForm = .n1
    ) {
        self.user = user
        self.receiver = receiver
        self.keys = keys
        self.reader = reader
        self.store = store
        self.clock = clock
        self.random = random
        self.form = form
        seal = PrivateLinkSeal(keys)
    }

    // MARK: What is kept

    /// A stored record with its number.
    struct Held {
        let party: PrivateLinkParty
        var record: PrivateLinkRecord
        var number: UInt64
    }

    /// The progress of a link.
    package enum Status: Sendable, Hashable {
        /// The peer's next file of the handshake is awaited.
        case linking
        /// A file there cannot be read: it is of an earlier link, or of an unsupported form.
        case unreadable
        case linked
    }

    package func party(_ peer: PubkyKey, _ peerReceiver: PaykitReceiverPath) throws(PaykitNetworkError)
        -> PrivateLinkParty
    {
        guard peer != user else {
            throw PaykitNetworkError(.validationFailed, "a private link with oneself is not possible")
        }
        return PrivateLinkParty(user, receiver, with: peer, peerReceiver)
    }

    /// Returns the stored state of a link; nil before its first poll.
    func held(_ party: PrivateLinkParty) async throws(PaykitNetworkError) -> Held? {
        let state: SealedState?
        do { state = try await store.state(named: party.name) } catch {
            throw PaykitNetworkError(.storage, "what is kept of a private link cannot be read: \(error)")
        }
        guard let state else { return nil }
        return Held(party: party, record: try seal.open(state, named: party.name), number: state.number)
    }

    /// Stores changes. Nothing that follows from them leaves the device before.
    func keep(_ held: inout Held) async throws(PaykitNetworkError) {
        let state = try seal.seal(held.record, named: held.party.name, number: held.number + 1, random)
        let isKept: Bool
        do { isKept = try await store.keep(state, named: held.party.name) } catch {
            throw PaykitNetworkError(.storage, "what is known of a private link cannot be kept: \(error)")
        }
        guard isKept else {
            throw PaykitNetworkError(.storage, "this private link is in use at the same time elsewhere: try again")
        }
        held.number += 1
    }

    /// Changes the stored state of a link, in up to eight attempts where other programs change it at the same time.
    func change<Value>(
        _ party: PrivateLinkParty, _ work: (inout PrivateLinkRecord) throws(PaykitNetworkError) -> Value
    ) async throws(PaykitNetworkError) -> Value {
        var last: PaykitNetworkError?
        for _ in 0..<8 {
            guard var held = try await held(party) else {
                throw PaykitNetworkError(.notInitialized, "there is no private link with \(party.peer) yet: poll first")
            }
            let before = held.record
            let value = try work(&held.record)
            guard held.record != before else { return value }
            do throws(PaykitNetworkError) {
                try await keep(&held)
                return value
            } catch {
                guard error.code == .storage else { throw error }
                last = error
            }
        }
        throw last ?? PaykitNetworkError(.storage, "this private link cannot be changed: try again")
    }

    // MARK: A look

    /// Advances the link as far as possible: sends this side's messages, and reads the peer's.
    ///
    /// - Returns: the progress of the link.
    /// - Throws: ``PaykitNetworkError``. The next call repeats the step that failed.
    @discardableResult
    package func poll(
        _ peer: PubkyKey, _ peerReceiver: PaykitReceiverPath, _ session: PubkySession
    ) async throws(PaykitNetworkError) -> Status {
        let party = try party(peer, peerReceiver)
        guard let begins = PrivateLinkParties.begins(user, with: peer) else {
            throw PaykitNetworkError(.validationFailed, "a private link with oneself is not possible")
        }
        let peersServer = try await reader.homeserver(of: peer)
        let peerKey = try await key(of: peer, peerReceiver, at: peersServer)
        var held: Held
        if let known = try await self.held(party) {
            held = known
        } else {
            let record = PrivateLinkRecord(
                peerKey: peerKey.text, agreement: try agreement(with: peerKey, of: party), ephemeral: draw())
            held = Held(party: party, record: record, number: 0)
            try await keep(&held)
        }
        if held.record.peerKey != peerKey.text {
            // Another key means another folder, in which no message of the old link can be read.
            held.record.agreement = Hex.encode(try agreement(with: peerKey, of: party))
            held.record.peerKey = peerKey.text
            held.record.peerStatic = nil
            held.record.begin(ephemeral: draw())
            try await keep(&held)
        }
        guard let shared = Hex.decode(held.record.agreement), shared.count == 32 else {
            throw PaykitNetworkError(.storage, "what is kept of a private link makes no link")
        }
        let files = try PrivateLinkFiles(party, keys, peerKey: peerKey, shared)
        let ownServer = try await reader.homeserver(of: user)
        let ends = Ends(own: ownServer, peers: peersServer, files: files, session: session, begins: begins)
        try await observe(&held, ends)
        try await clear(&held, ends)
        try await announce(&held, ends)
        guard try await shake(&held, ends) else { return held.record.unreadable > 0 ? .unreadable : .linking }
        guard try await receive(&held, ends) else { return .linking }
        try await mend(held, ends)
        try await send(&held, ends)
        try await fetchReceipts(&held, ends)
        return .linked
    }

    private func agreement(with key: PubkyKey, of party: PrivateLinkParty) throws(PaykitNetworkError) -> [UInt8] {
        do { return try keys.agreement(with: key) } catch {
            throw PaykitNetworkError(
                .invalidData, "\(party.peer) publishes a key that no private link can be made with")
        }
    }

    /// Both homeservers, and the link's files there.
    struct Ends {
        let own: Homeserver
        let peers: Homeserver
        let files: PrivateLinkFiles
        let session: PubkySession
        let begins: Bool
    }

    /// The current time of this side.
    var moment: PrivateLinkTime { PrivateLinkTime(seconds: Int64(clock.now.timeIntervalSince1970)) }

    func draw() -> [UInt8] { (0..<4).flatMap { _ in random.next().bigEndianBytes } }

    // MARK: Messages

    /// Reads the peer's messages.
    ///
    /// - Returns: true if the link is still established.
    private func receive(_ held: inout Held, _ ends: Ends) async throws(PaykitNetworkError) -> Bool {
        var channel = try channel(held, ends)
        var isChanged = false
        for _ in 0..<Self.mostMessages {
            let slot = try PrivateLinkFiles.slot(channel.readSlot, in: ends.files.peers)
            guard case .file(let file) = try await ends.peers.read(slot) else {
                guard try await isLost(channel.readSlot, ends) else { break }
                try await recover(&held)
                return false
            }
            let message: [UInt8]
            do { message = try channel.read(file.content) } catch {
                // An unreadable message stays unreadable, and so do those after it: both sides begin anew.
                try await recover(&held)
                return false
            }
            held.record.hear(message, from: held.party.peerReceiver)
            held.record.place = channel.place
            isChanged = true
        }
        // Messages and place are stored together: a crash before this reads the same files again, one after it none.
        if isChanged { try await keep(&held) }
        return true
    }

    /// Returns true if a file is missing that was there before: the next one exists, and files are written in order.
    private func isLost(_ slot: UInt32, _ ends: Ends) async throws(PaykitNetworkError) -> Bool {
        let next = try PrivateLinkFiles.slot(slot + 1, in: ends.files.peers)
        guard case .file = try await ends.peers.read(next) else { return false }
        // Both may have been written in between.
        guard case .missing = try await ends.peers.read(try PrivateLinkFiles.slot(slot, in: ends.files.peers)) else {
            return false
        }
        return true
    }

    /// Writes the last file again where a late write has removed it: no later file would show that.
    private func mend(_ held: Held, _ ends: Ends) async throws(PaykitNetworkError) {
        guard let last = held.record.last, let file = Base64URL.decode(last.file) else { return }
        try await put(file, last.slot, ends)
    }

    /// Writes a file at its number, unless it is there already.
    func put(_ file: [UInt8], _ slot: UInt32, _ ends: Ends) async throws(PaykitNetworkError) {
        try await put(file, at: PrivateLinkFiles.slot(slot, in: ends.files.own), ends)
    }

    /// Writes a file, unless it is there already.
    func put(_ file: [UInt8], at address: PubkyAddress, _ ends: Ends) async throws(PaykitNetworkError) {
        if case .file(let known) = try await ends.own.read(address), known.content == file { return }
        try await ends.own.write(file, to: address, ends.session)
    }

    /// Sends the queued messages.
    private func send(_ held: inout Held, _ ends: Ends) async throws(PaykitNetworkError) {
        try await flush(&held, ends)
        while !held.record.outbox.isEmpty {
            var channel = try channel(held, ends)
            let prepared: PrivateLinkChannel.Prepared
            do { prepared = try channel.prepare(Array(held.record.outbox[0].utf8)) } catch {
                try await recover(&held)
                return
            }
            held.record.outbox.removeFirst()
            held.record.place = channel.place
            held.record.pending = PrivateLinkRecord.Pending(slot: prepared.slot, file: Base64URL.encode(prepared.file))
            // The number is used from here on, whether the file arrives or not.
            try await keep(&held)
            try await flush(&held, ends)
        }
    }

    /// Writes the file that may not have arrived: the same bytes at the same place.
    private func flush(_ held: inout Held, _ ends: Ends) async throws(PaykitNetworkError) {
        guard let pending = held.record.pending, let file = Base64URL.decode(pending.file) else { return }
        try await ends.own.write(file, to: try PrivateLinkFiles.slot(pending.slot, in: ends.files.own), ends.session)
        held.record.last = pending
        held.record.pending = nil
        try await keep(&held)
    }

    private func channel(_ held: Held, _ ends: Ends) throws(PaykitNetworkError) -> PrivateLinkChannel {
        do {
            return try PrivateLinkChannel(form, try handshake(held.record, ends).handshake, held.record.place)
        } catch { throw PaykitNetworkError(.storage, "what is kept of a private link makes no link") }
    }
}
