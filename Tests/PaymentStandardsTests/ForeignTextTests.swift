import PaymentCore
import PaymentStandards
import TestSupport
import Testing

/// Standards with the texts of all the others, which their patterns would never accept.
@Suite("Foreign texts")
struct ForeignTextTests {
    @Test("No standard stumbles over the texts of another, given to it directly", arguments: vectorFiles)
    func anyText(file: VectorFile) throws {
        let texts =
            try file.rows("valid").map(\.input) + file.rows("invalid").map(\.input) + ["", "#", "|", "://", "a:"]
        for text in texts {
            guard let link = try? PaymentLink(text) else { continue }
            for standard in KnownStandards.all {
                do throws(StandardDefect) { _ = try standard.init(link) } catch { #expect(error.offset >= 0) }
            }
        }
    }
}
