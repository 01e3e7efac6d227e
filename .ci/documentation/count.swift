// Counts what there is to read, and names public symbols that nothing is said about.
//
//     swift count.swift FOLDER-OF-SYMBOL-GRAPHS FOLDER-OF-CATALOGUES [ARTICLE …]     # ends with 1 where one is bare

import Foundation

guard CommandLine.arguments.count > 2 else { fatalError("usage: count.swift GRAPHS CATALOGUES [ARTICLE …]") }

func files(_ folder: String, _ end: String) -> [URL] {
    let all = FileManager.default.enumerator(at: URL(fileURLWithPath: folder), includingPropertiesForKeys: nil)
    return (all?.allObjects ?? []).compactMap { $0 as? URL }.filter { $0.lastPathComponent.hasSuffix(end) }
}

typealias Object = [String: Any]
var symbols: Set<String> = []
var bare: Set<String> = []
for file in files(CommandLine.arguments[1], ".symbols.json") {
    let graph = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? Object
    let module = (graph?["module"] as? Object)?["name"] as? String ?? "?"
    for case let symbol as Object in graph?["symbols"] as? [Any] ?? [] {
        // What has no place in a file was made by the compiler.
        guard let id = (symbol["identifier"] as? Object)?["precise"] as? String, symbol["location"] != nil,
            !id.contains("::SYNTHESIZED::")
        else { continue }
        symbols.insert(id)
        if symbol["docComment"] == nil {
            bare.insert("\(module): \((symbol["pathComponents"] as? [String] ?? []).joined(separator: "."))")
        }
    }
}

let articles = files(CommandLine.arguments[2], ".md")
let blocks = try (articles + CommandLine.arguments.dropFirst(3).map { URL(fileURLWithPath: $0) }).reduce(0) {
    try $0 + String(contentsOf: $1, encoding: .utf8).split(separator: "\n").count { $0.hasPrefix("```swift") }
}
for name in bare.sorted() { print("error: nothing is said about \(name)") }
print(
    "\(symbols.count) public symbols (\(bare.count) without a word), \(articles.count) articles, \(blocks) Swift blocks"
        + " (compiled by 'make test')")
exit(bare.isEmpty ? 0 : 1)
