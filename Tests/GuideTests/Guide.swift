import Foundation

/// A vendor's guide, block by block: what it prints, and what of it is built here.
struct Guide: Decodable, Sendable {
    /// One block of code.
    struct Block: Decodable, Sendable {
        /// Where it is checked that the block fits the kit.
        enum How: String, Decodable, Sendable {
            /// Built as printed.
            case printed
            /// Built in Swift; it is printed in Objective-C.
            case translated
            /// It prints types or signatures, each of which is asked of the kit.
            case declared
            /// Only with Apple's modules: by `make check-apple`, against stand-ins.
            case apple
            /// It cannot be built as printed; the reason says why.
            case not
        }

        let number: Int
        let under: String
        let text: [String]
        let how: How
        /// The lines that are not built, when the rest is.
        let but: [String]?
        /// The block in Swift.
        let swift: [String]?
        let reason: String?
    }

    let id: String
    let guide: String
    let source: String
    let blocks: [Block]

    /// How many blocks are built on any platform.
    var built: Int { blocks.count { [.printed, .translated, .declared].contains($0.how) } }
    /// How many are only looked at against stand-ins of Apple's modules.
    var apple: Int { blocks.count { $0.how == .apple } }
    /// How many cannot be built as printed.
    var missing: Int { blocks.count { $0.how == .not } }

    static let ids = ["Standalone", "WalletKit", "Payrails", "Citcon", "Paykit"]

    static func read(_ id: String) throws -> Guide {
        let file = root.appending(path: "Tests/Vectors/guides/\(id.lowercased()).json")
        return try JSONDecoder().decode(Guide.self, from: Data(contentsOf: file))
    }

    /// The package's folder.
    static var root: URL {
        (0..<3).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    }
}

/// What the vendors' houses build of the guides, by block.
struct BuiltBlocks {
    /// The lines below each marker, up to the next, without what is the reader's own. A marker names one block, such as
    /// `// Payrails 14`, or several that print the same.
    private var regions: [String: [String]] = [:]

    init() throws {
        let folder = Guide.root.appending(path: "Plugins")
        for case let path as String in FileManager.default.enumerator(atPath: folder.path) ?? .init()
        where path.hasSuffix(".swift") && path.contains("/Tests/GuideTests/") {
            let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            var blocks: [String] = []
            for line in Self.lines(text.split(separator: "\n").map(String.init)) {
                if let named = Self.blocks(line) {
                    blocks = named
                    for block in blocks { regions[block] = [] }
                } else if !line.lowercased().contains("reader's own") {
                    for block in blocks { regions[block, default: []].append(line) }
                }
            }
        }
    }

    /// The lines that are built for a block, or nil.
    func region(_ guide: String, _ number: Int) -> [String]? { regions["\(guide) \(number)"] }

    /// Lines without what Swift does not look at: indentation and empty ones.
    static func lines(_ text: [String]) -> [String] {
        text.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    /// The blocks that a marker names, or nil for other lines.
    private static func blocks(_ line: String) -> [String]? {
        guard line.hasPrefix("// "), let id = Guide.ids.first(where: { line.hasPrefix("// \($0)") }) else { return nil }
        let rest = line.dropFirst(3 + id.count)
        return rest.first == " " || rest.first == ":" ? line.dropFirst(3).components(separatedBy: ", ") : nil
    }
}
