import Foundation
import TestSupport
import Testing

/// The articles on attacks and on the guide name the tests that show what they state.
@Suite("Tests that Paykit's articles name")
struct NamedTestsTests {
    private static let house = Vectors.root.appending(path: "Plugins/Paykit")

    /// The tests of the house, as `Suite/function`.
    private static func tests() throws -> Set<String> {
        let folder = house.appending(path: "Tests")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var found: Set<String> = []
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            var (suite, isTest) = ("", false)
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                if line.hasPrefix("@Suite") { suite = "" }
                if suite.isEmpty, line.hasPrefix("struct ") { suite = Self.name(in: line.dropFirst(7)) }
                if line.hasPrefix("    @Test") { isTest = true }
                if isTest, line.hasPrefix("    func ") {
                    found.insert("\(suite)/\(Self.name(in: line.dropFirst(9)))")
                    isTest = false
                }
            }
        }
        return found
    }

    private static func name(in text: Substring) -> String {
        String(text.prefix { $0.isLetter || $0.isNumber || $0 == "_" })
    }

    @Test("Each is there, and every row has one", arguments: [("Security", 30), ("Guide", 30)])
    func exist(_ article: String, _ least: Int) throws {
        let page = Self.house.appending(path: "Kit/PaykitKit.docc/\(article).md")
        let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").filter {
            $0.hasPrefix("| ") && !$0.hasPrefix("| ---") && !$0.hasPrefix("| attack") && !$0.hasPrefix("| section")
        }
        #expect(rows.count >= least)
        let known = try Self.tests()
        #expect(known.count > 300)
        for row in rows {
            let cell = row.split(separator: "|").last { !$0.allSatisfy(\.isWhitespace) } ?? ""
            let named = cell.split(separator: "`").filter { $0.contains("/") }
            #expect(!named.isEmpty, "\(row)")
            let missing = named.filter { !known.contains(String($0)) }
            #expect(missing.isEmpty)
        }
    }
}
