import PaymentCore
import Testing

@testable import PaykitProvider

/// The answers of Pubky's parser (Protocol 1.1), and the forms that came later.
@Suite("Pubky keys")
struct PubkyKeyTests {
    private let key = "yg4gxe7z1r7mr6orids9fh95y7gxhdsxjqi6nngsxxtakqaxr5no"
    private let bytes = "01b467a3b7913ab27a04a8edf2f3fb074cfe0ecf4babe108d67be3853b0f26c5"

    @Test(
        "A key is found in every form that may surround it",
        arguments: [
            "KEY", "pk:KEY", "pubky://KEY", "http://KEY", "https://KEY", "https://KEY/foo/bar", "https://KEY?foo=bar",
            "https://KEY#foo", "https://foo.bar.KEY#foo", "https://foo.KEY.", "https://foo@KEY", "https://KEY:8888",
            "https://foo@bar.KEY.:8888?q=v&a=b#foo", "KEY.", "pubkyKEY", "pubkyKEY/pub/x", "https://_pubky.KEY/pub/x",
            "https://o4dksfbqk85ogzdb5osziw6befigbuxmuxkuxq8434q89uj56uyy.KEY",
        ])
    func forms(_ form: String) throws {
        let read = try PubkyKey(form.replacing("KEY", with: key))
        #expect(Hex.encode(read.bytes) == bytes)
        #expect(read.text == key)
    }

    @Test("Texts without a key say why")
    func defects() {
        func defect(_ text: String) -> PubkyKeyDefect? {
            do {
                _ = try PubkyKey(text)
                return nil
            } catch { return error }
        }
        #expect(defect(" " + key) == .encoding)
        #expect(defect(key.uppercased()) == .encoding)
        #expect(defect("l" + key.dropFirst()) == .encoding)
        #expect(defect("v" + key.dropFirst()) == .encoding)
        #expect(defect(String(key.dropLast())) == .length(31))
        #expect(defect(key + "y") == .length(33))
        #expect(defect("") == .length(0))
        #expect(defect("c1bkg8tfsyy8wcedtmw4fwhdmm7bbzhgg3z58tf43m5ow8w9mbus") == .notAPoint)
    }

    @Test(
        "A point of small order is no user, in any spelling: everybody can sign for it",
        arguments: [
            String(repeating: "00", count: 32), "01" + String(repeating: "00", count: 31),
            String(repeating: "00", count: 31) + "80",
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
            "ec" + String(repeating: "ff", count: 30) + "7f", "ed" + String(repeating: "ff", count: 30) + "7f",
            "ee" + String(repeating: "ff", count: 30) + "7f", "ed" + String(repeating: "ff", count: 30) + "ff",
        ])
    func weak(_ hex: String) throws {
        let bytes = try #require(Hex.decode(hex))
        #expect(throws: PubkyKeyDefect.weak) { try PubkyKey(bytes: bytes) }
    }

    @Test("What is refused as a key is refused again, whatever was read before and meanwhile")
    func refusedAgain() throws {
        let weak = [1] + [UInt8](repeating: 0, count: 31)
        let other = [2] + [UInt8](repeating: 0, count: 31)
        let own = try PubkyKeyPair(seed: [UInt8](repeating: 1, count: 32)).publicKey
        for round in 0..<3 {
            for _ in 0..<2 {
                #expect(throws: PubkyKeyDefect.weak) { try PubkyKey(bytes: weak) }
                #expect(throws: PubkyKeyDefect.notAPoint) { try PubkyKey(bytes: other) }
                #expect(try PubkyKey(bytes: own.bytes) == own)
            }
            // More than are remembered.
            for number in 0..<300 {
                let seed = [UInt8(round), UInt8(number & 0xFF), UInt8(number >> 8)] + [UInt8](repeating: 9, count: 29)
                _ = try PubkyKeyPair(seed: seed).publicKey
            }
        }
    }

    @Test("Spare bits at the end make no other key")
    func spareBits() throws {
        let loose = try PubkyKey("ybndrfg8ejkmcpqxot1uwisza345h769ybndrfg8ejkmcpqxot1u")
        #expect(loose == (try PubkyKey(loose.text)))
        #expect(loose.text.hasSuffix("ot1o") || loose.text.hasSuffix("ot1y"))
    }

    @Test(
        "Known keys have their known texts",
        arguments: [
            (
                "3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29",
                "8pinxxgqs41n4aididenw5apqp1urfmzdztr8jt4abrkdn435ewo"
            ),
            (
                "d04ab232742bb4ab3a1368bd4615e4e6d0224ab71a016baf8520a332c9778737",
                "4bfmrcuwfq4ksqoupn6wcfxrh5enr1izdeyszmhfrntuf1mzoh5o"
            ),
            (
                "a09aa5f47a6759802ff955f8dc2d2a14a5c99d23be97f864127ff9383455a4f0",
                "wnpkm7d4c7caym93kzhpamjkn11hu8jdz4m9o3y1x9huopniwuay"
            ),
            (
                "848c6ff9149c12b835890dce7fef5d3d0717c6f79bc454a6e781d1deb2d8908d",
                "o1gg96ewuojmopcjbz8895478wdtxtzzuxnfjjz8o8e77csa1ngo"
            ),
        ])
    func known(_ hex: String, _ text: String) throws {
        let key = try PubkyKey(bytes: #require(Hex.decode(hex)))
        #expect(key.text == text)
        #expect(try PubkyKey(text) == key)
    }
}
