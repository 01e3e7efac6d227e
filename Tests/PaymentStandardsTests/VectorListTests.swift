import Foundation
import PaymentStandards
import TestSupport
import Testing

/// Every file of vectors has a test that reads it.
@Suite("List of vectors")
struct VectorListTests {
    @Test("Each file is one of payment texts, or one that a test of the library reads")
    func covered() throws {
        let texts = vectorFiles.map(\.name)
        #expect(Set(texts).count == texts.count)
        #expect(Set(texts).isDisjoint(with: libraryFiles.keys))
        #expect(Set(texts).union(libraryFiles.keys) == Set(try Vectors.names()))
    }

    @Test("The tests that are said to read a library's vectors name them", arguments: libraryFiles.keys.sorted())
    func read(file: String) throws {
        let test = try #require(libraryFiles[file])
        let text = try String(contentsOf: Vectors.root.appending(path: "\(test).swift"), encoding: .utf8)
        #expect(text.contains("\"\(file)\""), "\(test)")
    }
}
