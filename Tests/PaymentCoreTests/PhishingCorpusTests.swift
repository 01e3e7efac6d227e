import PaymentCore
import TestSupport
import Testing

/// The scanner's part of the corpus of deceptive links: the texts that it must refuse, and those that it may read.
@Suite("Deceptive links")
struct PhishingCorpusTests {
    struct File: Decodable {
        let links: [Row]
    }

    struct Row: Decodable {
        enum Expectation: String, Decodable {
            case rejected, notVerified
        }

        let input: String
        let `class`: String
        let why: String
        let expect: Expectation
    }

    private static func rows() throws -> [Row] {
        try JSONValue(parsing: Vectors.data("phishing-links")).decode(File.self).links
    }

    @Test("Links to be refused are refused, all others are read")
    func scanning() throws {
        for row in try Self.rows() {
            switch row.expect {
            case .rejected:
                #expect(throws: LinkDefect.self, "\(row.class), \(row.why): \(row.input.prefix(200).debugDescription)")
                {
                    try PaymentLink(row.input)
                }
            case .notVerified:
                #expect(throws: Never.self, "\(row.class), \(row.why): \(row.input.prefix(200).debugDescription)") {
                    try PaymentLink(row.input)
                }
            }
        }
    }

    @Test("The corpus is large, varied and without repetitions")
    func corpus() throws {
        let rows = try Self.rows()
        #expect(rows.count >= 320)
        #expect(Set(rows.map { Array($0.input.utf8) }).count == rows.count)
        #expect(Set(rows.map(\.class)).count >= 30)
        #expect(rows.allSatisfy { !$0.why.isEmpty })
        #expect(rows.filter { $0.expect == .notVerified }.count >= 160)
    }
}
