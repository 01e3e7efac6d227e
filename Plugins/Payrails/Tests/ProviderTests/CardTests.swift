import Foundation
import PaymentCore
import Testing

@testable import PayrailsKit
@testable import PayrailsProvider

@Suite("Card rules (Protocol 5)")
struct CardTests {
    private let now = YearAndMonth(year: 2026, month: 11)

    @Test(
        "Numbers that are valid, with their brands (Protocol 5.4)",
        arguments: [
            ("4242424242424242", "Visa"), ("4111111111111111", "Visa"), ("4222222222222", "Visa"),
            ("5555555555554444", "Mastercard"), ("2223003122003222", "Mastercard"), ("378282246310005", "Amex"),
            ("6011111111111117", "Discover"), ("30569309025904", "DinersClub"), ("3566002020360505", "Jcb"),
            ("6200000000000005", "Unionpay"), ("6759649826438453", "Maestro"), ("6062826786276634", "Hipercard"),
        ])
    func numbers(number: String, brand: String) {
        #expect(CardBrand.of(number).name == brand)
        #expect(CardValidation.number(number) == nil)
        #expect(CardValidation.number(CardFormatter.number(number)) == nil)
        #expect(CardDigits.only(CardFormatter.number(number)) == number)
        // Any other last digit is wrong.
        let last = number.last == "9" ? "0" : String(Int(String(number.last ?? "0"))! + 1)
        #expect(CardValidation.number(number.dropLast() + last) == .invalidCardNumber)
    }

    @Test(
        "Numbers that are not",
        arguments: [
            "4242424242424241", "4242 4242  4242 4242", "4242_4242_4242_4242", " 4242424242424242", "424242424242424",
            "42424242424242424242", "４２４２424242424242", "abc", "-4242424242424242", "55555555555544440",
        ])
    func notNumbers(number: String) {
        #expect(CardValidation.number(number) == .invalidCardNumber)
    }

    @Test("The recorded oddity: zeros pass, as an unknown brand")
    func zeros() {
        #expect(CardValidation.number("0000000000000000") == nil && CardBrand.of("0000").name == "Unknown")
        #expect(CardValidation.number("") == .empty && CardBrand.of("").name == "Unknown")
    }

    @Test(
        "Networks by prefix (Protocol 5.4)",
        arguments: [
            ("4", CardNetwork.visa), ("51", .mastercard), ("2221", .mastercard), ("2720", .mastercard), ("34", .amex),
            ("37", .amex), ("6011", .discover), ("65", .discover), ("644", .discover), ("622", .discover),
            ("3528", .jcb), ("3589", .jcb), ("305", .diners), ("36", .diners), ("38", .diners), ("62", .unionpay),
            ("621234", .unionpay), ("4-abc", .visa), ("9", .unknown), ("", .unknown), ("2220", .unknown),
            ("2721", .unknown), ("3527", .unknown), ("35", .unknown), ("306", .unknown), ("643", .unknown),
        ])
    func networks(number: String, network: CardNetwork) {
        #expect(CardNetwork(number: number) == network)
    }

    @Test("Networks by name, and their pictures")
    func names() {
        for (name, network) in [
            ("VISA", CardNetwork.visa), (" Master Card ", .mastercard), ("american express", .amex),
            ("Diners Club", .diners), ("DinersClub", .diners), ("Jcb", .jcb), ("Unionpay", .unionpay),
            ("Cartes Bancaires", .unknown), ("", .unknown),
        ] {
            #expect(CardNetwork(scheme: name) == network)
        }
        #expect(CardNetwork.amex.iconURL == "https://assets.payrails.io/img/logos/card/amex.png")
        #expect(CardNetwork.unknown.iconURL.hasSuffix("/ic-card.png"))
    }

    @Test(
        "Typing a number groups it by its brand (Protocol 5.5)",
        arguments: [
            ("", ""), ("4", "4"), ("42424", "4242 4"), ("4242 4242-4242x4242", "4242 4242 4242 4242"),
            ("42424242424242429", "4242 4242 4242 4242"), ("378282246310005", "3782 822463 10005"),
            ("30569309025904", "3056 930902 5904"), ("6759649826438453111", "6759 6498 2643 8453 111"),
        ])
    func grouping(typed: String, shown: String) {
        #expect(CardFormatter.number(typed) == shown)
    }

    @Test("Typing dates, months, years and codes (Protocol 5.5)")
    func typing() {
        for (typed, shown) in [
            ("1", "1"), ("12", "12"), ("123", "12/3"), ("12/304", "12/30"), ("a", ""),
            // A whole date, as browsers fill it in.
            ("12/2030", "12/30"), ("122030", "12/30"), ("12/20305", "12/20"), ("12/1930", "12/19"),
        ] {
            #expect(CardFormatter.expiryDate(typed) == shown)
        }
        for (typed, shown) in [("2", "02"), ("9", "09"), ("1", "1"), ("12", "12"), ("13", ""), ("0", "0"), ("00", "")] {
            #expect(CardFormatter.month(typed) == shown)
        }
        #expect(CardFormatter.month("1", isComplete: true) == "01")
        #expect(CardFormatter.month("0", isComplete: true) == "")
        #expect(CardFormatter.year("20301") == "2030")
        #expect(CardFormatter.securityCode("12345", brand: .of("37")) == "1234")
        #expect(CardFormatter.securityCode("12345", brand: .of("4")) == "123")
    }

