import PaymentCore
import Testing

@testable import BitcoinWallets

@Suite("Transactions as wallets return them")
struct TransactionBytesTests {
    @Test("A transaction is read with its id, as published ones of the chain have it")
    func transaction() throws {
        // Two transactions of Core Lightning's published examples of txdiscard.
        let texts = [
            (
                "02000000011a62fcc004efd39a7b3fe4f8fe2eef26ab47414f06e05e7eec20e8109376078e0000000000fdffffff02000000"
                    + "0100000000220020819a6c0f60f0c015655fd15f678d18f2944159952e4d632b8eb5ada26586f91041839800000000"
                    + "002251200e42ec7057b0fb8532c24bf96d717eb6e42fa7e4048c2584bc950d3a470a6100a0000000",
                "43cb705395b43d0f643ad30eb78215b0044fc73d02d03d160b0135f6c42249db", 1
            ),
            (
                "02000000029d59764523af940417d42ef5b8339947fcc9e1e3a1a603c412b1304ea6b12e8f0000000000fdffffff9dd5eea1"
                    + "322eadd13bbe050f6627f2de1d4e8a7a710f8e7e2a417507cb68c6d10100000000fdffffff0240420f000000000022"
                    + "00202e0776d6a8cc9671e8d151f94840955298535fd3498c1f1fbd143cd0851513476e1f890100000000225120"
                    + "1859d9295b77e37d7445b12d0541aefe52f4932bedcc26e0e0cb8a206e550719a1000000",
                "92110841095272f10006a646a81ec3127ab33f7888e6f68bac2a6f164a6b42d5", 2
            ),
        ]
        for (text, id, count) in texts {
            let bytes = try #require(Hex.decode(text))
            let transaction = try #require(TransactionBytes(bytes))
            #expect(transaction.id == id && transaction.sources.count == count && transaction.amounts.count == 2)
            let spent = Dictionary(uniqueKeysWithValues: transaction.sources.map { ($0, UInt64(50_000_000)) })
            let paid = transaction.amounts.reduce(0, +)
            #expect(transaction.fee(spent) == UInt64(count) * 50_000_000 - paid)
            #expect(transaction.fee([:]) == nil)
            for length in 0..<bytes.count { #expect(TransactionBytes(Array(bytes[..<length])) == nil) }
            #expect(TransactionBytes(bytes + [0]) == nil)
        }
    }

    @Test(
        "A number of elements is read in each of its forms",
        arguments: [
            ([252], 252), ([0xFD, 253, 0], 253), ([0xFE, 1, 0, 0, 0], 1), ([0xFF, 1, 0, 0, 0, 0, 0, 0, 0], 1),
        ] as [([UInt8], Int)])
    func counts(number: [UInt8], sources: Int) throws {
        let source = [UInt8](repeating: 7, count: 36) + [0] + [UInt8](repeating: 0xFF, count: 4)
        var bytes: [UInt8] = [2, 0, 0, 0] + number
        for _ in 0..<sources { bytes += source }
        bytes += [1, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        let transaction = try #require(TransactionBytes(bytes))
        #expect(transaction.sources.count == sources && transaction.amounts == [5])
    }

    @Test("A signed transaction is read with the id that it has without its witnesses")
    func signed() throws {
        // The example of BIP-143 for P2WPKH: one source has a script, the other a witness. Its id is embit's.
        let lines = [
            "01000000000102fff7f7881a8099afa6940d42d1e7f6362bec38171ea3edf433541db4e4ad969f000000004948304502",
            "21008b9d1dc26ba6a9cb62127b02742fa9d754cd3bebf337f7a55d114c8e5cdd30be022040529b194ba3f9281a99f2b1",
            "c0a19c0489bc22ede944ccf4ecbab4cc618ef3ed01eeffffffef51e1b804cc89d182d279655c3aa89e815b1b309fe287",
            "d9b2b55d57b90ec68a0100000000ffffffff02202cb206000000001976a9148280b37df378db99f66f85c95a783a76ac",
            "7a6d5988ac9093510d000000001976a9143bde42dbee7e4dbe6a21b2d50ce2f0167faa815988ac000247304402203609",
            "e17b84f6a7d30c80bfa610b5b4542f32a8a0d5447a12fb1366d7f01cc44a0220573a954c4518331561406f90300e8f33",
            "58f51928d43c212a8caed02de67eebee0121025476c2e83188368da1ff3e292e7acafcdb3566bb0ad253f62fc70f07ae",
            "ee635711000000",
        ]
        let bytes = try #require(Hex.decode(lines.joined()))
        let transaction = try #require(TransactionBytes(bytes, isSigned: true))
        #expect(transaction.id == "e8151a2af31c368a35053ddd4bdb285a8595c769a3ad83e0fa02314a602d4609")
        #expect(transaction.amounts == [112_340_000, 223_450_000] && transaction.sources.map(\.index) == [0, 1])
        #expect(TransactionBytes(bytes) == nil)
        for length in 0..<bytes.count { #expect(TransactionBytes(Array(bytes[..<length]), isSigned: true) == nil) }
        #expect(TransactionBytes(bytes + [0], isSigned: true) == nil)
    }
}
