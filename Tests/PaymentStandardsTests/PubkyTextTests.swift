import PaymentCore
import PaymentStandards
import PaymentTesting
import TestSupport
import Testing

/// The purposes of the texts of the Pubky network, and their hidden parts.
@Suite("Texts of the Pubky network")
struct PubkyTextTests {
    private static let reader = StandardsReader()

    private static func instructions() throws -> [PaymentInstruction] {
        try VectorFile("pubky").rows("valid").compactMap { row in
            guard case .instruction(let instruction) = reader.read(try PaymentLink(row.input)) else { return nil }
            return instruction
        }
    }

    @Test("Users, requests and endpoints are to be paid; what a key manager is asked and answers is not")
    func roles() throws {
        let all = try Self.instructions()
        #expect(all.count == (try VectorFile("pubky").rows("valid").count))
        for instruction in all {
            switch instruction.fields["kind"]?.string {
            case "payee", "request", "invoice":
                #expect(instruction.role == .payment && instruction.purpose == .payment)
                #expect(instruction.holdsSecret == (instruction.fields["encryptionKey"] != nil))
                #expect(instruction.payee?.account?.isEmpty == false)
            case "authorization": #expect(instruction.role == .authorization && instruction.purpose == .information)
            case "callback": #expect(instruction.role == .callback && instruction.purpose == .information)
            default: Issue.record("\(instruction)")
            }
        }
    }

    @Test("An endpoint says what it says by itself: amount, network, payee and end")
    func endpoints() throws {
        for row in try VectorFile("pubky").rows("valid") {
            guard let endpoint = row.expect["endpoint"]?.string, row.expect["endpointStandard"] != nil,
                case .instruction(let outer) = Self.reader.read(try PaymentLink(row.input)),
                case .instruction(let inner) = Self.reader.read(try PaymentLink(endpoint))
            else { continue }
            #expect(inner.standard == row.expect["endpointStandard"]?.string)
            #expect(outer.amount == inner.amount && outer.payee == inner.payee && outer.network == inner.network)
            #expect(outer.expiresAt == inner.expiresAt && outer.reference == inner.reference)
            #expect(outer.warnings == inner.warnings)
        }
    }

    @Test("Secrets of authorisations and sessions are in fields that are not shown, and are not printed")
    func secrets() throws {
        var count = 0
        for row in try VectorFile("pubky").rows("valid") {
            guard case .instruction(let instruction) = Self.reader.read(try PaymentLink(row.input)) else { continue }
            for name in ["secret", "signUpToken", "session", "sessionSecret", "encryptionKey"] {
                guard let secret = instruction.fields[name]?.string else { continue }
                count += 1
                #expect(instruction.holdsSecret && !instruction.publicFields.contains(name), "\(row.input)")
                var dumped = "\(instruction) \(String(reflecting: instruction))"
                dump(instruction, to: &dumped)
                #expect(!dumped.contains(secret))
            }
        }
        #expect(count >= 9)
    }

    @Test("Not even a broken question or answer is shown")
    func broken() throws {
        for row in try VectorFile("pubky").rows("invalid") {
            guard let link = try? PaymentLink(row.input),
                case .defective(let standard, let defect) = Self.reader.recognize(link), standard == "pubky"
            else { continue }
            let isPublic = ["pubky:", "pk:", "pubky://", "paykit:"].contains { row.input.hasPrefix($0) }
            #expect(defect.holdsSecret || isPublic, "\(row.input)")
            #expect(!defect.description.contains("kqnceEMgrNQM"))
        }
    }

    @Test("A bare text of the right length is a key only where its spare bits are zero and it is a point of the curve")
    func bareTexts() throws {
        var random = SplitMix64(seed: 5)
        let letters = Array("ybndrfg8ejkmcpqxot1uwisza345h769")
        var claimed = 0
        for _ in 0..<2000 {
            let text = String((0..<52).map { _ in letters[Int(random.next() % 32)] })
            guard case .sound(let value) = Self.reader.recognize(try PaymentLink(text)) else { continue }
            claimed += 1
            #expect(value.standard == "pubky" && ["y", "o"].contains(text.suffix(1)))
        }
        // One in 32: four bits, and half of all numbers are points.
        #expect((30...100).contains(claimed))
    }
}
