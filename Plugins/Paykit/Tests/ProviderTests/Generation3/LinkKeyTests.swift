import PaymentCore
import PaymentCrypto
import Testing

@testable import PaykitProvider

/// Keys and folders of private links (Protocol 12.1 and 12.2).
@Suite("Paykit's link keys and folders")
struct LinkKeyTests {
    static func keys(_ byte: UInt8) throws -> PrivateLinkKeys {
        try PrivateLinkKeys(secret: Redacted([UInt8](repeating: byte, count: 32)))
    }

    static func identity(_ byte: UInt8) throws -> PubkyKey {
        try PubkyKeyPair(seed: [UInt8](repeating: byte, count: 32)).publicKey
    }

    @Test("Both public halves of a link's key are the known ones, and neither is the other")
    func halves() throws {
        let (first, second) = (try Self.keys(1), try Self.keys(2))
        #expect(first.routing.text == "tkrq8zmwb8a3m9k15csu3q17qmfgqnp9dskbrg9uq1rydpyxp7qy")
        #expect(second.routing.text == "orhzqdiexwmi6iidktucgud63ufa5nwtsuzdxe176a8izd6jsqky")
        #expect(Hex.encode(first.noise) == "a4e09292b651c278b9772c569f5fa9bb13d906b46ab68c9df9dc2b4409f8a209")
        #expect(Hex.encode(second.noise) == "ce8d3ad1ccb633ec7b70c17814a5c76ecd029685050d344745ba05870e587d59")
        let converted = try #require(EdwardsPoint.montgomery(first.routing.bytes))
        #expect(Hex.encode(converted) == "1b1b58dd50ea14b60da17b790cd02754d970c9bab864ebb3c0f3016fe51d3f57")
        #expect(converted != first.noise)
    }

    @Test("Both sides agree on the same secret, and on no other's")
    func agreement() throws {
        let (first, second, third) = (try Self.keys(1), try Self.keys(2), try Self.keys(3))
        let shared = "4181d7302557342bdb6d061c4b1eebea828ecb625c3368b7111680793307220b"
        #expect(Hex.encode(try first.agreement(with: second.routing)) == shared)
        #expect(Hex.encode(try second.agreement(with: first.routing)) == shared)
        #expect(Hex.encode(try third.agreement(with: first.routing)) != shared)
        // A key of small order would agree with every key.
        #expect(throws: PubkyKeyDefect.weak) { try PubkyKey(bytes: [1] + [UInt8](repeating: 0, count: 31)) }
    }

    /// The folder of each side.
    private func folders(
        _ parties: PrivateLinkParty, _ purpose: PrivateLinkParty.Purpose = .messages
    ) throws -> [String] {
        let (first, second) = (try Self.keys(1), try Self.keys(2))
        let shared = try first.agreement(with: second.routing)
        return [first, second].map { parties.folder(purpose, agreement: shared, writer: $0.routing) }
    }

    @Test("Folders are the known ones, whichever side is named first")
    func folders() throws {
        let (a, b) = (try Self.identity(0x0B), try Self.identity(0x0C))
        #expect(a.text == "c498hc3cxjnugci7uwf869pokz4hm5a4y4s4c5casqx5pyeceh7y")
        #expect(b.text == "bpeuispw1jybm1ojymsoxrnr4qsf5xsngbzopfrcndpe7pzduhso")
        let (path, other) = (
            try #require(PaykitReceiverPath("bitkit/wallet")), try #require(PaykitReceiverPath("tether/wallet"))
        )
        let cases: [(PrivateLinkParty, PrivateLinkParty, PrivateLinkParty.Purpose, [String])] = [
            (
                .init(a, path, with: b, other), .init(b, other, with: a, path), .messages,
                [
                    "b0571398e9d10d812311ba59f3b3c3c0b7b231bec506e38498fcd8e6deccdb30",
                    "e2bcdc3eb18b8811c067988e695645bb1d972325840e852654f751cac3a60881",
                ]
            ),
            (
                .init(a, path, with: b, other), .init(b, other, with: a, path), .recovery,
                [
                    "556e4f63a44946f601f8e15f2e5c8d4b29b7ba631dcad250e5d3f42301f279ed",
                    "4b7ca4fac6600a21fc2b8fd2e5f64b97ceae5cc570fda50e9d2dd8805f50e8d6",
                ]
            ),
        ]
        for (parties, turned, purpose, expected) in cases {
            #expect(try folders(parties, purpose) == expected, "\(parties)")
            #expect(try folders(turned, purpose) == expected, "\(turned)")
        }
        #expect(
            PrivateLinkParty.messages(path, "x") == "/pub/paykit/v0/private/bitkit/wallet/messages/x/")
        #expect(
            PrivateLinkParty.marker(path, "x") == "/pub/paykit/v0/private/bitkit/wallet/encrypted-link-recovery/x")
        #expect(PrivateLinkParty.begins(b, with: a) == true && PrivateLinkParty.begins(a, with: b) == false)
        #expect(PrivateLinkParty.begins(a, with: a) == nil)
    }

    @Test("The two public halves of a key are the ones of the wallet, and the secret is never printed")
    func walletHalves() throws {
        let secret = try #require(Hex.decode("500f4799bbb2d02103e3b74b365ddb478a3187333c053fa9eb62f4052ba6a327"))
        let keys = try PrivateLinkKeys(secret: Redacted(secret))
        #expect(keys.routing.text == "zydeotueqrcmgcyriysgobj8i9tdnycjywnh61ztqmuza5ngq38o")
        #expect(Hex.encode(keys.noise) == "51361fab6995029a59a9dfcd7bdfb0345e1e592726169c1129b4f84fffb40025")
        #expect(throws: PubkyKeyDefect.self) { try PrivateLinkKeys(secret: Redacted([1, 2])) }
        var dumped = "\(keys)"
        dump(keys, to: &dumped)
        #expect(!dumped.contains("500f47"))
    }
}
