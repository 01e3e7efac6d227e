import PaymentCrypto

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
                // An unreadable message stays unreadable, and so do those after it: both sides begin anew.
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

    /// Writes the last file again where a late write has removed it: no later file would show that. Returns true if the
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

    /// Writes a message's file where there is none. Another one is there when this state is older than the link: the
    /// two would be encrypted under one number, so that both sides begin anew in place of writing.
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
