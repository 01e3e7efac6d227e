import PaykitSandbox
import PaymentCore
import PaymentCrypto
import Testing

@testable import PaykitProvider

/// A holder of a key.
struct Owner {
    let seed: Redacted<[UInt8]>

    init(_ number: UInt8) { seed = Redacted(Array(repeating: number, count: 32)) }

    var key: [UInt8] { (try? Ed25519.publicKey(seed: seed.reveal())) ?? [] }

    func item(_ sequence: Int64, _ value: [UInt8]) throws -> MutableItem {
        try MutableItem(sequence: sequence, value: value, seed: seed)
    }

    func sign(_ message: [UInt8]) throws -> [UInt8] { try Ed25519.sign(message, seed: seed.reveal()) }

    func item(_ sequence: Int64, _ text: String) throws -> MutableItem { try item(sequence, Array(text.utf8)) }
}

/// A user's packet with the location of their homeserver, and a homeserver's with its address: computed independently
/// of this package.
enum Packets {
    struct Packet: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let seed: Redacted<[UInt8]>
        let target: String
        let hex: String

        var bytes: [UInt8] { Hex.decode(hex) ?? [] }
        var packet: SignedPacket {
            get throws { try SignedPacket(payload: Array(bytes[32...]), of: PubkyKey(bytes: Array(bytes[0..<32]))) }
        }
        var item: MutableItem {
            get throws {
                try MutableItem(
                    key: Array(bytes[0..<32]), sequence: bytes[96..<104].reduce(0) { $0 << 8 | Int64($1) },
                    value: Array(bytes[104...]), signature: Array(bytes[32..<96]))
            }
        }
    }

    static let user = Packet(
        testDescription: "a user's", seed: Owner(0x11).seed, target: "d58eadfc5cf35b18c0efdded82ad20ee5a6485a4",
        hex: "d04ab232742bb4ab3a1368bd4615e4e6d0224ab71a016baf8520a332c9778737d710e724ebc2c458424b64b2f2852e5d"
            + "e50acf5c3fc010cbc3f99c28d875068f6d0e7f015564a59ae56e7631edc5a0900a883533ad3d7cf4ea048c534236e107"
            + "0006474846204000000080000000000100000000065f7075626b79343462666d726375776671346b73716f75706e3677"
            + "636678726835656e7231697a646579737a6d6866726e747566316d7a6f68356f000041000100000e100038000034776e"
            + "706b6d37643463376361796d39336b7a6870616d6a6b6e31316875386a647a346d396f337931783968756f706e697775"
            + "617900")

    static let homeserver = Packet(
        testDescription: "a homeserver's", seed: Owner(0x22).seed, target: "08fe047a3f248f96fa1a821d391fbdb4c88a1d4e",
        hex: "a09aa5f47a6759802ff955f8dc2d2a14a5c99d23be97f864127ff9383455a4f0ad1cb46160f74192437b6801429086ff"
            + "bec9d003fae7f351e1a5efef22ba3b2be64006c5f4a22d3fc94f2d6749946b4abaa24199cf49e1d5271dff078145bb00"
            + "000647484620400000008000000000030000000034776e706b6d37643463376361796d39336b7a6870616d6a6b6e3131"
            + "6875386a647a346d396f337931783968756f706e6977756179000041000100000e10001100010000030002188f000400"
            + "047f00000134776e706b6d37643463376361796d39336b7a6870616d6a6b6e31316875386a647a346d396f3379317839"
            + "68756f706e6977756179000041000100000e100013000a096c6f63616c686f737400ff000002188e34776e706b6d3764"
            + "3463376361796d39336b7a6870616d6a6b6e31316875386a647a346d396f337931783968756f706e6977756179000001"
            + "000100000e1000047f000001")

    static let all = [user, homeserver]
}
