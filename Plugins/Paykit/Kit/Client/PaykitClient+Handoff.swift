public import PaykitProvider
public import PaymentCore

/// Both sides of what a key manager leaves for a device, sealed, on the user's homeserver (Protocol 1.6).
extension PaykitClient {
    /// A question for a handoff, and what opens the answer: keep it until then, and no longer.
    public struct HandoffQuestion: Sendable {
        /// The question: open its ``KeyManagerLink/text``.
        public let link: KeyManagerLink
        /// The private half of the key that was made for it.
        let key: Redacted<[UInt8]>
    }

    /// Asks the key manager for a session and keys of this device.
    ///
    /// - Parameters:
    ///   - deviceID: what this device calls itself, always the same.
    ///   - callback: an address that opens this app.
    ///   - app: this app's name.
    /// - Throws: ``PaykitError`` when the callback is no address.
    public nonisolated func askForHandoff(
        deviceID: String, callback: String, app: String? = nil
    ) throws -> HandoffQuestion {
        let secret = PubkyAuthorization.secret(random)
        let key: [UInt8]
        do { key = try KeyManagerHandoff.KeyPair(epoch: 0, secretKey: secret).publicKey } catch {
            throw PaykitError(error)
        }
        let question = KeyManagerLink.Question.handoff(
            deviceID: deviceID, ephemeralKey: key, includesNextEpoch: true)
        return HandoffQuestion(
            link: try ask(keyManagerFor: question, callback: callback, app: app), key: secret)
    }

    /// Takes what an answer says was left: opens it, tries the session at the homeserver, takes it over, and deletes
    /// the file.
    ///
    /// - Parameters:
    ///   - answer: what the key manager answered to `question`.
    ///   - question: what was asked.
    ///   - pubkey: who is expected, in any form that a key has; nil for anybody. See
    ///     ``importSession(from:expecting:)``.
    /// - Returns: what was handed off; store its keys where nobody else reads them.
    /// - Throws: ``PaykitError``; nothing is taken over then.
    public func takeHandoff(
        _ answer: KeyManagerAnswer, to question: HandoffQuestion, expecting pubkey: String? = nil
    ) async throws -> KeyManagerHandoff {
        let (handoff, file) = try await mappingErrors { () async throws(PaykitNetworkError) in
            guard case .handoff(let user, let id) = answer.content,
                case .handoff(let device, _, _) = question.link.question
            else {
                throw PaykitNetworkError(
                    .validationFailed, "the key manager answered with something else than a handoff")
            }
            guard try pubkey.map({ name throws(PaykitNetworkError) in try Self.key(name) }) ?? user == user else {
                throw PaykitNetworkError(
                    .invalidCredentials, "the handoff is of \(user), and another user's was expected")
            }
            guard let file = try? PubkyAddress(user, path: KeyManagerHandoff.path(id)),
                let bytes = try await reader.file(file)
            else { throw PaykitNetworkError(.notFound, "nothing was left for this device; ask the key manager again") }
            let handoff = try KeyManagerHandoff(opening: bytes, of: user, requestID: id, with: question.key)
            guard handoff.deviceID == device else {
                throw PaykitNetworkError(.invalidCredentials, "what was left is for another device than this one")
            }
            guard clock.now < handoff.expiresAt else {
                throw PaykitNetworkError(
                    .sessionExpired, "what was left for this device is too old; ask the key manager again")
            }
            return (handoff, file)
        }
        try await importSession(handoff.session)
        // It is sealed, and of no use without the key; should it stay, the key manager deletes it.
        if let session, let server = try? await reader.homeserver(of: handoff.user) {
            _ = try? await server.delete(file, session)
        }
        return handoff
    }

    /// Leaves a session and keys for the device that asks, as a key manager does. Ask the user first.
    ///
    /// - Parameters:
    ///   - question: what the device asks for.
    ///   - keyPairs: the device's keys, as the key manager derives them from the user's own.
    ///   - noiseSeed: from what the device makes further keys.
    /// - Returns: the link to open.
    /// - Throws: ``PaykitError`` without a session, or when it asks for something else; what the configuration's
    ///   `consent` throws.
    public func handOff(
        _ question: KeyManagerLink, keyPairs: [KeyManagerHandoff.KeyPair], noiseSeed: Redacted<[UInt8]>? = nil
    ) async throws -> Redacted<String> {
        if case .handoff(let device, _, _) = question.question {
            try await configuration.consent?(.handOff(deviceID: device))
        }
        return try await signedIn { session throws(PaykitNetworkError) in
            guard case .handoff(let device, let key, _) = question.question else {
                throw PaykitNetworkError(.validationFailed, "that link asks for no handoff")
            }
            let now = clock.now
            let handoff = try KeyManagerHandoff(
                of: session.user, session: session.exported, session.capabilities, to: device, keyPairs: keyPairs,
                noiseSeed: noiseSeed,
                expiresAt: now.addingTimeInterval(KeyManagerHandoff.lifetime / .seconds(1)))
            let id = random.hex(64)
            guard let file = try? PubkyAddress(session.user, path: KeyManagerHandoff.path(id)),
                let link = question.answer(.handoff(from: session.user, requestID: id))
            else { throw PaykitNetworkError(.validationFailed, "that link cannot be answered") }
            let bytes = try handoff.sealed(for: key, requestID: id, at: now, random)
            try await reader.homeserver(of: session.user).write(bytes, to: file, session)
            return link
        }
    }
}
