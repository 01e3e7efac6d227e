import PaymentCore
import PaymentStandards
import TestSupport
import Testing

@Suite("Texts that are worth money")
struct SecretTextTests {
    @Test("A customer's code prints nothing of the card, however it is printed")
    func consumerCode() throws {
        let reader = StandardsReader()
        for row in try VectorFile("emv-cpm").rows("valid") {
            let value = try #require(reader.recognize(try PaymentLink(row.input)).content, "not read")
            let instruction = value.instruction
            var dumped = ""
            dump(value, to: &dumped)
            dump(instruction, to: &dumped)
            let printed =
                "\(value) \(instruction) \(String(reflecting: value)) \(String(reflecting: instruction)) \(dumped)"
            for secret in secrets(value.fields["tlv"]) { #expect(!printed.contains(secret)) }
            #expect(instruction.publicFields == ["payloadFormat"])
        }
    }

    /// All hexadecimal values of four bytes or more.
    private func secrets(_ value: JSONValue?) -> [String] {
        switch value {
        case .string(let text)?: text.utf8.count > 7 ? [text] : []
        case .array(let items)?: items.flatMap { secrets($0) }
        default: []
        }
    }

    @Test("Not even a broken token or customer's code is shown", arguments: ["emv-cpm", "cashu"])
    func broken(file: String) throws {
        let reader = StandardsReader()
        for row in try VectorFile(file).rows("invalid") {
            guard let link = try? PaymentLink(row.input),
                case .defective(let standard, let defect) = reader.recognize(link)
            else { continue }
            #expect(defect.holdsSecret == (standard != "cashu-request"), "\(standard): \(row.why)")
            #expect(!defect.description.contains(row.input.suffix(12)))
        }
    }

    @Test("An instruction without a secret prints what it says")
    func others() throws {
        let instruction = try #require(ReadText("DE75512108001245126199").instruction, "not read")
        #expect("\(instruction)".contains("DE75512108001245126199"))
    }
}
