import PaymentCore
import PaymentCrypto
import Testing

@testable import PaymentStandards

/// Values that a standard closes, and forms that it opens, each by the standard's own text.
@Suite("Closed lists and open forms")
struct ClosedListTests {
    /// A merchant code with these values of the point of initiation (01) and the amount (54).
    private static func code(initiation: String?, amount: String?) -> String {
        func object(_ tag: String, _ value: String?) -> String {
            value.map { "\(tag)\($0.count < 10 ? "0" : "")\($0.count)\($0)" } ?? ""
        }
        let text =
            object("00", "01") + object("01", initiation) + object("02", "4000123456789012") + object("52", "5811")
            + object("53", "978") + object("54", amount) + object("58", "DE") + object("59", "Cafe")
            + object("60", "Ulm")
            + "6304"
        let sum = CyclicRedundancy.crc16(text.utf8, initial: 0xFFFF)
        return text + Hex.encode([UInt8(sum >> 8), UInt8(sum & 0xFF)]).uppercased()
    }

    /// EMVCo QRCPS MPM 1.1.
    @Test("A merchant code's point of initiation is 11 or 12, its amount above zero in any form that is listed")
    func merchantCodes() throws {
        for initiation in [nil, "11", "12"] {
            for amount in [nil, "98.73", "98", "98.", "0.01"] {
                let code = try MerchantCode(text: Self.code(initiation: initiation, amount: amount))
                #expect(code.text == Self.code(initiation: initiation, amount: amount))
            }
        }
        for initiation in ["00", "10", "13", "21", "1", "xx"] {
            let defect = #expect(throws: StandardDefect.self) {
                try MerchantCode(text: Self.code(initiation: initiation, amount: nil))
            }
            #expect("\(try #require(defect))".contains("point of initiation (01)"), "\(initiation)")
        }
        for amount in ["0", "0.00", "0.", "00", "-1", ".", "1,5"] {
            #expect(throws: StandardDefect.self, "\(amount)") {
                try MerchantCode(text: Self.code(initiation: nil, amount: amount))
            }
        }
    }

    /// EMVCo QRCPS MPM 1.1: the format `ans`.
    @Test("A merchant code is made of ASCII, and of no amount of zero")
    func making() throws {
        func pix(_ name: String, _ city: String = "SAO PAULO", centavos: UInt64? = 100) throws -> MerchantCode {
            try .pix(key: "+5561912345678", name: name, city: city, centavos: centavos)
        }
        _ = try pix("Joao")
        for (name, city) in [("João", "X"), ("Joao", "São Paulo"), ("Müller ☕", "X"), ("a\u{7F}", "X")] {
            #expect(throws: StandardDefect.self) { try pix(name, city) }
        }
        #expect(throws: StandardDefect.self) { try pix("Joao", centavos: 0) }
        #expect(throws: StandardDefect.self) {
            try MerchantCode(
                template: "26", account: [("00", "x.example")], currency: "EUR", minorUnits: 0, country: "DE",
                name: "A",
                city: "B")
        }
    }

    /// EMVCo QRCPS MPM 1.1: `ans` of 59, 60, 61 and 62; template 64 has the other languages.
    @Test("A merchant code whose names have accents is read with a doubt, one whose account has any is refused")
    func accents() throws {
        func object(_ tag: String, _ value: String) -> String {
            let count = value.unicodeScalars.count
            return "\(tag)\(count < 10 ? "0" : "")\(count)\(value)"
        }
        func read(
            card: String? = nil, scheme: String = "br.gov.bcb.pix", key: String = "+5561912345678", note: String = "ok",
            name: String = "Joao", city: String = "Sao Paulo", postalCode: String? = nil, purpose: String? = nil,
            more: String = ""
        ) throws -> PaymentInstruction {
            let text =
                object("00", "01") + (card.map { object("02", $0) } ?? "")
                + object("26", object("00", scheme) + object("01", key) + object("02", note)) + "5204000053039865802BR"
                + object("59", name) + object("60", city) + (postalCode.map { object("61", $0) } ?? "")
                + (purpose.map { object("62", object("08", $0)) } ?? "") + more
            return try MerchantCode(text: Self.sealed(text)).instruction
        }
        #expect(try !read().warnings.contains(.irregular))
        // Free text of a scheme, and what is meant for other languages.
        #expect(try !read(note: "caf\u{E9}", more: "64200002PT0110Jo\u{E3}o Souza").warnings.contains(.irregular))
        let named = try read(name: "Jo\u{E3}o", city: "S\u{E3}o Paulo")
        #expect(named.payee?.name == "Jo\u{E3}o, S\u{E3}o Paulo" && named.warnings.contains(.irregular))
        #expect(try read(city: "\u{5317}\u{4EAC}").warnings.contains(.irregular))
        #expect(try read(postalCode: "\u{661}\u{662}").warnings.contains(.irregular))
        #expect(try read(purpose: "caf\u{E9}").warnings.contains(.irregular))
        // A Cyrillic letter, a full-width digit.
        for defective in [
            { _ = try read(key: "j\u{43E}ao@shop.example") }, { _ = try read(scheme: "br.g\u{43E}v.bcb.pix") },
            { _ = try read(card: "400012345678901\u{FF12}") },
        ] {
            let defect = #expect(throws: StandardDefect.self) { try defective() }
            #expect("\(try #require(defect))".contains("beyond ASCII"))
        }
    }

    /// BOLT 12, "Encoding".
    @Test("A BOLT 12 text may be parted anywhere, its prefix included")
    func offers() throws {
        let offer =
            "lno1pqps7sjqpgtyzm3qv4uxzmtsd3jjqer9wd3hy6tsw35k7msjzfpy7nz5yqcnygrfdej82um5wf5k2uckyypwa3eyt44h6txtxquqh7lz5djge4afgfjn7k4rgrkuag0jsd5xvxg"
        let whole = try Bolt12(try PaymentLink(offer)).fields
        for parted in ["l+no1", "ln+o1", "l+n+o1", "LN+O1", "l+ no1"] {
            let isUpper = parted.hasPrefix("LN")
            let rest = offer.dropFirst(4)
            let link = try PaymentLink(parted + (isUpper ? rest.uppercased() : String(rest)))
            #expect(try Bolt12(link).fields == whole, "\(parted)")
            #expect(StandardsReader().recognize(link).content != nil, "\(parted) is not recognised")
        }
        for malformed in ["ln++o1", "+lno1", "l+", "ln+o", "l+1"] {
            let link = try PaymentLink(malformed + offer.dropFirst(4))
            #expect(throws: StandardDefect.self, "\(malformed)") { try Bolt12(link) }
        }
    }

    /// RFC 8905 and its registry: payments out of band have no account.
    @Test("payto://void needs no account, every other target does")
    func void() throws {
        for text in ["payto://void/?amount=EUR:1", "payto://void?amount=EUR:1", "payto://void"] {
            let read = try Payto(text: text)
            #expect(read.path.isEmpty && read.instruction.payee?.account == nil, "\(text)")
            #expect(try Payto(text: read.text) == read)
        }
        #expect(try Payto(target: "void", path: [], amount: ("EUR", "1")).text == "payto://void/?amount=EUR:1")
        for text in ["payto://iban/", "payto://iban", "payto://x-taler-bank/"] {
            #expect(throws: StandardDefect.self) { try Payto(text: text) }
        }
    }

    @Test("A plus in a payto option is written so that readers of forms find a plus")
    func plus() throws {
        let link = try Payto(target: "void", path: [], receiverName: "A+B", message: "a+b c")
        #expect(link.text == "payto://void/?receiver-name=A%2BB&message=a%2Bb%20c")
        let read = try Payto(text: link.text)
        #expect(read.fields["message"] == "a+b c" && read.fields["receiverName"] == "A+B")
        #expect(try Payto(text: "payto://void/?message=a+b").fields["message"] == "a+b")
    }

    /// LUD-01: "either an https:// clearnet link … or an http:// v2/v3 onion link".
    @Test("A Lightning address of an onion service is http, every other https")
    func onions() throws {
        // https://pay.example/x, http://abc.onion/x
        for text in ["lnurl1dp68gurn8ghj7urp0yhx27rpd4cxcef00q3mq2ad", "lnurl1dp68gup69uhkzcnr9ehku6t0dchhsxdwnpq"] {
            _ = try LNURL(try PaymentLink(text))
        }
        // http://pay.example/x, https://abc.onion/x
        for text in ["lnurl1dp68gup69uhhqcte9ejhsctdwpkx2tmcpr8qc8", "lnurl1dp68gurn8ghj7ctzvvhx7mnfdahz77qhmykf6"] {
            #expect(throws: StandardDefect.self) { try LNURL(try PaymentLink(text)) }
        }
    }

    /// EMVCo QRCPS MPM 1.1: the country of ISO 3166-1, the fees, the name in another language.
    @Test("A merchant code's country, fees and language are of the closed lists")
    func merchantLists() throws {
        func read(_ objects: String..., country: String = "DE") throws -> MerchantCode {
            let text =
                "00020102164000123456789012" + "52045811" + "5303978" + objects.joined()
                + "5802\(country)" + "5904Cafe" + "6003Ulm"
            return try MerchantCode(text: Self.sealed(text))
        }
        for objects in [
            "550202560401.5", "550202560298", "550202560398.", "55020357013",
            "55020357023.",
            "550203570503.50",
        ] { _ = try read(objects) }
        for objects in [
            "55020256010", "55020256040.00", "55020357010", "550203570500.00",
            // Each beside the fee of the other indicator.
            "550202560401.557013", "55020357013560401.5",
        ] {
            #expect(throws: StandardDefect.self, "\(objects)") { try read(objects) }
        }
        _ = try read(country: "XK")
        for country in ["de", "ZZ", "D1"] {
            #expect(throws: StandardDefect.self, "\(country)") { try read(country: country) }
        }
        _ = try read("64180002ZH0108XXXXXXXX")
        for language in ["64060002ZH", "64120108XXXXXXXX", "64190003ZHO0108XXXXXXXX", "64180002Z10108XXXXXXXX"] {
            #expect(throws: StandardDefect.self, "\(language)") { try read(language) }
        }
    }

    private static func sealed(_ objects: String) -> String {
        let text = objects + "6304"
        let sum = CyclicRedundancy.crc16(text.utf8, initial: 0xFFFF)
        return text + Hex.encode([UInt8(sum >> 8), UInt8(sum & 0xFF)]).uppercased()
    }

    /// Replaces `old` in a valid row of the vectors of `file`, and reads the text.
    private static func changed<Standard: PaymentStandard>(
        _ standard: Standard.Type, _ text: String, _ old: String, _ new: String
    ) throws -> Standard {
        let changed = text.replacing(old, with: new)
        #expect(changed != text)
        return try Standard(PaymentLink(changed))
    }

    @Test("Currencies are those of ISO 4217 where a standard says so")
    func currencies() throws {
        let spd = "SPD*1.0*ACC:CZ5855000000001265098001*AM:480.50*CC:CZK"
        let bank = "bank://singlepaymentsepa?name=A&iban=DE33100205000001194700&amount=1,00&currency=EUR"
        let invoice = #"{"uqr":1,"tp":1,"nme":"A","due":10,"cur":"SEK","pt":"BG","acc":"433-8778"}"#
        _ = try ShortPaymentDescriptor(PaymentLink(spd))
        _ = try BezahlCode(PaymentLink(bank))
        _ = try SwedishInvoice(PaymentLink(invoice))
        for unknown in ["ABC", "ZZZ", "eur"] {
            #expect(throws: StandardDefect.self) { try Self.changed(ShortPaymentDescriptor.self, spd, "CZK", unknown) }
            #expect(throws: StandardDefect.self) { try Self.changed(BezahlCode.self, bank, "EUR", unknown) }
            #expect(throws: StandardDefect.self) { try Self.changed(SwedishInvoice.self, invoice, "SEK", unknown) }
        }
    }

    @Test("The models of references on Croatian and Slovenian bills are letters and two digits")
    func models() throws {
        let croatian =
            "HRVHUB30\nEUR\n000000000012355\nA\nB\nC\nD\nE\nF\nHR1210010051863000160\nHR01\n7269-68949637676\nCOST\nText\n"
        _ = try CroatianBill(PaymentLink(croatian))
        for model in ["HRAB", "HR0X", "HRHR"] {
            #expect(throws: StandardDefect.self) {
                try Self.changed(CroatianBill.self, croatian, "HR01\n", model + "\n")
            }
        }
    }

    @Test("A Slovenian bill's reference has a model")
    func slovenianModels() throws {
        func bill(_ reference: String) throws -> SlovenianBill {
            var lines = [
                "UPNQR", "", "", "", "", "", "", "", "00000000100", "", "", "OTHR", "", "", "SI60011006001234567",
            ]
            lines += [reference, "A", "", ""]
            let sum = lines.reduce(lines.count) { $0 + $1.count }
            return try SlovenianBill(
                PaymentLink((lines + ["\(sum < 100 ? "0" : "")\(sum)", ""]).joined(separator: "\n")))
        }
        for reference in ["SI00", "SI1200012345678901234", ""] { _ = try bill(reference) }
        for reference in ["SIAB", "XX00123", "00123", "SI0-1"] {
            #expect(throws: StandardDefect.self, "\(reference)") { try bill(reference) }
        }
    }

    @Test("A web link with an XRP address is read by its parameters, whatever its host")
    func webLinks() throws {
        let address = "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY"
        for (query, tag, amount) in [
            ("to=\(address)", nil, nil), ("to=\(address)&dt=123&amount=2.5", "123", "2.5"),
            ("x=1&amount=7&to=\(address)&dt=0", "0", "7"),
        ] {
            let link = try PaymentLink("https://pay.example/any/path?\(query)")
            let found = try #require(StandardsReader().recognize(link).content, "\(query) is not recognised")
            let fields = found.fields
            #expect(fields["to"]?.string == address && fields["tag"]?.number?.text == tag)
            #expect(fields["amount"]?.string == amount)
        }
        // Not an address of this chain: the link is of another kind.
        for other in ["to=home", "to=1BoatSLRHtKNngkdXEeobR76b53LETtpyT", "to=", "dt=1"] {
            let link = try PaymentLink("https://pay.example/?\(other)")
            let defect = #expect(throws: StandardDefect.self) { try XRP(link) }
            #expect(defect?.kind == .foreign, "\(other)")
        }
        for malformed in ["to=\(address)&dt=x", "to=\(address)&dt=1&dt=2", "to=\(address)&amount=1,5"] {
            let defect = #expect(throws: StandardDefect.self) {
                try XRP(PaymentLink("https://pay.example/?\(malformed)"))
            }
            #expect(defect?.kind != .foreign, "\(malformed)")
        }
        #expect(throws: StandardDefect.self) { try XRP(PaymentLink("http://pay.example/?to=\(address)")) }
    }
}
