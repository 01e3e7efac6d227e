import Foundation
import PaymentCore
import TestSupport
import Testing

@testable import PaymentStandards

@Suite("Bank numbers and codes that people make")
struct BankTests {
    private func part(_ text: String) -> TextPart { TextPart(bytes: Array(text.utf8)[...]) }

    /// The result of a row of `lib-bank-numbers`: its fields, or nil if the number is not sound.
    private func read(_ kind: String, _ text: String) -> [String: JSONValue]? {
        do throws(StandardDefect) {
            switch kind {
            case "rf": return ["normalised": .string(try CreditorReference.rf(part(text), "reference"))]
            case "qrr":
                _ = try CreditorReference.qr(part(text), "reference")
                return [:]
            case "aba": return CheckDigits.isRoutingNumber(part(text).bytes) ? [:] : nil
            case "bic":
                let code = try BankCode(part(text), "BIC")
                return [
                    "bank": .string(code.bank), "country": .string(code.country), "location": .string(code.location),
                    "branch": code.branch.map(JSONValue.string) ?? .null,
                ]
            default: return nil
            }
        } catch { return nil }
    }

    @Test("References, routing numbers and bank codes")
    func bankNumbers() throws {
        let json = try JSONValue(parsing: Array(Vectors.data("lib-bank-numbers")))
        for list in ["valid", "invalid"] {
            let rows = try #require(json[list]?.array)
            #expect(!rows.isEmpty)
            for row in rows {
                let input = try #require(row["input"])
                let kind = try #require(input["kind"]?.string)
                let value = try #require(input["value"]?.string)
                let expected = list == "valid" ? try #require(row["expect"]?.object) : nil
                #expect(read(kind, value) == expected, "\(kind) \(value)")
            }
        }
    }

    @Test("A Swiss bill made of values says them again")
    func swissBill() throws {
        let creditor = SwissBill.Party(
            name: "Robert Schneider AG", street: "Rue du Lac", houseNumber: "1268", postalCode: "2501", town: "Biel",
            country: "CH")
        let bill = try SwissBill(
            iban: "CH4431999123000889012", creditor: creditor, cents: 5, reference: "210000000003139471430009017",
            message: "Order 7")
        #expect(bill.amount == "0.05" && bill.referenceType == "QRR" && bill.creditor == creditor)
        #expect(try SwissBill(text: bill.text) == bill)
        #expect(bill.instruction.amount == .fixed(try Money(decimal: "0.05", currency: .fiat(FiatCurrency("CHF")))))
        #expect(throws: StandardDefect.self) {
            try SwissBill(iban: "CH4431999123000889012", creditor: creditor, reference: "RF18539007547034")
        }
        #expect(throws: StandardDefect.self, "a line end would begin another field") {
            try SwissBill(iban: "CH5800791123000889012", creditor: creditor, message: "a\nEPD")
        }
        #expect(throws: StandardDefect.self) {
            try SwissBill(iban: "CH5800791123000889012", creditor: creditor, cents: 0)
        }
    }

    @Test("A line end in a value would begin another field, and is refused")
    func lineEnds() throws {
        for text in ["a\nb", "a\r\nb"] {
            #expect(throws: StandardDefect.self) {
                try EPCCode(name: "A", iban: "DE33100205000001194700", remittance: text)
            }
        }
        #expect(try EPCCode(name: "A", iban: "DE33100205000001194700", cents: 7, remittance: "a b").amount == "0.07")
    }

    @Test("Letters that only look Latin are no part of a Swiss bill")
    func swissLetters() throws {
        let file = try VectorFile("swiss-qr-bill").rows("valid")
        let text = try #require(file.first?.input)
        let changed = text.replacing("Robert", with: "R\u{43E}bert")
        let place = try #require(changed.utf8.firstRange(of: Array("\u{43E}".utf8)))
        do throws(StandardDefect) {
            _ = try SwissBill(text: changed)
            Issue.record("a Cyrillic letter was taken")
        } catch {
            #expect(error.kind == .encoding)
            #expect(error.offset == changed.utf8.distance(from: changed.startIndex, to: place.lowerBound))
        }
    }

    @Test("A Czech descriptor made of values says them again, with its checksum")
    func shortPaymentDescriptor() throws {
        let made = try ShortPaymentDescriptor(
            iban: "CZ5855000000001265098001", hundredths: 48050, message: "50% OFF*", variableSymbol: "42",
            hasChecksum: true)
        #expect(
            made.text.hasPrefix("SPD*1.0*ACC:CZ5855000000001265098001*AM:480.50*CC:CZK*MSG:50%25 OFF%2A*X-VS:42*CRC32:")
        )
        #expect(try ShortPaymentDescriptor(text: made.text) == made)
        #expect(made.fields["message"] == "50% OFF*")
        #expect(throws: StandardDefect.self) {
            try ShortPaymentDescriptor(text: made.text.replacing("AM:480.50", with: "AM:480.51"))
        }
        #expect(throws: StandardDefect.self) {
            try ShortPaymentDescriptor(iban: "CZ5855000000001265098001", variableSymbol: "12345678901")
        }
    }

    @Test("Fields of a Czech descriptor in any order print in one")
    func descriptorOrder() throws {
        let one = try ShortPaymentDescriptor(text: "SPD*1.0*X-B:2*MSG:A*ACC:CZ5855000000001265098001*X-A:1*")
        #expect(one.text == "SPD*1.0*ACC:CZ5855000000001265098001*MSG:A*X-A:1*X-B:2")
        #expect(try ShortPaymentDescriptor(text: one.text) == one)
    }

    @Test("Mandates and contacts are no payments")
    func bezahlCodePurposes() throws {
        for row in try VectorFile("bezahlcode").rows("valid") {
            let code = try BezahlCode(text: row.input)
            let expected: PaymentInstruction.Purpose =
                row.expect["pull"] == true ? .pull : row.expect["payment"] == false ? .information : .payment
            #expect(code.instruction.purpose == expected, "\(row.input)")
        }
    }

    @Test(
        "Days that no calendar has are refused", arguments: ["20300229", "20301301", "20300431", "20300100", "2030011"])
    func days(_ text: String) {
        #expect(throws: StandardDefect.self) { try CalendarDay(part(text), "date", .yyyyMMdd) }
    }

    @Test("Days count from 1970, over leap years")
    func daysSince1970() throws {
        for (text, days) in [("19700101", 0), ("20000229", 11_016), ("20301231", 22_279), ("19691231", -1)] {
            #expect(
                try CalendarDay(part(text), "date", .yyyyMMdd).date().timeIntervalSince1970 == Double(days) * 86_400)
        }
        #expect(try CalendarDay(part("240229"), "date", .yyMMdd).iso == "2024-02-29")
        #expect(try CalendarDay(part("31.12.2030"), "date", .dottedDay).iso == "2030-12-31")
    }
}
