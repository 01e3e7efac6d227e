// Prints what a change in each library costs, as a table in Markdown: the lines and public types of the library, and
// every target that depends on it, directly or not, with its lines. A report: it fails nothing.
//
//     swift package dump-package | swift .ci/cost.swift

import Foundation

struct Dependency: Decodable {
    let name: String?

    init(from decoder: any Decoder) throws {
        // Each is an array of a name and conditions, under its kind.
        let kinds = try decoder.singleValueContainer().decode([String: [Item]].self)
        name = kinds["byName"]?.first?.text ?? kinds["target"]?.first?.text ?? kinds["product"]?.first?.text
    }

    struct Item: Decodable {
        let text: String?
        init(from decoder: any Decoder) throws { text = try? decoder.singleValueContainer().decode(String.self) }
    }
}

struct Target: Decodable {
    let name: String
    let type: String
    let path: String?
    let dependencies: [Dependency]

    var folder: String { path ?? (type == "test" ? "Tests/" : "Sources/") + name }
    /// The vendor in whose house the target is.
    var vendor: Substring? { folder.hasPrefix("Plugins/") ? folder.split(separator: "/").dropFirst().first : nil }
    var isLibrary: Bool {
        type == "regular" && !folder.contains("/Tests/")
            && (folder.hasPrefix("Sources/") || folder.hasPrefix("Plugins/"))
    }
}

struct Package: Decodable {
    let targets: [Target]
}

let package = try JSONDecoder().decode(Package.self, from: FileHandle.standardInput.readDataToEndOfFile())
let attributes = #"^\s*(?:@\w+(?:\([^)]*\))?\s+)*"#
let kinds = #"public\s+(?:(?:final|indirect)\s+)*(?:struct|enum|class|actor|protocol)\s+(?!func|var|let)"#
let declaration = try Regex(attributes + kinds)

var lines: [String: Int] = [:]
var types: [String: Int] = [:]
for area in ["Sources", "Plugins", "Tests", "Examples"] {
    for case let path as String in FileManager.default.enumerator(atPath: area) ?? .init()
    where path.hasSuffix(".swift") && !path.contains(".build/") {
        let file = "\(area)/\(path)"
        // The deepest folder that holds the file is its target's.
        let owner = package.targets.filter { file.hasPrefix($0.folder + "/") }.max { $0.folder.count < $1.folder.count }
        guard let owner else { continue }
        var isQuoted = false
        for line in try String(contentsOfFile: file, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        {
            if !isQuoted, line.contains("public "), line.firstMatch(of: declaration) != nil {
                types[owner.name, default: 0] += 1
            }
            if line.components(separatedBy: "\"\"\"").count.isMultiple(of: 2) { isQuoted.toggle() }
            lines[owner.name, default: 0] += 1
        }
        lines[owner.name, default: 0] -= 1
    }
}

/// Returns the targets that depend on `name`, directly or not.
func dependents(of name: String) -> [Target] {
    var reached: Set = [name]
    var count = 0
    while reached.count > count {
        count = reached.count
        for target in package.targets where target.dependencies.contains(where: { reached.contains($0.name ?? "") }) {
            reached.insert(target.name)
        }
    }
    return package.targets.filter { $0.name != name && reached.contains($0.name) }
}

/// Returns a number with a comma before each three digits.
func text(_ count: Int) -> String {
    count < 1000 ? "\(count)" : "\(text(count / 1000)),\(String(1000 + count % 1000).dropFirst())"
}

print("| a change in | its lines | public types | targets downstream | their lines | of these outside its house |")
print("| --- | ---: | ---: | ---: | ---: | ---: |")
for target in package.targets.filter(\.isLibrary).sorted(by: { $0.name < $1.name }) {
    let downstream = dependents(of: target.name)
    let outside = downstream.filter { target.vendor == nil || $0.vendor != target.vendor }
    let counts = [
        lines[target.name] ?? 0, types[target.name] ?? 0, downstream.count,
        downstream.reduce(0) { $0 + (lines[$1.name] ?? 0) }, outside.reduce(0) { $0 + (lines[$1.name] ?? 0) },
    ]
    print("| `\(target.name)` | \(counts.map(text).joined(separator: " | ")) |")
}
