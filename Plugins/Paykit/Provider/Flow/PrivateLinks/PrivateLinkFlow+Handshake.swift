import PaymentCore
import PaymentCrypto

/// How a link comes about, and how it begins anew (Protocol 12.8).
extension PrivateLinkFlow {
    func handshake(
        _ record: PrivateLinkRecord, _ ends: Ends, hearing more: [UInt8]? = nil
    ) throws(NoiseError) -> PrivateLinkHandshake {
        guard let ephemeral = Hex.decode(record.ephemeral) else { throw .key }
        let heard = record.heard.compactMap { Base64URL.decode($0) } + (more.map { [$0] } ?? [])
        return try PrivateLinkHandshake(form, keys, begins: ends.begins, ephemeral: ephemeral, heard: heard)
    }

    /// Looks whether the peer has begun anew.
    func observe(_ held: inout Held, _ ends: Ends) async throws(PaykitNetworkError) {
        guard case .file(let file) = try await ends.peers.read(ends.files.peersMarker),
            // What cannot be read asks for nothing.
            let marker = (try? RecoveryMarker(file.content)).flatMap(\.self),
            marker.attemptID != held.record.peerAttempt
        else { return }
        held.record.peerAttempt = marker.attemptID
        // Who has heard nothing of this handshake yet has nothing to give up: it may well be the peer's new one.
        let isFresh = held.record.phase != .linked && held.record.heard.isEmpty
        if !isFresh { held.record.begin(ephemeral: draw()) }
        try await keep(&held)
    }

    /// Gives the link up, and asks the peer to do the same.
    func recover(_ held: inout Held) async throws(PaykitNetworkError) {
        ask(&held.record)
        held.record.begin(ephemeral: draw())
        try await keep(&held)
    }

    private func ask(_ record: inout PrivateLinkRecord) {
        record.ownAttempt = EventID.draw(random)
        record.ownAttemptAt = moment.text
        record.isMarkerDue = true
    }

    /// Takes away what an earlier link has left behind.
    func clear(_ held: inout Held, _ ends: Ends) async throws(PaykitNetworkError) {
        guard held.record.phase == .clearing else { return }
        if held.record.begun == 1, held.record.ownAttempt == nil,
            let names = try await ends.own.list(ends.files.own, limit: 1, isShallow: true), !names.isEmpty
        {
            // There was a link that nothing is known of any more here. The peer still speaks over it.
            ask(&held.record)
            try await keep(&held)
        }
        try await PrivateLinkFiles.clear(ends.files.own, at: ends.own, ends.session)
        held.record.phase = .handshaking
        try await keep(&held)
    }

    /// Writes this side's marker, where it may not lie there yet, and again where something late has hurt it: until the
    /// link stands, the peer may not know of it.
    func announce(_ held: inout Held, _ ends: Ends) async throws(PaykitNetworkError) {
        guard held.record.isMarkerDue || held.record.phase != .linked, let attempt = held.record.ownAttempt,
            let at = held.record.ownAttemptAt.flatMap({ PrivateLinkTime($0) })
        else { return }
        try await put(RecoveryMarker(attemptID: attempt, createdAt: at).bytes, at: ends.files.ownMarker, ends)
        guard held.record.isMarkerDue else { return }
        held.record.isMarkerDue = false
        try await keep(&held)
    }

    /// Brings the handshake on.
    ///
    /// - Returns: whether it is done.
    func shake(_ held: inout Held, _ ends: Ends) async throws(PaykitNetworkError) -> Bool {
        // Who begins also ends it, and has to see to the end of it until the peer has said something on the link.
        if held.record.phase == .linked, ends.begins, held.record.place.received == 0 {
            try await write(known(held.record, ends), ends)
        }
        while held.record.phase != .linked {
            let known = try known(held.record, ends)
            try await write(known, ends)
            guard let awaited = known.awaited else {
                held.record.peerStatic = known.handshake.remoteStatic.map { Hex.encode($0) }
                held.record.phase = .linked
                held.record.unreadable = 0
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

    /// Writes this side's last message of the handshake, whenever it does not lie there: the same key gives the same
    /// messages.
    private func write(_ known: PrivateLinkHandshake, _ ends: Ends) async throws(PaykitNetworkError) {
        guard let message = known.own.last else { return }
        let file: [UInt8]
        do { file = try PrivateLinkForm.handshakeFile(message.message) } catch {
            throw PaykitNetworkError(.storage, "what is kept of a private link makes no link")
        }
        try await put(file, message.slot, ends)
    }

    /// Hears the peer's next message of the handshake.
    ///
    /// - Returns: whether there is one that fits.
    private func hear(_ slot: UInt32, _ held: inout Held, _ ends: Ends) async throws(PaykitNetworkError) -> Bool {
        guard case .file(let file) = try await ends.peers.read(try PrivateLinkFiles.slot(slot, in: ends.files.peers))
        else {
            return false
        }
        guard let message = try? PrivateLinkForm.handshakeMessage(file.content),
            let next = try? handshake(held.record, ends, hearing: message), isPeers(next, held.record)
        else {
            // Of an earlier link, perhaps: then the peer will write another.
            held.record.unreadable += 1
            if held.record.isStuck { try await recover(&held) } else { try await keep(&held) }
            return false
        }
        held.record.heard.append(Base64URL.encode(message))
        held.record.unreadable = 0
        try await keep(&held)
        return true
    }

    /// Whether the key that the peer shows is the one that was seen before.
    private func isPeers(_ next: PrivateLinkHandshake, _ record: PrivateLinkRecord) -> Bool {
        guard let known = record.peerStatic, let shown = next.handshake.remoteStatic else { return true }
        return Hex.encode(shown) == known
    }

    /// Whether the peer has put another beginning in the place of the one that was answered; then that one is answered.
    private func hasBegunAgain(_ held: inout Held, _ ends: Ends) async throws(PaykitNetworkError) -> Bool {
        guard case .file(let file) = try await ends.peers.read(try PrivateLinkFiles.slot(0, in: ends.files.peers)),
            let message = try? PrivateLinkForm.handshakeMessage(file.content), !message.isEmpty,
            held.record.heard.first != Base64URL.encode(message)
        else { return false }
        held.record.begin(ephemeral: draw(), keepingFiles: true)
        try await keep(&held)
        return true
    }
}
