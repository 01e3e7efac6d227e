import PaymentCore
import PaymentStandards
import PaymentTesting
import TestSupport
import Testing

@Suite("Vectors of payment standards")
struct VectorTests {
    private static let reader = StandardsReader()
    private static let ids = Set(KnownStandards.all.flatMap { $0.ids })

    @Test("Each valid row is of its standard, no other, and has its expected reading", arguments: vectorFiles)
    func valid(_ file: VectorFile) throws {
        let rows = try file.rows("valid")
        #expect(!rows.isEmpty)
        // A file may hold rows of standards that are not listed yet.
        for row in rows where Self.ids.contains(file.standard(of: row)) {
            let recognition = Self.reader.recognize(try PaymentLink(row.input))
            let value = try #require(recognition.content, "\(row.input): \(recognition)")
            #expect(value.standard == file.standard(of: row), "\(row.input)")
            let fields = value.fields
            for (name, expected) in row.fields {
                #expect(
                    fields[name] == expected,
                    "\(row.input): \(name) is \(fields[name]?.text ?? "absent"), not \(expected.text)")
            }
            #expect(Set(fields.map(\.name)).count == fields.count, "\(row.input): a name stands twice")
            #expect(value.instruction.standard == value.standard && value.instruction.fields == fields)
        }
    }

    @Test("No invalid row is sound by any standard, and each says where and why", arguments: vectorFiles)
    func invalid(_ file: VectorFile) throws {
        let rows = try file.rows("invalid")
        #expect(!rows.isEmpty)
        var unclaimed: [String] = []
        for row in rows {
            guard let link = try? PaymentLink(row.input) else {
                unclaimed.append(row.why)
                continue
            }
            switch Self.reader.recognize(link) {
            case .none: unclaimed.append(row.why)
            case .defective(_, let defect):
                #expect(0...link.text.utf8.count ~= defect.offset, "\(row.input): \(defect)")
                #expect(!defect.part.isEmpty && !defect.advice.isEmpty && defect.kind != .foreign, "\(row.input)")
            case .sound(let value): Issue.record("\(row.why): \(row.input) is taken for \(value.standard)")
            case .ambiguous(let values): Issue.record("\(row.why): \(row.input) is taken for \(values.map(\.standard))")
            }
        }
        #expect(unclaimed.count == file.unclaimed, "\(unclaimed)")
    }

    @Test("What is printed reads back as the same value, and prints the same again", arguments: vectorFiles)
    func roundTrip(_ file: VectorFile) throws {
        for row in try file.rows("valid") {
            guard case .sound(let value) = Self.reader.recognize(try PaymentLink(row.input)),
                let value = value.value as? any WritablePaymentStandard
            else { continue }
            try Self.checkRoundTrip(value)
        }
    }

    private static func checkRoundTrip<Standard: WritablePaymentStandard>(_ value: Standard) throws {
        // A text with a part that could change the payment is read whole by the reader only.
        let reading = try #require(
            reader.recognize(try PaymentLink(value.text)).content, "\(value.text) is not read again")
        let again = try #require(reading.value as? Standard)
        #expect(again == value, "\(value.text)")
        #expect(again.text == value.text)
    }

    @Test("No cut-off or damaged row stops the reader", arguments: vectorFiles)
    func damaged(_ file: VectorFile) throws {
        var random = SplitMix64(seed: 7)
        for row in try file.rows("valid") {
            let bytes = Array(row.input.utf8)
            var damaged = (0..<min(bytes.count, 400)).map { Array(bytes[..<$0]) }
            for _ in 0..<50 {
                var copy = bytes
                copy[Int.random(in: copy.indices, using: &random)] = .random(in: 0..<0x80, using: &random)
                damaged.append(copy)
            }
            for bytes in damaged {
                guard let link = try? PaymentLink(String(decoding: bytes, as: UTF8.self)) else { continue }
                if case .defective(_, let defect) = Self.reader.recognize(link) {
                    #expect(0...link.text.utf8.count ~= defect.offset)
                }
            }
        }
    }

    @Test("Every listed standard has a separate name, a specification, patterns and vectors")
    func list() throws {
        let ids = KnownStandards.all.flatMap { $0.ids }
        #expect(Set(ids).count == ids.count)
        for standard in KnownStandards.all {
            #expect(!standard.patterns.isEmpty && !standard.specification.isEmpty && standard.ids.contains(standard.id))
        }
        let covered = try Set(vectorFiles.flatMap { file in try file.rows("valid").map(file.standard(of:)) })
        #expect(Set(ids).subtracting(covered).isEmpty)
    }
}