    @Test("Names, codes, months, years (Protocol 5.3)")
    func fields() {
        for (name, error) in [
            ("Ada Example", nil), ("O'Neil, J.-P.", nil), ("A", .regexMatchFailed), ("Zoë", .regexMatchFailed),
            ("A1", .regexMatchFailed), ("", .empty),
        ] as [(String, CardFieldError?)] {
            #expect(CardValidation.holderName(name) == error, "\(name)")
        }
        for (code, number, error) in [
            ("123", nil, nil), ("1234", nil, nil), ("12", nil, .invalidLength), ("12a", nil, .regexMatchFailed),
            ("123", "4", nil), ("1234", "4", .invalidLength), ("123", "37", .invalidLength), ("1234", "37", nil),
            ("", nil, .empty), ("１２３", nil, .regexMatchFailed),
        ] as [(String, String?, CardFieldError?)] {
            #expect(CardValidation.securityCode(code, brand: number.map { .of($0) }) == error, "\(code)")
        }
        for (month, isValid) in [("01", true), ("12", true), ("1", true), ("2", false), ("00", false), ("13", false)] {
            #expect((CardValidation.month(month) == nil) == isValid, "\(month)")
        }
        for (year, error) in [
            ("2026", nil), ("2076", nil), ("2025", .invalidExpirationYear), ("2077", .invalidExpirationYear),
            ("30", .invalidExpirationYear), ("203", .regexMatchFailed), ("x", .regexMatchFailed), ("", .empty),
        ] as [(String, CardFieldError?)] {
            #expect(CardValidation.year(year, now: now) == error, "\(year)")
        }
        #expect(CardFieldError.invalidExpirationYear.rawValue == "INVALID_EXPIRATOIN_YEAR")
    }

    @Test("Month and year together: a month that is over is found, which the vendor's form does not")
    func expiry() {
        #expect(CardValidation.expiry(month: "11", year: "2026", now: now) == nil)
        #expect(CardValidation.expiry(month: "10", year: "2026", now: now) == .invalidExpirationDate)
        #expect(CardValidation.expiry(month: "1", year: "2027", now: now) == nil)
        for (text, error) in [
            ("11/26", nil), ("10/26", .invalidExpirationDate), ("01/27", nil), ("12/76", nil),
            ("01/77", .invalidExpirationDate), ("12/2030", .invalidExpirationDate), ("1230", .invalidExpirationDate),
            ("13/30", .regexMatchFailed), ("00/00", .regexMatchFailed), ("1/30", .regexMatchFailed),
            ("12/30/1", .regexMatchFailed), ("", .empty),
        ] as [(String, CardFieldError?)] {
            #expect(CardValidation.expiryDate(text, now: now) == error, "\(text)")
        }
    }

    @Test("Reading a combined date (Protocol 5.3)")
    func parts() {
        for (text, month, year) in [
            ("12/30", "12", "2030"), ("30/12", "12", "2030"), ("1230", "12", "2030"), ("122030", "12", "2030"),
            ("203012", "12", "2030"), ("12/2030", "12", "2030"), ("2030/12", "12", "2030"), ("01/02", "01", "2002"),
        ] {
            let parts = CardFormatter.parts(ofExpiryDate: text)
            #expect(parts?.month == month && parts?.year == year, "\(text)")
        }
        #expect(CardFormatter.parts(ofExpiryDate: "99/99") == nil && CardFormatter.parts(ofExpiryDate: "") == nil)
    }

    @Test("The month that a moment is in depends on the place")
    func calendar() throws {
        let moment = Date(timeIntervalSince1970: 1_798_761_599)  // 2026-12-31T23:59:59Z
        #expect(YearAndMonth(moment, timeZone: .gmt) == YearAndMonth(year: 2026, month: 12))
        let tokyo = try #require(TimeZone(secondsFromGMT: 9 * 3600))
        #expect(YearAndMonth(moment, timeZone: tokyo) == YearAndMonth(year: 2027, month: 1))
    }

    @Test("Luhn alone")
    func luhn() {
        #expect(CardValidation.passesLuhn("18") && CardValidation.passesLuhn("0") && !CardValidation.passesLuhn("1"))
        #expect(!CardValidation.passesLuhn("") && !CardValidation.passesLuhn("1 8"))
    }

    @Test("Texts of fields (Protocol 5.1, 5.6)")
    func texts() {
        #expect(CardFieldType.allCases.map(\.rawValue) == Array(0...7))
        #expect(CardFieldType.CARD_NUMBER.column == "card_number" && CardFieldType.CVV.column == "security_code")
        #expect(CardFieldType.EXPIRATION_DATE.defaultErrorText == "Enter a valid expiry date (MM/YY)")
        #expect(CardFieldType.CVV.defaultErrorText == "Enter the 3 or 4 digit code")
        #expect(CardFieldType.EXPIRATION_YEAR.defaultPlaceholder == "YYYY" && CardFieldType.PIN.defaultErrorText == nil)
    }

    @Test("A card that is taken as a whole names every field that is wrong, and nothing that was entered")
    func details() throws {
        let error = #expect(throws: CardDetailsError.self) {
            try CardDetails(
                number: "4111111111111112", expiryMonth: "10", expiryYear: "2026", securityCode: "99999",
                holderName: "Zoë", now: now)
        }
        #expect(
            error?.fields == [
                .CARD_NUMBER: .invalidCardNumber, .EXPIRATION_DATE: .invalidExpirationDate, .CVV: .invalidLength,
                .CARDHOLDER_NAME: .regexMatchFailed,
            ])
        #expect(
            error?.description == "Enter name as it appears on card; Enter a valid card number; "
                + "Enter a valid expiry date (MM/YY); Enter the 3 or 4 digit code")
        let card = try CardDetails(
            number: "4111 1111 1111 1111", expiryMonth: "1", expiryYear: "2030", securityCode: nil, now: now)
        #expect(card.number.reveal() == Canary.pan && card.expiryMonth.reveal() == "01" && card.securityCode == nil)
    }
}
