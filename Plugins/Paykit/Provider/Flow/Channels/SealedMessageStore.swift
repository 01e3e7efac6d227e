import PaymentCrypto

/// Messages that lie sealed on their sender's homeserver until the recipient reads them (Protocol 5.9): payment
/// requests and proposals of subscriptions. Only the recipient can open them, and only at their place.
package struct SealedMessageStore: Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        case request
        case proposal = "subscription_proposal"

        package func directory(for recipient: PubkyKey) -> String {
            PaykitDirectory.root + (self == .request ? "requests/" : "subscriptions/proposals/") + recipient.scope + "/"
        }

        fileprivate func place(_ path: String, _ name: String) -> SealedBlob.Place {
            .text("paykit:v0:\(rawValue):\(path):\(name)")
        }
    }

    package struct Message: Sendable, Hashable {
        package let kind: Kind
        /// The owner of its storage: no other user can have put it there.
        package let sender: PubkyKey
        package let name: String
        package let content: JSONValue

        package init(kind: Kind, sender: PubkyKey, name: String, content: JSONValue) {
            self.kind = kind
            self.sender = sender
            self.name = name
            self.content = content
        }

        package var arrival: ChannelArrival {
            ChannelArrival(kind: kind.rawValue, sender: sender.text, name: name)
        }
    }

    private let directory: PaykitDirectory
    private let identity: ChannelIdentity
    private let random: any RandomSource

    package static let mostMessages = 100

    package init(_ directory: PaykitDirectory, _ identity: ChannelIdentity, random: any RandomSource) {
        self.directory = directory
        self.identity = identity
        self.random = random
    }

    private var owner: PubkyKey { identity.owner.publicKey }

    // MARK: Sending

    package func leave(
        _ content: JSONValue, as kind: Kind, named name: String, for recipient: PubkyKey, _ session: PubkySession
    ) async throws(PaykitNetworkError) {
        let address = try address(kind, name, of: session.user, for: recipient)
        guard let endpoint = try await directory.noiseEndpoint(of: recipient) else {
            throw PaykitNetworkError(
                .methodNotSupported, "\(recipient) has published no key: nothing can be sealed for them")
        }
        let blob: SealedBlob
        do throws(WireDefect) {
            blob = try SealedBlob(
                content.serialized(), for: endpoint.key, at: kind.place(address.path, name), purpose: kind.rawValue,
                ephemeral: random.bytes(32), nonce: random.bytes(SealedBlob.Version.two.nonceLength))
        } catch { throw PaykitNetworkError(.validationFailed, "\(error)") }
        try await directory.reader.homeserver(of: session.user).write(blob.wire, to: address, session)
    }

    /// Removes a message. Returns true if it was still there.
    @discardableResult
    package func takeBack(
        _ kind: Kind, _ name: String, for recipient: PubkyKey, _ session: PubkySession
    ) async throws(PaykitNetworkError) -> Bool {
        let address = try address(kind, name, of: session.user, for: recipient)
        return try await directory.reader.homeserver(of: session.user).delete(address, session)
    }

    // MARK: Reading

    /// Returns the messages from `sender` to this user. A message that is not sealed, not for this device, or moved
    /// from another place is only counted.
    package func messages(
        _ kind: Kind, from sender: PubkyKey
    ) async throws(PaykitNetworkError) -> (messages: [Message], unreadable: Int) {
        let root = kind.directory(for: owner)
        guard let folder = try? PubkyAddress(sender, path: root) else { return ([], 0) }
        var messages: [Message] = []
        var unreadable = 0
        for address in try await directory.reader.list(folder, isShallow: true, most: Self.mostMessages) {
            let name = String(address.path.dropFirst(root.count))
            guard address.owner == sender, address.path.hasPrefix(root), Self.isName(name) else {
                unreadable += 1
                continue
            }
            // The file was removed in the meantime.
            guard let bytes = try await directory.reader.file(address), !bytes.isEmpty else { continue }
            guard let content = open(bytes, kind, name, at: address) else {
                unreadable += 1
                continue
            }
            messages.append(Message(kind: kind, sender: sender, name: name, content: content))
        }
        return (messages, unreadable)
    }

    private func open(_ bytes: [UInt8], _ kind: Kind, _ name: String, at address: PubkyAddress) -> JSONValue? {
        if let envelope = try? SealedEnvelope(parsing: bytes) {
            guard envelope.sender == address.owner, envelope.isSigned(owner: address.owner, path: address.path),
                let content = try? identity.open(envelope, at: address)
            else { return nil }
            return try? JSONValue(parsing: content)
        }
        guard let blob = try? SealedBlob(parsing: bytes) else { return nil }
        for place in [kind.place(address.path, name), .file(owner: address.owner, path: address.path)] {
            if let content = try? identity.open(blob, at: place) { return try? JSONValue(parsing: content) }
        }
        return nil
    }

    private func address(
        _ kind: Kind, _ name: String, of sender: PubkyKey, for recipient: PubkyKey
    ) throws(PaykitNetworkError) -> PubkyAddress {
        guard Self.isName(name), let address = try? PubkyAddress(sender, path: kind.directory(for: recipient) + name)
        else {
            throw PaykitNetworkError(
                .validationFailed, "a letter is named by 1 to 64 letters, digits, '-', '_' and '.', not by dots alone")
        }
        return address
    }

    /// Returns true for a valid name of a message, which leads to no other path.
    private static func isName(_ name: String) -> Bool {
        name.isWord(1...64, "-_.") && name.utf8.contains { $0 != UInt8(ascii: ".") }
    }
}

extension PubkyKey {
    /// The name of this user in the paths of Paykit's files (Protocol 1.2).
    package var scope: String { Hex.encode(Digest.sha256.hash(Array(text.utf8))) }
}
