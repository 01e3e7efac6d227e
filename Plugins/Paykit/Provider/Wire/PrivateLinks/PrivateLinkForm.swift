/// The form in which a link's messages are encrypted and put into files, as released wallets have it: a length before
/// the encrypted message (N1, Protocol 12.2). Neither a file nor its path reveals its form.
package enum PrivateLinkForm {
    package static let fileLength = 1018
    package static let maximumMessage = 1000
    package static let suite = NoiseSuite(.xx, .sha256)

    /// The text for people, when a peer uses a form that is not supported here.
    package static let laterForm =
        "the other app encrypts private messages in a newer way than this app can: pay in another way, or update this app"

    /// Returns the file of a message of the handshake, which later forms write alike, or of an encrypted one.
    package static func file(of message: [UInt8]) throws(NoiseError) -> [UInt8] {
        guard message.count <= fileLength - 2 else { throw .length }
        return UInt16(message.count).bigEndianBytes + message
            + [UInt8](repeating: 0, count: fileLength - 2 - message.count)
    }

    package static func message(in file: [UInt8]) throws(NoiseError) -> [UInt8] {
        // Other libraries trap on a file that is too short; only zeros may follow the message.
        guard 2...fileLength ~= file.count else { throw .length }
        let count = Int(file[0]) << 8 | Int(file[1])
        guard count <= file.count - 2, file.dropFirst(2 + count).allSatisfy({ $0 == 0 }) else { throw .length }
        return Array(file.dropFirst(2).prefix(count))
    }

    static func seal(_ message: [UInt8], with cipher: inout NoiseCipher) throws(NoiseError) -> [UInt8] {
        guard message.count <= maximumMessage else { throw .length }
        return try self.file(of: cipher.seal(message))
    }

    static func open(_ file: [UInt8], with cipher: inout NoiseCipher) throws(NoiseError) -> [UInt8] {
        let message = try cipher.open(self.message(in: file))
        guard message.count <= maximumMessage else { throw .length }
        // Older readers cut zeros at the end, and writers may rely on it.
        return Array(message.reversed().drop { $0 == 0 }.reversed())
    }
}

/// A link whose handshake is done: the numbers of files and of encrypted messages, which are counted apart, in both
/// directions. A value: it is stored before a file is written, and together with each message that was read.
package struct PrivateLinkChannel: Sendable {
    package static let firstSlot: UInt32 = 3

    /// The progress of both directions: the state of a channel to keep beside its handshake.
    package struct Place: Sendable, Hashable, Codable {
        package fileprivate(set) var writeSlot = PrivateLinkChannel.firstSlot
        package fileprivate(set) var readSlot = PrivateLinkChannel.firstSlot
        package fileprivate(set) var sent: UInt64 = 0
        package fileprivate(set) var received: UInt64 = 0

        package init() {}
    }

    /// The id, known to both sides only.
    package let id: [UInt8]
    package private(set) var place: Place
    private var sending: NoiseCipher
    private var receiving: NoiseCipher

    package init(_ handshake: NoiseHandshake, _ place: Place = Place()) throws(NoiseError) {
        let channel = try handshake.channel()
        self.place = place
        id = channel.binding
        sending = channel.sending.at(place.sent)
        receiving = channel.receiving.at(place.received)
    }

    /// A file to be written at its number, and never another there: repetitions send these bytes.
    package struct Prepared: Sendable, Hashable {
        package let slot: UInt32
        package let file: [UInt8]
    }

    /// Encrypts the next message. The caller stores the channel and the file before it writes the file: another message
    /// with the same number would reveal both.
    package mutating func prepare(_ message: [UInt8]) throws(NoiseError) -> Prepared {
        guard place.writeSlot < .max - 1 else { throw .exhausted }
        let file = try PrivateLinkForm.seal(message, with: &sending)
        defer { place.writeSlot += 1 }
        place.sent = sending.count
        return Prepared(slot: place.writeSlot, file: file)
    }

    /// Reads the next file. A file that cannot be read changes nothing; the link then has to be established anew.
    package mutating func read(_ file: [UInt8]) throws(NoiseError) -> [UInt8] {
        guard place.readSlot < .max - 1 else { throw .exhausted }
        var cipher = receiving
        let message = try PrivateLinkForm.open(file, with: &cipher)
        receiving = cipher
        place.received = cipher.count
        place.readSlot += 1
        return message
    }
}
