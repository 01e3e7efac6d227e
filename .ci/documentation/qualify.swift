// Makes links between modules of what doc comments and articles say: ``PaymentError`` in another module than PaymentCore
// becomes ``/PaymentCore/PaymentError``. DocC by itself finds names in their own module only. Links to articles of other
// catalogues become links to their pages, links to other files of the repository their paths.
//
//     swift qualify.swift FOLDER       # symbol graphs and, in folders called <Module>.docc, articles; changed in place

import Foundation

guard CommandLine.arguments.count == 2 else { fatalError("usage: qualify.swift FOLDER") }
let folder = URL(fileURLWithPath: CommandLine.arguments[1])
let files = (FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.allObjects ?? [])
    .compactMap { $0 as? URL }

typealias Object = [String: Any]
var graphs: [(file: URL, module: String, graph: Object)] = []
// Top-level names by module, and every name that a module has somewhere.
var owners: [String: Set<String>] = [:]
var names: [String: Set<String>] = [:]

for file in files where file.lastPathComponent.hasSuffix(".symbols.json") {
    guard let graph = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? Object,
        let module = (graph["module"] as? Object)?["name"] as? String
    else { fatalError("\(file.lastPathComponent) is no symbol graph") }
    graphs.append((file, module, graph))
    // What a module adds to another's type is not its own name.
    let isExtension = file.lastPathComponent.contains("@")
    for case let symbol as Object in graph["symbols"] as? [Any] ?? [] {
        guard let path = symbol["pathComponents"] as? [String], let last = path.last else { continue }
        if path.count == 1, !isExtension { owners[last, default: []].insert(module) }
        names[module, default: []].insert(last)
    }
}
let modules = Set(graphs.map(\.module))

/// The same text with its links qualified.
func qualified(_ text: String, in module: String) -> String {
    var result = ""
    var rest = text[...]
    while let start = rest.range(of: "``"), let end = rest[start.upperBound...].range(of: "``") {
        let link = rest[start.upperBound..<end.lowerBound]
        let first = String(link.prefix { $0 != "/" })
        result += rest[..<start.upperBound]
        if first == module || (names[module] ?? []).contains(first) {
            // Its own.
        } else if modules.contains(first) {
            result += "/"
        } else if let owner = owners[first], owner.count == 1, let owner = owner.first {
            result += "/\(owner)/"
        }
        result += link + "``"
        rest = rest[end.upperBound...]
    }
    return result + rest
}

for (file, module, graph) in graphs {
    var graph = graph
    graph["symbols"] = (graph["symbols"] as? [Any] ?? []).map { symbol -> Any in
        guard var symbol = symbol as? Object, var comment = symbol["docComment"] as? Object,
            let lines = comment["lines"] as? [Object]
        else { return symbol }
        comment["lines"] = lines.map { line -> Object in
            var line = line
            if let text = line["text"] as? String { line["text"] = qualified(text, in: module) }
            return line
        }
        symbol["docComment"] = comment
        return symbol
    }
    try JSONSerialization.data(withJSONObject: graph).write(to: file)
}
for file in files where file.pathExtension == "md" {
    let catalogue = file.deletingLastPathComponent()
    guard catalogue.pathExtension == "docc" else { continue }
    let text = try String(contentsOf: file, encoding: .utf8)
    // Blocks of code hold no links, and triple quotes are no double ones.
    var isCode = false
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line -> String in
        if line.hasPrefix("```") { isCode.toggle() }
        guard !isCode, !line.hasPrefix("```") else { return String(line) }
        // Catalogues are converted one after the other, so that DocC knows no article of a later one; where its page will be
        // is known all the same.
        let linked = String(line).replacing(#/\]\((?:\.\./)+[^)]+/(\w+)\.docc/(\w+)\.md\)/#) {
            "](/documentation/\($0.1.lowercased())/\($0.2.lowercased()))"
        }
        // A link to any other file of the repository leads nowhere from an archive: its path is what there is to say.
        let text = linked.replacing(#/\[([^\]]+)\]\((?:\.\./)+([^)]+)\)/#) { "\($0.1) (`\($0.2)`)" }
        return qualified(text, in: catalogue.deletingPathExtension().lastPathComponent)
    }
    try lines.joined(separator: "\n").write(to: file, atomically: true, encoding: .utf8)
}
