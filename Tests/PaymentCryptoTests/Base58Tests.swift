import PaymentCrypto
import Testing

@Suite("Base58")
struct Base58Tests {
    @Test(
        "Base58",
        arguments: [
            ("", []), ("1", [0]), ("11", [0, 0]), ("2", [1]), ("z", [57]), ("5Q", [255]), ("5R", [1, 0]),
            ("15R", [0, 1, 0]),
            ("0", nil), ("l", nil), ("é", nil), (String(repeating: "1", count: 65), nil),
            // The contract of Tether on Tron.
            (
                "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
                [
                    0x41, 0xa6, 0x14, 0xf8, 0x03, 0xb6, 0xfd, 0x78, 0x09, 0x86, 0xa4, 0x2c, 0x78, 0xec, 0x9c, 0x7f,
                    0x77, 0xe6,
                    0xde, 0xd1, 0x3c, 0x71, 0x02, 0x77, 0xf5,
                ]
            ),
        ] as [(String, [UInt8]?)])
    func base58(_ text: String, _ bytes: [UInt8]?) {
        #expect(Base58.decode(text) == bytes)
        if let bytes { #expect(Base58.encode(bytes) == text) }
    }
}
