import PaymentCrypto

/// The peer's key, and whether this is the only copy of the link (Protocol 12.8).
extension PrivateLinkFlow {
    package struct PeerKeys: Sendable, Hashable {
        package let trusted: PubkyKey
        /// Another key that the app shows, and that is not confirmed; nil while it shows the trusted one.
        package let shown: PubkyKey?
    }

    /// Returns the keys of a peer's app; nil before the first poll.
    package func peerKeys(_ party: PrivateLinkParty) async throws(PaykitNetworkError) -> PeerKeys? {
        guard let record = try await held(party)?.record, let trusted = try? PubkyKey(record.peerKey) else {
            return nil
        }
        return PeerKeys(trusted: trusted, shown: record.shownKey.flatMap { try? PubkyKey($0) })
    }

    /// Trusts the key that the peer's app shows now in place of the one before. The link begins anew with it; what is
    /// still to be paid is said again. Throws ``PaykitNetworkError``; `notFound` when the app does not show this key.
    package func trust(_ key: PubkyKey, _ party: PrivateLinkParty) async throws(PaykitNetworkError) {
        let ephemeral = random.bytes(32)
        try await change(party) { record throws(PaykitNetworkError) in
            guard record.peerKey != key.text else { return }
            guard record.shownKey == key.text else {
                throw PaykitNetworkError(
                    .notFound,
                    "the app '\(party.peerReceiver)' of \(party.peer) does not show this key: poll the link, and "
                        + "compare the key that it shows")
            }
            record.trust(key, ephemeral: ephemeral)
        }
    }

    /// Returns the number that both sides see for a key of the peer's app, if it is theirs and they see this app's: 60
    /// digits in twelve groups, to be compared in person.
    package func safetyNumber(with key: PubkyKey, _ party: PrivateLinkParty) -> String {
        let sides = [
            "\(party.user)/\(party.receiver)/\(keys.routing)", "\(party.peer)/\(party.peerReceiver)/\(key)",
        ].sorted()
        let hash = Digest.sha512.hash(Array((["paykit safety number"] + sides).joined(separator: "\n").utf8))
        return (0..<12).map { group in
            let number = hash[(group * 5)..<(group * 5 + 5)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 100_000
            return String(repeating: "0", count: 5 - String(number).count) + String(number)
        }.joined(separator: " ")
    }

    /// Returns true if the peer's app shows the trusted key. Another one is stored, which stops all payments.
    func isTrusted(_ shown: PubkyKey, _ held: inout Held) async throws(PaykitNetworkError) -> Bool {
        let other = shown.text == held.record.peerKey ? nil : shown.text
        if held.record.shownKey != other {
            held.record.shownKey = other
            try await keep(&held)
        }
        return other == nil
    }

    /// Returns false if another copy of this app has begun the link anew while this one was running. A program that has
    /// just started takes the link over in that case, and also where what it has stored is older than the link, as
    /// after a backup was restored: both sides begin anew, and no number is used twice.
    func isAlone(_ held: inout Held, _ ends: Ends) async throws(PaykitNetworkError) -> Bool {
        let others = try await foreignMarker(held.record, ends)
        guard held.channel.recovery.process != process else {
            guard let others else { return true }
            // An older one was written late, by what has led to this state or was lost with an earlier one.
            guard others.createdAt > held.channel.recovery.lastBegun else {
                held.channel.recovery.isMarkerDue = held.channel.recovery.ownAttempt != nil
                return true
            }
            return false
        }
        held.channel.recovery.process = process
        held.channel.recovery.since = moment.text
        let isBehind = others != nil ? true : try await isOlder(held.record, ends)
        if isBehind { try await recover(&held, after: others?.createdAt) } else { try await keep(&held) }
        return true
    }

    private func foreignMarker(
        _ record: PrivateLinkRecord, _ ends: Ends
    ) async throws(PaykitNetworkError) -> RecoveryMarker? {
        guard let file = try await ends.own.read(ends.files.ownMarker),
            let marker = (try? RecoveryMarker(file)).flatMap(\.self),
            !record.channel.recovery.hasAsked(marker.attemptID)
        else { return nil }
        return marker
    }

    /// Returns true if this side's folder holds a file that this state has not written.
    private func isOlder(_ record: PrivateLinkRecord, _ ends: Ends) async throws(PaykitNetworkError) -> Bool {
        guard record.channel.phase == .linked else { return false }
        return try await PrivateLinkFiles.has(from: record.channel.place.writeSlot, in: ends.files.own, at: ends.own)
    }
}

extension PrivateLinkRecord {
    /// Throws where the peer's app shows a key that is not confirmed: then no payment begins.
    func requireTrust() throws(PaykitNetworkError) {
        guard shownKey != nil else { return }
        throw PaykitNetworkError(
            .paymentRejected,
            "the payee's app has another key than before, and nothing is paid to it: compare the safety number with the "
                + "payee, and confirm the key")
    }
}
