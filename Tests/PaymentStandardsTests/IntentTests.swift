import PaymentCore
import PaymentStandards
import Testing

@Suite("Android intents around links")
struct IntentTests {
    private static let reader = StandardsReader()

    @Test("An intent is read as the link inside, and the app that it names is not opened")
    func read() throws {
        let link = try PaymentLink("intent://pay?pa=shop@okbank&am=5.00#Intent;scheme=upi;package=com.evil;end")
        guard case .instruction(let instruction) = Self.reader.read(link) else {
            Issue.record("not read")
            return
        }
        #expect(instruction.standard == "upi" && instruction.payee?.account == "shop@okbank")
        #expect(instruction.warnings.contains(.opensNothing))
        #expect(instruction.fields["package"] == nil)
    }

    @Test("What must keep its case keeps it")
    func spelling() throws {
        let token = "f2f0AbCdEf"
        let value = try #require(
            Self.reader.recognize(try PaymentLink("intent://\(token)#Intent;scheme=wxp;end")).content, "not read")
        #expect(value.fields["token"] == .string(token))
    }

    @Test("A defect inside says its place in the whole text")
    func place() throws {
        let text = "intent://pay?pa=shop@okbank&am=1,5#Intent;scheme=upi;end"
        let defect = try #require(Self.reader.recognize(try PaymentLink(text)).defect(of: "upi"), "not refused")
        #expect(Array(text.utf8)[defect.offset] == UInt8(ascii: ","))
        let missing = "intent://pay?am=1#Intent;scheme=upi;end"
        let absence = try #require(Self.reader.recognize(try PaymentLink(missing)).defect, "not refused")
        #expect(Array(missing.utf8)[absence.offset] == UInt8(ascii: "#"))
    }

    @Test(
        "A broken text inside that is worth money, or holds a secret, is marked as it is alone",
        arguments: [
            ("cashu:cashuAnot-a-token", "intent:cashuAnot-a-token#Intent;scheme=cashu;end"),
            ("pubkyauth://signin?secret=x", "intent://signin?secret=x#Intent;scheme=pubkyauth;end"),
        ])
    func secrets(alone: String, intent: String) throws {
        for text in [alone, intent] {
            let defect = try #require(Self.reader.recognize(try PaymentLink(text)).defect, "\(text) is not refused")
            #expect(defect.holdsSecret)
        }
    }

    @Test(
        "What names no scheme, or no payment's, is of no standard",
        arguments: [
            "intent://pay?pa=a@okbank#Intent;package=x;end", "intent://pay?pa=a@okbank#Intent;scheme=upi",
            "intent://pay?pa=a@okbank#intent;scheme=upi;end", "intent://pay?pa=a@okbank",
            "intent://x#Intent;scheme=intent;end", "intent://x#Intent;scheme=javascript;end",
            "intent://pay?pa=a@okbank#Intent;scheme=up i;end", "intent://pay?pa=a@okbank#Intent;scheme=;end",
        ])
    func none(text: String) {
        guard let link = try? PaymentLink(text) else { return }
        #expect(Self.reader.recognize(link).isNone, "\(Self.reader.recognize(link))")
    }
}
