import PaymentCrypto

/// The files of one link on both homeservers (Protocol 12.2).
struct PrivateLinkFiles: Sendable {
    let own: PubkyAddress
    let peers: PubkyAddress
    let ownMarker: PubkyAddress
    let peersMarker: PubkyAddress

    /// The most rounds of emptying a folder: a homeserver could list files without end.
    private static let mostRounds = 50

    init(_ parties: PrivateLinkParty, _ keys: PrivateLinkKeys, peerKey: PubkyKey, _ shared: [UInt8])
        throws(PaykitNetworkError)
    {
        do {
            func folder(_ purpose: PrivateLinkParty.Purpose, _ writer: PubkyKey) -> String {
                parties.folder(purpose, agreement: shared, writer: writer)
            }
            own = try PubkyAddress(
                parties.user, path: PrivateLinkParty.messages(parties.receiver, folder(.messages, keys.routing)))
            peers = try PubkyAddress(
                parties.peer, path: PrivateLinkParty.messages(parties.peerReceiver, folder(.messages, peerKey)))
            ownMarker = try PubkyAddress(
                parties.user, path: PrivateLinkParty.marker(parties.receiver, folder(.recovery, keys.routing)))
            peersMarker = try PubkyAddress(
                parties.peer, path: PrivateLinkParty.marker(parties.peerReceiver, folder(.recovery, peerKey)))
        } catch {
            throw PaykitNetworkError(.validationFailed, "a private link with \(parties.peer) has no place: \(error)")
        }
    }

    static func slot(_ number: UInt32, in folder: PubkyAddress) throws(PaykitNetworkError) -> PubkyAddress {
        try PubkyAddress(in: folder.owner, at: folder.path + "\(number)")
    }

    /// Returns true if a folder holds a file of a number, or of a higher one.
    static func has(
        from number: UInt32, in folder: PubkyAddress, at server: Homeserver
    ) async throws(PaykitNetworkError) -> Bool {
        // Names are sorted as texts: those with as many digits as the number, then those with more.
        for start in ["\(number)", "1" + String(repeating: "0", count: "\(number)".count)] {
            // The beginning of a name is sorted before it.
            var cursor =
                start.utf8.count > 1 ? try PubkyAddress(in: folder.owner, at: folder.path + start.dropLast()) : nil
            for _ in 0..<mostRounds {
                guard let names = try await server.list(folder, after: cursor, isShallow: true), !names.isEmpty else {
                    break
                }
                let numbers = names.compactMap { UInt32($0.path.dropFirst(folder.path.utf8.count)) }
                if numbers.contains(where: { $0 >= number }) { return true }
                cursor = names.last
            }
        }
        return false
    }

    /// Deletes everything in a folder of this side, until nothing is listed there. Returns true if anything was there.
    @discardableResult
    static func clear(
        _ folder: PubkyAddress, at server: Homeserver, _ session: PubkySession
    ) async throws(PaykitNetworkError) -> Bool {
        var found = false
        for _ in 0..<mostRounds {
            guard let names = try await server.list(folder, limit: 100, isShallow: true), !names.isEmpty else {
                return found
            }
            found = true
            for name in names { try await server.delete(name, session) }
        }
        throw PaykitNetworkError(
            .transport, "old private messages cannot be taken away: the homeserver lists them again")
    }
}

/// The messages of an established link (Protocol 12.8).
extension PrivateLinkFlow {
    /// Reads the peer's messages. Returns true if the link is still established.
    func receive(_ held: inout Held, _ ends: Ends) async throws(PaykitNetworkError) -> Bool {
        var channel = try channel(held, ends)
        var isChanged = false
        for _ in 0..<Self.mostMessages {
            let slot = try PrivateLinkFiles.slot(channel.place.readSlot, in: ends.files.peers)
            guard let file = try await ends.peers.read(slot) else {
                guard try await isLost(channel.place.readSlot, ends) else { break }
                try await recover(&held)
                return false
            }
            let message: [UInt8]
            do { message = try channel.read(file) } catch {
                // An unreadable message stays unreadable, and so do those after it: both sides begin again.
                try await recover(&held)
                return false
            }
            if let id = MessageIntake.known(MessageIntake.text(of: message))?.requestID {
                try await states.takeUp(id, &held)
            }
            held.record.hear(message, from: held.party.peerReceiver)
            held.channel.place = channel.place
            isChanged = true
        }
        // Messages and place are stored together: a crash before this reads the same files again, one after it none.
        if isChanged { try await keep(&held) }
        return true
    }

