import Foundation
import Testing

/// That this target builds is shown by its being built; that it builds what the guides print is shown here.
struct GuideBlockTests {
    @Test("What is built is what the guide prints, line by line", arguments: Guide.ids)
    func printed(_ id: String) throws {
        let guide = try Guide.read(id)
        let built = try BuiltBlocks()
        #expect(guide.blocks.map(\.number) == Array(1...guide.blocks.count))
        for block in guide.blocks where block.how != .declared && (block.how != .not || block.isBuiltInPart) {
            let region = try #require(built.region(id, block.number), "\(id) \(block.number), \(block.under)")
            let lines = BuiltBlocks.lines(block.swift ?? block.text.filter { !(block.but ?? []).contains($0) })
            // Only the import changes.
            let isWholeFile = block.how == .translated
            let wanted = lines.filter { isWholeFile || block.how == .apple || !$0.hasPrefix("import ") }
            #expect(
                Array(region.prefix(wanted.count)) == wanted, "\(id) \(block.number), under '\(block.under)'")
        }
    }

    @Test("Every type, member and signature that a guide prints is asked of the kit", arguments: Guide.ids)
    func declared(_ id: String) throws {
        let guide = try Guide.read(id)
        let built = try BuiltBlocks()
        for block in guide.blocks where block.how == .declared {
            let region = try #require(built.region(id, block.number), "\(id) \(block.number), \(block.under)")
            let declarations = Self.declarations(block.text)
            #expect(!declarations.isEmpty, "\(id) \(block.number)")
            for declaration in declarations {
                #expect(
                    Self.isAsked(declaration, in: region),
                    "\(declaration) of \(id) \(block.number), under '\(block.under)'")
            }
        }
    }

    @Test("What cannot be built says why", arguments: Guide.ids)
    func reasons(_ id: String) throws {
        for block in try Guide.read(id).blocks where block.how == .not {
            #expect(block.reason?.isEmpty == false, "\(id) \(block.number)")
        }
    }

    @Test("The article about the vendors' APIs counts the blocks")
    func counted() throws {
        let article = Guide.root.appending(path: "Sources/PaymentRouting/PaymentRouting.docc/VendorAPIs.md")
        let text = try String(contentsOf: article, encoding: .utf8)
        for id in Guide.ids {
            let guide = try Guide.read(id)
            let row = "| \(guide.blocks.count) | \(guide.built) | \(guide.apple) | \(guide.missing) |"
            #expect(
                text.split(separator: "\n").contains { $0.hasPrefix("| \(guide.guide) |") && $0.hasSuffix(row) },
                "it has no line '| \(guide.guide) \(row)'")
        }
    }

    @Test("A line that is not in the guide, or not built, is noticed")
    func canFail() throws {
        let region = ["let _: String = value.id", "case .text: \"text\"", "func a(_ b: Int) -> Bool {}"]
        #expect(Self.isAsked(.member("id", "String"), in: region))
        #expect(!Self.isAsked(.member("id", "Int"), in: region))
        #expect(Self.isAsked(.enumCase("text"), in: region))
        #expect(!Self.isAsked(.enumCase("tex"), in: region))
        #expect(Self.isAsked(.function("func a(_ b: Int = 1) -> Bool"), in: region))
        #expect(!Self.isAsked(.function("func a(_ b: Int)->Int"), in: region))
        #expect(
            Self.declarations(["struct A {", "    public let id: String  // An id", "    case b(Int)", "}"])
                == [.member("id", "String"), .enumCase("b")])
        #expect(
            Self.declarations(["func a(", "    b: Int", ") async -> Bool", "", "// x", "func c()"])
                == [.function("func a( b: Int ) async -> Bool"), .function("func c()")])
    }

    // MARK: Declarations

    /// Something that a guide declares.
    enum Declaration: Equatable {
        case member(String, String)
        case enumCase(String)
        case function(String)
    }

    static func declarations(_ text: [String]) -> [Declaration] {
        var found: [Declaration] = []
        var function: String?
        for line in BuiltBlocks.lines(text) {
            let code = line.split(separator: "//", omittingEmptySubsequences: false)[0].trimmingCharacters(
                in: .whitespaces)
            if let match = code.firstMatch(of: /^(?:public )?(?:let|var) (\w+): (.+?)(?: \{ get \})?$/) {
                found.append(.member(String(match.1), String(match.2)))
            } else if let match = code.firstMatch(of: /^case (\w+)/) {
                found.append(.enumCase(String(match.1)))
            } else if code.hasPrefix("func ") || function != nil {
                function = function.map { "\($0) \(code)" } ?? code
            }
            // A signature is whole when its brackets are.
            if let whole = function, whole.count(where: { $0 == "(" }) == whole.count(where: { $0 == ")" }) {
                found.append(.function(whole))
                function = nil
            }
        }
        return found
    }

    static func isAsked(_ declaration: Declaration, in region: [String]) -> Bool {
        switch declaration {
        case .member(let name, let type): region.contains("let _: \(type) = value.\(name)")
        case .enumCase(let name): region.contains { $0.hasPrefix("case .\(name):") || $0.hasPrefix("case .\(name)(") }
        case .function(let signature):
            // Witnesses have no default arguments.
            squeezed(region.joined(separator: "\n")).contains(squeezed(signature))
        }
    }

    private static func squeezed(_ text: String) -> String {
        text.replacing(/\/\/[^\n]*/, with: "").replacing(/\s=\s\w+/, with: "").filter { !$0.isWhitespace }
    }
}

extension Guide.Block {
    /// Whether all but some lines is built.
    var isBuiltInPart: Bool { but != nil || swift != nil }
}
