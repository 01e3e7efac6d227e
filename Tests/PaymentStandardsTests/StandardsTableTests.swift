import Foundation
import PaymentCore
import PaymentStandards
import TestSupport
import Testing

/// The documentation's table of standards agrees with the code and its vectors.
@Suite("Table of standards")
struct StandardsTableTests {
    private static let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources/PaymentStandards/PaymentStandards.docc/Standards.md")

    private static let head = """
        # Standards

        The payment texts that this library reads. Every vector below passes: a valid text comes out with exactly the
        fields that are expected, an invalid one never as sound.

        Written by `UPDATE_STANDARDS_TABLE=1 swift test --filter StandardsTableTests` and checked by that test.

        """

    @Test("It is the one that the code and the vectors make")
    func isTrue() throws {
        let table = try Self.table()
        if ProcessInfo.processInfo.environment["UPDATE_STANDARDS_TABLE"] == "1" {
            try table.write(to: Self.page, atomically: true, encoding: .utf8)
        }
        let written = try String(contentsOf: Self.page, encoding: .utf8)
        #expect(written == table, "run UPDATE_STANDARDS_TABLE=1 swift test --filter StandardsTableTests")
    }

    @Test("Every standard has a name for people, and nothing else has")
    func names() throws {
        for id in KnownStandards.all.flatMap({ $0.ids }) {
            let name = try #require(KnownStandards.name(of: id), "\(id) has no name in KnownStandards.swift")
            #expect(name.phrase.hasPrefix("a ") || name.phrase.hasPrefix("an "), "\(id)")
            #expect(name.title.first?.isUppercase == true && !name.title.contains(id), "\(id)")
        }
        #expect(KnownStandards.name(of: "none") == nil)
    }

    private static func table() throws -> String {
        var vectors: [String: Int] = [:]
        for file in vectorFiles {
            for row in try file.rows("valid") { vectors[file.standard(of: row), default: 0] += 1 }
        }
        var lines = [head, "## By standard", ""]
        lines += ["| id | specification | recognised by | made too | vectors |", "| --- | --- | --- | --- | --- |"]
        let rows = KnownStandards.all.flatMap { type in
            type.ids.map { id in
                let isMade = type is any WritablePaymentStandard.Type
                return "| `\(id)` | \(type.specification) | \(features(type)) | \(isMade ? "yes" : "") | "
                    + "\(vectors[id] ?? 0) |"
            }
        }
        lines += rows.sorted()
        lines += ["", "## By file of vectors", "", "| file | valid | invalid |", "| --- | --- | --- |"]
        for file in vectorFiles.sorted(by: { $0.name < $1.name }) {
            lines.append("| `\(file.name)` | \(try file.rows("valid").count) | \(try file.rows("invalid").count) |")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The features by which texts of `type` are recognised, at most three of a kind.
    private static func features(_ type: any PaymentStandard.Type) -> String {
        var schemes: [String] = []
        var hosts: [String] = []
        var openings: [String] = []
        var others: [String] = []
        for pattern in type.patterns {
            switch pattern {
            case .scheme(let scheme, _): schemes.append("`\(scheme):`")
            case .host(let host): hosts.append("`\(host)`")
            case .hostSuffix(let host): hosts.append("`*.\(host)`")
            case .firstLine(let line): openings.append("line `\(line)`")
            case .prefix(let text): openings.append("`\(text.replacing("|", with: "\\|"))`")
            case .otherScheme: others.append("another scheme")
            case .webParameter(let name): others.append("parameter `\(name)`")
            case .webValue(let prefix): others.append("value `\(prefix)…`")
            case .webPathSuffix(let suffix): others.append("path `…\(suffix)`")
            case .bare: others.append("structure")
            case .mailbox: others.append("`user@host`")
            }
        }
        return [schemes, hosts, openings, others].flatMap { list in
            let names = list.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
            return names.count > 3 ? Array(names.prefix(3)) + ["…"] : names
        }.joined(separator: ", ")
    }
}
