import Foundation
import PaymentCrypto

/// The commands with which SwiftPM compiles each module and links each program of the quick build.
struct BuildPlan: Sendable {
    /// One command, or one file that is written.
    struct Node: Sendable {
        var inputs: [String] = []
        var outputs: [String] = []
        var words: [String] = []

        /// The word behind an option.
        func value(of option: String) -> String? {
            words.firstIndex(of: option).flatMap { words.indices.contains($0 + 1) ? words[$0 + 1] : nil }
        }
    }

    struct Unreadable: Error, CustomStringConvertible {
        let description: String
    }

    /// The folder of the programs, and the tests there.
    let products: String
    let bundle: String
    private let nodes: [Node]
    private let makers: [String: Int]
    private let modules: [String: Int]

    /// Reads `release.yaml`, whose lists are JSON, each on one line.
    init(folder: URL) throws {
        let text = try String(contentsOf: folder.appending(path: "release.yaml"), encoding: .utf8)
        var nodes: [Node] = []
        for line in text.split(separator: "\n") {
            func list(_ name: String) throws -> [String]? {
                guard line.hasPrefix("    \(name): [") else { return nil }
                return try JSONDecoder().decode([String].self, from: Data(line.drop { $0 != "[" }.utf8))
            }
            if line.hasPrefix("    tool: ") { nodes.append(Node()) }
            guard !nodes.isEmpty else { continue }
            if let inputs = try list("inputs") { nodes[nodes.count - 1].inputs = inputs }
            if let outputs = try list("outputs") { nodes[nodes.count - 1].outputs = outputs }
            if let words = try list("args") { nodes[nodes.count - 1].words = words }
        }
        self.nodes = nodes
        var makers: [String: Int] = [:]
        var modules: [String: Int] = [:]
        for (index, node) in nodes.enumerated() {
            for output in node.outputs { makers[output] = index }
            if let name = node.value(of: "-module-name"), node.words.contains("-emit-dependencies") {
                modules[name] = index
            }
        }
        (self.makers, self.modules) = (makers, modules)
        guard let bundle = makers.keys.first(where: { $0.hasSuffix("PackageTests.xctest") }) else {
            throw Unreadable(description: "\(folder.path) holds no build of the tests")
        }
        self.bundle = bundle
        products = URL(filePath: bundle).deletingLastPathComponent().path
    }

    /// The command that compiles a module.
    func module(_ name: String) throws -> Node {
        guard let index = modules[name] else { throw Unreadable(description: "no module \(name) is built") }
        return nodes[index]
    }

    /// The module that a source file is a part of.
    func module(of source: String) -> String? {
        modules.first { nodes[$0.value].inputs.contains(source) }?.key
    }

    /// The command that links the tests of some targets alone, which takes a fifth of the time of all.
    func tests(of targets: Set<String>) throws -> Node {
        guard
            var node = nodes.first(where: {
                $0.words.contains("-emit-executable") && $0.outputs.first?.hasSuffix(".xctest") == true
            })
        else { return Node() }
        var objects = Set(
            node.inputs.filter { $0.contains("PackageTests.build/") || $0.contains("PackageDiscoveredTests.build/") })
        for target in targets { objects.formUnion(try needs(of: target).objects) }
        node.inputs = node.inputs.filter { !$0.hasSuffix(".o") || objects.contains($0) }
        node.outputs = [Self.nameOfTests(of: targets)]
        return node
    }

    /// The name of the linked tests of some targets.
    static func nameOfTests(of targets: Set<String>) -> String { targets.sorted().joined(separator: "+") + ".xctest" }

    /// Everything that a module is made from, and the programs that it needs, with what these are made from.
    func needs(of module: String) throws -> Needs {
        guard let first = modules[module] else { throw Unreadable(description: "no module \(module) is built") }
        var seen: Set = [first]
        var queue = [first]
        var leaves: Set<String> = []
        while let index = queue.popLast() {
            for input in nodes[index].inputs {
                if let maker = makers[input] {
                    if seen.insert(maker).inserted { queue.append(maker) }
                } else {
                    leaves.insert(input)
                }
            }
        }
        let commands = seen.map { nodes[$0] }
        return Needs(
            files: leaves, commands: commands.map { $0.words.joined(separator: " ") }.sorted(),
            programs: commands.filter { $0.words.contains("-emit-executable") },
            objects: Set(commands.flatMap(\.outputs).filter { $0.hasSuffix(".o") }))
    }

    /// The files and commands that a module is made from.
    struct Needs: Sendable {
        let files: Set<String>
        let commands: [String]
        let programs: [Node]
        /// The compiled files.
        let objects: Set<String>

        /// A digest of the commands and of the content of the files.
        func digest() -> [UInt8] {
            var all: [UInt8] = []
            for command in commands { all += Digest.sha256.hash(Array(command.utf8)) }
            for file in files.sorted() {
                all += Digest.sha256.hash(Array(file.utf8))
                if let data = try? Data(contentsOf: URL(filePath: file)) { all += Digest.sha256.hash([UInt8](data)) }
            }
            return Digest.sha256.hash(all)
        }
    }
}
