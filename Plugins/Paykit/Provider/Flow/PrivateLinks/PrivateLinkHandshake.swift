import PaymentCrypto

/// The handshake of a link (Protocol 12.2), computed each time from the stored ephemeral key and the peer's messages,
/// so that no intermediate state is stored.
struct PrivateLinkHandshake: Sendable {
    let handshake: NoiseHandshake
    let own: [(slot: UInt32, message: [UInt8])]
    /// The number of the peer's next file; nil when the handshake is complete.
    let awaited: UInt32?

    /// - Parameter heard: the peer's messages, in their order.
    init(_ keys: PrivateLinkKeys, begins: Bool, ephemeral: [UInt8], heard: [[UInt8]]) throws(NoiseError) {
        var handshake = try NoiseHandshake(
            PrivateLinkForm.suite, begins ? .initiator : .responder, prologue: [], ownStatic: keys.noiseSecret,
            ownEphemeral: ephemeral)
        var own: [(slot: UInt32, message: [UInt8])] = []
        var rest = heard[...]
        var awaited: UInt32?
        for slot in 0..<PrivateLinkChannel.firstSlot {
            if slot.isMultiple(of: 2) == begins {
                own.append((slot, try handshake.write([])))
            } else if let message = rest.popFirst() {
                // No known form has payloads in the handshake's messages.
                guard try handshake.read(message).isEmpty else { throw .untrusted }
            } else {
                awaited = slot
                break
            }
        }
        self.handshake = handshake
        self.own = own
        self.awaited = awaited
    }
}

/// The setup and the recovery of a link (Protocol 12.8).
extension PrivateLinkFlow {
    func handshake(
        _ record: PrivateLinkRecord, _ ends: Ends, hearing more: [UInt8]? = nil
    ) throws(NoiseError) -> PrivateLinkHandshake {
        guard let ephemeral = Hex.decode(record.channel.ephemeral) else { throw .key }
        let heard = record.channel.heard.compactMap { Base64URL.decode($0) } + (more.map { [$0] } ?? [])
        return try PrivateLinkHandshake(keys, begins: ends.begins, ephemeral: ephemeral, heard: heard)
    }

    /// Checks for a new recovery of the peer, and follows it.
    func observe(_ held: inout Held, _ ends: Ends) async throws(PaykitNetworkError) {
        guard let file = try await ends.peers.read(ends.files.peersMarker),
            // An unreadable marker is ignored.
            let marker = (try? RecoveryMarker(file)).flatMap(\.self),
            marker.attemptID != held.channel.recovery.peerAttempt
        else { return }
        held.channel.recovery.peerAttempt = marker.attemptID
        // A handshake without a message of the peer has nothing to abandon: it may be the peer's new one.
        let isFresh = held.channel.phase != .linked && held.channel.heard.isEmpty
        if !isFresh { held.record.begin(ephemeral: random.bytes(32)) }
        try await keep(&held)
    }

    /// Abandons the link, and asks the peer to do the same. `others` is the time of another copy's request: this one is
    /// later, whatever the clocks say.
    func recover(_ held: inout Held, after others: PrivateLinkTime? = nil) async throws(PaykitNetworkError) {
        let later = others.map { PrivateLinkTime(seconds: $0.seconds + 1) }
        held.channel.recovery.ask(EventID.draw(random), at: max(moment, later ?? moment))
        held.record.begin(ephemeral: random.bytes(32))
        try await keep(&held)
    }

    func clear(_ held: inout Held, _ ends: Ends) async throws(PaykitNetworkError) {
        guard held.channel.phase == .clearing else { return }
        if held.channel.recovery.begun == 1, held.channel.recovery.ownAttempt == nil,
            let names = try await ends.own.list(ends.files.own, limit: 1, isShallow: true), !names.isEmpty
        {
            // There was a link, and this device has no state of it. The peer still uses it.
            held.channel.recovery.ask(EventID.draw(random), at: moment)
            try await keep(&held)
        }
        try await PrivateLinkFiles.clear(ends.files.own, at: ends.own, ends.session)
        held.channel.phase = .handshaking
        try await keep(&held)
    }

