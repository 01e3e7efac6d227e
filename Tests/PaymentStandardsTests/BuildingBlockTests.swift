import PaymentCore
import PaymentCrypto
import PaymentTesting
import TestSupport
import Testing

@testable import PaymentStandards

@Suite("Building blocks of payment standards")
struct BuildingBlockTests {
    private func part(_ text: String) -> TextPart { TextPart(bytes: Array(text.utf8)[...]) }

    private func defect(_ body: () throws(StandardDefect) -> Void) -> StandardDefect? {
        do throws(StandardDefect) { try body() } catch { return error }
        return nil
    }

    // MARK: Checksums

    @Test("Bech32 and bech32m strings of BIP-173 and BIP-350")
    func bech32() throws {
        let file = VectorFile("bech32")
        for row in try file.rows("valid") {
            let decoded = try Bech32(part(row.input), "text")
            #expect("\(decoded.variant)" == row.expect["encoding"]?.string)
            #expect(decoded.prefix == row.expect["hrp"]?.string)
            #expect(.array(decoded.groups.map { .number(JSONNumber($0)) }) == row.expect["data5"])
            #expect(
                Bech32.encode(prefix: decoded.prefix, groups: decoded.groups, decoded.variant)
                    == row.input.lowercased())
        }
        for row in try file.rows("invalid") {
            let defect = defect { () throws(StandardDefect) in _ = try Bech32(part(row.input), "text") }
            #expect(defect != nil, "\(row.input): \(row.why)")
        }
        let bytes: [UInt8] = [0, 1, 0xFF, 0x80, 7, 9]
        #expect(Bech32.bytes(of: Bech32.groups(of: bytes)) == bytes)
        #expect(Bech32.bytes(of: [0, 1]) == nil)
    }

    @Test("A wrong character is named by its place in the whole text")
    func bech32Place() {
        let text = part("pay bc1qbw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4")
        let defect = defect { () throws(StandardDefect) in _ = try Bech32(text.dropFirst(4), "address") }
        #expect(defect?.offset == 8 && defect?.kind == .malformed)
    }

    @Test("Check values of the cyclic redundancy checks")
    func redundancy() {
        let digits = Array("123456789".utf8)
        #expect(CyclicRedundancy.crc16(digits, initial: 0xFFFF) == 0x29B1)
        #expect(CyclicRedundancy.crc16(digits, initial: 0) == 0x31C3)
        #expect(CyclicRedundancy.crc32(digits) == 0xCBF4_3926)
    }

    @Test("Base58 is the inverse of itself in both alphabets and keeps leading zeros")
    func base58() {
        var random = SplitMix64(seed: 3)
        for length in 0..<40 {
            for zeros in 0..<4 {
                let bytes =
                    [UInt8](repeating: 0, count: zeros)
                    + (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
                for alphabet in [Base58.Alphabet.bitcoin, .ripple] {
                    let text = Base58.encode(bytes, alphabet)
                    #expect(Base58.decode(Array(text.utf8)[...], alphabet) == bytes)
                    #expect(
                        Base58Check.decode(part(Base58Check.encode(bytes, alphabet)), alphabet)
                            == (bytes.isEmpty ? nil : bytes))
                }
            }
        }
        for wrong in ["0", "O", "I", "l", "a b", "é"] { #expect(Base58.decode(wrong) == nil) }
    }

    @Test("References, routing numbers and bank codes")
    func bankNumbers() throws {
        let file = VectorFile("lib-bank-numbers")
        for list in ["valid", "invalid"] {
            let json = try JSONValue(parsing: Array(Vectors.data(file.name)))
            for row in json[list]?.array ?? [] {
                let text = part(row["input"]?["value"]?.string ?? "")
                let kind = row["input"]?["kind"]?.string ?? ""
                let isSound: Bool
                switch kind {
                case "rf":
                    isSound = defect { () throws(StandardDefect) in _ = try CreditorReference.rf(text, "") } == nil
                case "qrr":
                    isSound = defect { () throws(StandardDefect) in _ = try CreditorReference.qr(text, "") } == nil
                case "aba": isSound = CheckDigits.isRoutingNumber(text.bytes)
                case "bic": isSound = CheckDigits.isBankCode(text.bytes)
                default:
                    Issue.record("unknown kind \(kind)")
                    continue
                }
                #expect(isSound == (list == "valid"), "\(row.text)")
            }
        }
        #expect(CheckDigits.isSound731(Array("1234561".utf8)[...]))
        #expect(!CheckDigits.isSound731(Array("1234562".utf8)[...]))
    }

    // MARK: Amounts

    @Test(
        "Only ASCII digits and one mark are an amount",
        arguments: [
            ("٣", 0), ("１", 0), ("½", 0), ("+1", 0), ("-1", 0), ("1e-8", 1), ("1,5", 1), ("1.5.2", 3), ("0x10", 1),
            ("1 000", 1), (" 1", 0), ("1.", 0), (".5", 0), ("", 0), ("1\u{660}", 1),
        ])
    func notDecimal(_ text: String, _ place: Int) {
        let whole = part("amount=" + text)
        let defect = defect { () throws(StandardDefect) in
            _ = try DecimalText(whole.dropFirst(7), "amount", DecimalRules())
        }
        #expect(defect?.offset == 7 + place, "\(text): \(String(describing: defect))")
    }

    @Test("Amounts keep their digits and count exactly")
    func decimal() throws {
        let amount = try DecimalText(part("00.10"), "amount", DecimalRules())
        #expect(amount.text == "00.10" && amount.units(exponent: 2) == 10 && amount.units(exponent: 1) == nil)
        #expect(try DecimalText(part("0,07"), "amount", DecimalRules(mark: UInt8(ascii: ","))).text == "0.07")
        let largest = String(repeating: "9", count: 38)
        #expect(try DecimalText(part(largest), "amount", DecimalRules()).units(exponent: 0) == Money.maximumMinorUnits)
        #expect(try DecimalText(part(largest + "9"), "amount", DecimalRules()).units(exponent: 0) == nil)
        for (text, rules) in [
            ("0.123", DecimalRules(fractionDigits: 2)), ("1000", DecimalRules(wholeDigits: 3)),
            ("01", DecimalRules(allowsLeadingZeros: false)), ("0.00", DecimalRules(allowsZero: false)),
        ] {
            #expect(defect { () throws(StandardDefect) in _ = try DecimalText(part(text), "amount", rules) } != nil)
        }
    }

    // MARK: Structure

    @Test("Lines keep what is empty, and say how they end")
    func lines() {
        for (text, lines, ending) in [
            ("a\n\nb\n\n", ["a", "", "b", "", ""], TextLines.Ending.lf), ("a\r\nb", ["a", "b"], .crlf),
            ("a\rb\r", ["a", "b", ""], .cr), ("a\nb\r\n", ["a", "b", ""], .mixed), ("a", ["a"], .none),
        ] {
            let read = TextLines(part(text))
            #expect(read.lines.map(\.text) == lines && read.ending == ending)
        }
        #expect(TextLines(part("ab\ncd"))[1].offset == 3)
        #expect(TextLines(part("ab\ncd"))[7].offset == 5)
    }

    @Test("Percent-encoding is decoded once, and a broken escape is found")
    func escapes() throws {
        #expect(try part("a%2525+b").decoded("x").text == "a%25+b")
        #expect(try part("a+b%2B").decoded("x", plusIsSpace: true).text == "a b+")
        for (text, place) in [("ab%2", 2), ("%zz", 0), ("%41%", 3), ("%E2%28", 0)] {
            #expect(defect { () throws(StandardDefect) in _ = try part(text).decoded("x") }?.offset == place, "\(text)")
        }
    }

    @Test("Lengths of tags count characters; what is cut off or stands twice is refused")
    func tags() throws {
        let objects = try TagLengthValue.all(in: part("0102北京0201x"), "object")
        #expect(objects.map(\.tag) == ["01", "02"] && objects.map(\.value.text) == ["北京", "x"])
        for (text, place) in [("0102x", 0), ("01", 2), ("0101x0101y", 5), ("0x01y", 0), ("0001a0", 5)] {
            #expect(
                defect { () throws(StandardDefect) in _ = try TagLengthValue.all(in: part(text), "object") }?.offset
                    == place,
                "\(text)")
        }
    }
}
