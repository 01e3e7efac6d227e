// Makes a site's first page one that finds articles and symbols by their words, and writes its index.
//
//     swift search.swift FOLDER-OF-THE-SITE
//
// The index is one file of an entry a line, so that a browser reads it once: title, kind, address, first sentence.

import Foundation

guard CommandLine.arguments.count == 2 else { fatalError("usage: search.swift SITE") }
let site = URL(fileURLWithPath: CommandLine.arguments[1])
let data = site.appendingPathComponent("data/documentation")

typealias Object = [String: Any]

/// Returns the text of inline content.
func plain(_ content: Any?) -> String {
    (content as? [Object] ?? []).map { $0["text"] as? String ?? $0["code"] as? String ?? plain($0["inlineContent"]) }.joined()
}

var entries: [[String]] = []
let all = FileManager.default.enumerator(at: data, includingPropertiesForKeys: nil)
for case let file as URL in all ?? .init() where file.pathExtension == "json" {
    guard let page = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? Object,
        let metadata = page["metadata"] as? Object, let title = metadata["title"] as? String,
        let path = (page["identifier"] as? Object)?["url"] as? String,
        let place = path.range(of: "/documentation/")
    else { continue }
    let kind = metadata["symbolKind"] as? String ?? metadata["role"] as? String ?? ""
    entries.append([title, kind, String(path[place.lowerBound...].dropFirst()).lowercased(), plain(page["abstract"])])
}
entries.sort { ($0[1] == "article" ? 0 : 1, $0[0], $0[2]) < ($1[1] == "article" ? 0 : 1, $1[0], $1[2]) }
try JSONSerialization.data(withJSONObject: entries, options: [.withoutEscapingSlashes])
    .write(to: site.appendingPathComponent("search.json"))
let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("search.html")
try Data(contentsOf: page).write(to: site.appendingPathComponent("index.html"))
print("\(entries.count) pages can be found")