    /// Returns true if the file of a number is missing and one behind it is there: files are written in order.
    func isLost(_ slot: UInt32, _ ends: Ends) async throws(PaykitNetworkError) -> Bool {
        guard slot < .max, try await PrivateLinkFiles.has(from: slot + 1, in: ends.files.peers, at: ends.peers) else {
            return false
        }
        // Both may have been written in between.
        return try await ends.peers.read(try PrivateLinkFiles.slot(slot, in: ends.files.peers)) == nil
    }

    /// Writes the last file again if a late write has removed it: no later file would show that. Returns true if the
    /// link is still established.
    func mend(_ held: inout Held, _ ends: Ends) async throws(PaykitNetworkError) -> Bool {
        guard let last = held.channel.last else { return true }
        return try await write(last, &held, ends)
    }

    /// Writes a file at its number, unless it is there already.
    func put(_ file: [UInt8], _ slot: UInt32, _ ends: Ends) async throws(PaykitNetworkError) {
        try await put(file, at: PrivateLinkFiles.slot(slot, in: ends.files.own), ends)
    }

    /// Writes a file, unless it is there already.
    func put(_ file: [UInt8], at address: PubkyAddress, _ ends: Ends) async throws(PaykitNetworkError) {
        if try await ends.own.read(address) == file { return }
        try await ends.own.write(file, to: address, ends.session)
    }

    /// Sends the queued messages. Returns true if the link is still established.
    func send(_ held: inout Held, _ ends: Ends) async throws(PaykitNetworkError) -> Bool {
        guard try await flush(&held, ends) else { return false }
        while !held.channel.outbox.isEmpty {
            var channel = try channel(held, ends)
            let prepared: PrivateLinkChannel.Prepared
            do { prepared = try channel.prepare(Array(held.channel.outbox[0].utf8)) } catch {
                try await recover(&held)
                return false
            }
            held.channel.outbox.removeFirst()
            held.channel.place = channel.place
            held.channel.pending = PrivateLinkChannelRecord.Pending(
                slot: prepared.slot, file: Base64URL.encode(prepared.file))
            // The number is used from here on, whether the file arrives or not.
            try await keep(&held)
            guard try await flush(&held, ends) else { return false }
        }
        return true
    }

    /// Writes the file that may not have arrived: the same bytes at the same place.
    private func flush(_ held: inout Held, _ ends: Ends) async throws(PaykitNetworkError) -> Bool {
        guard let pending = held.channel.pending else { return true }
        guard try await write(pending, &held, ends) else { return false }
        held.channel.last = pending
        held.channel.pending = nil
        try await keep(&held)
        return true
    }

    /// Writes a message's file if there is none. If another file is there, this state is older than the link. The two
    /// would be encrypted under one number, so both sides begin again instead.
    private func write(
        _ message: PrivateLinkChannelRecord.Pending, _ held: inout Held, _ ends: Ends
    ) async throws(PaykitNetworkError) -> Bool {
        guard let file = Base64URL.decode(message.file) else { return true }
        let address = try PrivateLinkFiles.slot(message.slot, in: ends.files.own)
        switch try await ends.own.read(address) {
        case file: return true
        case .some:
            try await recover(&held)
            return false
        case nil:
            try await ends.own.write(file, to: address, ends.session)
            return true
        }
    }

    private func channel(_ held: Held, _ ends: Ends) throws(PaykitNetworkError) -> PrivateLinkChannel {
        do {
            return try PrivateLinkChannel(try handshake(held.record, ends).handshake, held.channel.place)
        } catch { throw PaykitNetworkError(.storage, "what is kept of a private link makes no link") }
    }
}
