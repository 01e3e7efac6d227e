import Foundation
import PaymentCore
import TestSupport
import Testing

@testable import PaymentStandards

@Suite("Codes and links for phones that people make")
struct PhonePaymentTests {
    @Test("A UPI link made of values says them again")
    func upi() throws {
        let link = try UPILink(
            address: "shop@okbank", name: "Corner & Sons", paise: 15050, note: "Tea + milk", reference: "T1")
        #expect(
            link.text == "upi://pay?pa=shop@okbank&pn=Corner%20%26%20Sons&tr=T1&tn=Tea%20%2B%20milk&am=150.50&cu=INR")
        #expect(try UPILink(text: link.text) == link)
        #expect(link.fields["tn"] == "Tea + milk")
        #expect(link.instruction.amount == .fixed(try Money(decimal: "150.50", currency: .fiat(FiatCurrency("INR")))))
        #expect(throws: StandardDefect.self) { try UPILink(address: "shop", name: "A") }
        #expect(throws: StandardDefect.self) { try UPILink(address: "shop@okbank", name: "A", paise: 0) }
        let injected = try UPILink(address: "shop@okbank", name: "A&pa=evil@ybl")
        #expect(injected.fields["pa"] == "shop@okbank" && injected.fields["pn"] == "A&pa=evil@ybl")
    }

    @Test("Parameters of a UPI link in any order and case print in one")
    func upiOrder() throws {
        let link = try UPILink(text: "tez://upi/pay?am=5&PN=A+B&x=1&pa=shop@okbank")
        #expect(link.text == "tez://upi/pay?pa=shop@okbank&pn=A%20B&am=5&x=1")
        #expect(try UPILink(text: link.text) == link)
    }

    @Test("How a link was written does not tell two apart that say the same")
    func marksOfWriting() throws {
        let guessed = try UPILink(text: "upi://pay?pa=shop@okbank&tn=%E0")
        #expect(try guessed == UPILink(text: guessed.text))
        let grouped = try Payto(text: "payto://iban/DE75512108001245126199?amount=EUR:1,0700")
        #expect(try grouped == Payto(text: "payto://iban/DE75512108001245126199?amount=EUR:10700"))
    }

    @Test("A UPI link with a least amount is no fixed price, and a mandate no payment")
    func upiPurposes() throws {
        let link = try UPILink(text: "upi://pay?pa=shop@okbank&am=50&mam=10")
        #expect(link.instruction.amount == .minimum(try Money(decimal: "10.00", currency: .fiat(FiatCurrency("INR")))))
        #expect(
            try UPILink(text: "upi://pay?pa=shop@okbank&am=50&mam=null").instruction.warnings.contains(.amountEditable)
                == false)
        #expect(try UPILink(text: "upi://mandate?pa=shop@okbank&am=50").instruction.purpose == .pull)
    }

    @Test("A payto link made of values says them again")
    func payto() throws {
        let link = try Payto(
            target: "iban", path: ["BFSWDE33BER", "DE75512108001245126199"], amount: ("EUR", "10.50"),
            receiverName: "A & B", message: "Tea + milk / 50%")
        #expect(
            link.text
                == "payto://iban/BFSWDE33BER/DE75512108001245126199?amount=EUR:10.50&receiver-name=A%20%26%20B"
                + "&message=Tea%20%2B%20milk%20%2F%2050%25")
        #expect(try Payto(text: link.text) == link)
        #expect(link.fields["iban"] == "DE75512108001245126199" && link.receiverName == "A & B")
        for path in [["DE75512108001245126198"], [], [""], ["a/b", "c", "d"]] {
            #expect(throws: StandardDefect.self, "\(path)") { try Payto(target: "iban", path: path) }
        }
        for (target, digits) in [("iban/x", "1"), ("iban", "1,5"), ("iban", "-1"), ("IBAN", "1")] {
            #expect(throws: StandardDefect.self, "\(target) \(digits)") {
                try Payto(target: target, path: ["DE75512108001245126199"], amount: ("EUR", digits))
            }
        }
    }

    @Test("A Czech descriptor keeps the space at the end of its message")
    func lastSpace() throws {
        let code = try ShortPaymentDescriptor(
            text: "SPD*1.0*ACC:CZ5855000000001265098001*MSG:Tea *ALT-ACC:CZ3155000000001043006511")
        #expect(code.text.hasSuffix("*MSG:Tea *"))
        #expect(try ShortPaymentDescriptor(text: code.text) == code)
    }

    @Test("A token's transfer made of values names its payee, not the contract")
    func token() throws {
        let (token, payee) = (
            "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
        )
        let link = try #require(EIP681(token: token, recipient: payee, chainID: 8453, units: "1000000"))
        #expect(link.text == "ethereum:\(token)@8453/transfer?address=\(payee)&uint256=1000000")
        #expect(try EIP681(text: link.text) == link)
        #expect(link.instruction.payee?.account == payee)
        for (recipient, units) in [(payee.uppercased(), "1"), (payee, "1e3"), (payee, ""), ("\(payee)&uint256=9", "1")]
        {
            #expect(EIP681(token: token, recipient: recipient, chainID: 1, units: units) == nil)
        }
    }

    @Test("A Pix code made of values says them again")
    func pix() throws {
        let code = try MerchantCode.pix(
            key: "alice@example.com", name: "Alice", city: "BRASILIA", centavos: 1, transaction: "A1",
            information: "che")
        #expect(try MerchantCode(text: code.text) == code)
        #expect(code.fields["scheme"] == "pix" && code.fields["pixKey"] == "alice@example.com")
        #expect(code.fields["amount"] == "0.01" && code.instruction.reference == "A1")
        let open = try MerchantCode.pix(key: "+5561912345678", name: "Bob", city: "RIO")
        #expect(open.instruction.reference == nil && open.instruction.amount == .open)
        #expect(throws: StandardDefect.self) {
            try MerchantCode.pix(key: "a@b.c", name: "A", city: "B", transaction: "a b")
        }
        #expect(throws: StandardDefect.self) { try MerchantCode.pix(key: "", name: "A", city: "B") }
        #expect(throws: StandardDefect.self, "no city may have sixteen letters") {
            try MerchantCode.pix(key: "a@b.c", name: "A", city: "ABCDEFGHIJKLMNOP")
        }
    }

    @Test("The published example of a Pix code comes out of its values")
    func pixExample() throws {
        let text =
            "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal"
            + "6008BRASILIA62070503***63041D3D"
        let code = try MerchantCode.pix(
            key: "123e4567-e12b-12d1-a456-426655440000", name: "Fulano de Tal", city: "BRASILIA")
        #expect(code.text == text)
    }

    @Test("Amounts of a merchant code have their currency's decimals")
    func decimals() throws {
        let code = try MerchantCode(
            template: "38", account: [("00", "A000000727"), ("02", "QRIBFTTA")], currency: "VND", minorUnits: 50_000,
            country: "VN", name: "QUAN", city: "HANOI", isForOnePayment: true)
        #expect(code.fields["amount"] == "50000" && code.fields["currency"] == "VND" && code.fields["poi"] == "dynamic")
        #expect(try MerchantCode(text: code.text) == code)
    }

    @Test("A code that expires says when, by the clocks of its country")
    func expiry() throws {
        for (end, seconds) in [("20301231", 1_924_963_200), ("20301231120000", 1_924_920_000)] {
            let code = try MerchantCode(
                template: "26",
                account: [("00", "SG.PAYNOW"), ("01", "2"), ("02", "T08GB0001A"), ("03", "0"), ("04", end)],
                currency: "SGD", minorUnits: 100, country: "SG", name: "A", city: "Singapore")
            #expect(code.instruction.expiresAt == Date(timeIntervalSince1970: Double(seconds)))
            #expect(code.instruction.warnings.contains(.expires))
        }
    }

    @Test("What a customer shows a shop is never to be paid or logged")
    func consumerCode() throws {
        for row in try VectorFile("emv-cpm").rows("valid") {
            let instruction = try ConsumerCode(text: row.input).instruction
            #expect(instruction.purpose == .presentation && instruction.holdsSecret && instruction.payee == nil)
        }
    }

    @Test("Objects of a customer's code that nest without end or are cut off are refused")
    func nesting() {
        // 85 "CPV01", then templates within templates.
        for text in ["hQVDUFYwMWEIYQZhBGECTwA=", "hQVDUFYwMWEH", "hQVDUFYwMWGC//8="] {
            #expect(throws: StandardDefect.self, "\(text)") { try ConsumerCode(text: text) }
        }
    }
}