    func announce(_ held: inout Held, _ ends: Ends) async throws(PaykitNetworkError) {
        guard held.channel.recovery.isMarkerDue, let attempt = held.channel.recovery.ownAttempt,
            let at = held.channel.recovery.ownAttemptAt.flatMap({ PrivateLinkTime($0) })
        else { return }
        try await put(RecoveryMarker(attemptID: attempt, createdAt: at).bytes, at: ends.files.ownMarker, ends)
        held.channel.recovery.isMarkerDue = false
        try await keep(&held)
    }

    /// Advances the handshake. Returns true if it is complete.
    func shake(_ held: inout Held, _ ends: Ends) async throws(PaykitNetworkError) -> Bool {
        // The initiator also writes the last message, and keeps it in place until the peer has sent a message on the
        // link.
        if held.channel.phase == .linked, ends.begins, held.channel.place.received == 0 {
            try await write(known(held.record, ends), ends)
        }
        while held.channel.phase != .linked {
            let known = try known(held.record, ends)
            try await write(known, ends)
            guard let awaited = known.awaited else {
                held.record.peerStatic = known.handshake.remoteStatic.map { Hex.encode($0) }
                held.channel.phase = .linked
                held.channel.unreadable = 0
                try await keep(&held)
                return true
            }
            if awaited == 2, try await hasBegunAgain(&held, ends) { continue }
            guard try await hear(awaited, &held, ends) else { return false }
        }
        return true
    }

    private func known(_ record: PrivateLinkRecord, _ ends: Ends) throws(PaykitNetworkError) -> PrivateLinkHandshake {
        do { return try handshake(record, ends) } catch {
            throw PaykitNetworkError(.invalidData, PrivateLinkForm.laterForm)
        }
    }

    /// Writes this side's last message of the handshake if it is missing: the same key yields the same messages.
    private func write(_ known: PrivateLinkHandshake, _ ends: Ends) async throws(PaykitNetworkError) {
        guard let message = known.own.last else { return }
        let file: [UInt8]
        do { file = try PrivateLinkForm.file(of: message.message) } catch {
            throw PaykitNetworkError(.storage, "what is kept of a private link makes no link")
        }
        try await put(file, message.slot, ends)
    }

    /// Reads the peer's next message of the handshake. Returns true if there is one that fits.
    private func hear(_ slot: UInt32, _ held: inout Held, _ ends: Ends) async throws(PaykitNetworkError) -> Bool {
        guard let file = try await ends.peers.read(try PrivateLinkFiles.slot(slot, in: ends.files.peers)) else {
            // A late write has removed it, and the peer may be past it.
            if try await isLost(slot, ends) { try await hasFailed(&held) }
            return false
        }
        guard let message = try? PrivateLinkForm.message(in: file),
            let next = try? handshake(held.record, ends, hearing: message), isPeers(next, held.record)
        else {
            // It may be of an earlier link: then the peer will write another.
            try await hasFailed(&held)
            return false
        }
        held.channel.heard.append(Base64URL.encode(message))
        held.channel.unreadable = 0
        try await keep(&held)
        return true
    }

    /// Counts a poll that cannot read the peer's file. After too many, both sides begin again.
    private func hasFailed(_ held: inout Held) async throws(PaykitNetworkError) {
        held.channel.unreadable += 1
        if held.channel.isStuck { try await recover(&held) } else { try await keep(&held) }
    }

    /// Returns true unless the peer shows another key than before.
    private func isPeers(_ next: PrivateLinkHandshake, _ record: PrivateLinkRecord) -> Bool {
        guard let known = record.peerStatic, let shown = next.handshake.remoteStatic else { return true }
        return Hex.encode(shown) == known
    }

    /// Returns true if the peer has replaced its answered first message. The handshake then restarts with the new one.
    private func hasBegunAgain(_ held: inout Held, _ ends: Ends) async throws(PaykitNetworkError) -> Bool {
        guard let file = try await ends.peers.read(try PrivateLinkFiles.slot(0, in: ends.files.peers)),
            let message = try? PrivateLinkForm.message(in: file), !message.isEmpty,
            held.channel.heard.first != Base64URL.encode(message)
        else { return false }
        held.record.begin(ephemeral: random.bytes(32), keepingFiles: true)
        try await keep(&held)
        return true
    }
}
