import Foundation

/// The tests, or a program that they start, linked from the objects of ``ModuleObjects``.
struct Product: Sendable {
    struct NotLinked: Error, CustomStringConvertible {
        let description: String
    }

    let name: String
    private let words: [String]
    private let output: String

    /// Links the sound product into a folder.
    init(_ node: BuildPlan.Node, replacing objects: [String: String], in folder: URL) throws {
        name = URL(filePath: node.outputs.first ?? "").lastPathComponent
        output = folder.appending(path: name).path
        let list = folder.appending(path: "\(name).objects")
        let linked = node.inputs.filter { $0.hasSuffix(".o") }.map { objects[$0] ?? $0 }
        try Data(linked.map { "'\($0)'\n" }.joined().utf8).write(to: list)
        var driven: [String] = []
        for word in node.words {
            if word.hasPrefix("@") { driven.append("@\(list.path)") } else { driven.append(word) }
        }
        if let at = driven.firstIndex(of: "-o") { driven[at + 1] = output }
        driven.removeAll { $0 == "-no-emit-module-separately-wmo" }
        driven.append("-use-ld=lld")
        let printed = try Command(driven + ["-driver-print-jobs"], in: folder).run()
        guard printed.ending.isGood else { throw NotLinked(description: "\(name): \(printed.output)") }
        var jobs = printed.output.split(separator: "\n").map { Command.words(of: String($0)) }
        guard let last = jobs.popLast() else { throw NotLinked(description: "\(name): no command links it") }
        var link = last
        // A first command finds out which libraries the objects ask for. A changed line asks for no others.
        for var job in jobs {
            guard let at = job.firstIndex(of: "-o") else { continue }
            let own = folder.appending(path: "\(name).autolink").path
            link = link.map { $0 == "@\(job[at + 1])" ? "@\(own)" : $0 }
            job[at + 1] = own
            let extracted = try Command(job, in: folder).run()
            guard extracted.ending.isGood else { throw NotLinked(description: "\(name): \(extracted.output)") }
        }
        words = link
        let ended = try Command(link, in: folder).run()
        guard ended.ending.isGood else { throw NotLinked(description: "\(name): \(ended.output.prefix(500))") }
    }

    /// True if an object is a part of it.
    func contains(_ object: String) -> Bool { words.contains(object) }

    /// Links it into another folder, with one object replaced.
    func link(replacing sound: String, by changed: String, into folder: URL) throws {
        let own = folder.appending(path: name)
        try? FileManager.default.removeItem(at: own)
        let ended = try Command(
            words.map { $0 == sound ? changed : $0 == output ? own.path : $0 }, in: folder
        ).run()
        guard ended.ending.isGood else { throw NotLinked(description: "\(name): \(ended.output.prefix(500))") }
    }
}
