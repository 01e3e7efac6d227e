import Foundation
import PaymentCrypto

/// A module compiled file by file, so that one changed file is compiled alone. The quick build compiles it as a whole,
/// and the objects of that only fit each other.
struct ModuleObjects: Sendable {
    /// A changed file, compiled.
    enum Compiled {
        case object(String)
        /// The object is the sound one, byte for byte.
        case same
        /// Other files see the change, which are not compiled anew.
        case interface
        case failed(String)
    }

    struct NotCompiled: Error, CustomStringConvertible {
        let description: String
    }

    /// The objects of the quick build with those that stand for them here.
    let objects: [String: String]
    private let folder: URL
    private let jobs: [String: [String]]

    /// Options of a whole module's compilation that one file's does without, with their lengths. A changed line may
    /// leave something unused, which must not stop its compilation.
    private static let left: [String: Int] = [
        "-output-file-map": 2, "-num-threads": 2, "-emit-module-path": 2, "-emit-objc-header-path": 2,
        "-index-store-path": 2, "-emit-module": 1, "-whole-module-optimization": 1, "-parseable-output": 1,
        "-emit-dependencies": 1,
        "-serialize-diagnostics": 1, "-emit-objc-header": 1, "-no-emit-module-separately-wmo": 1, "-O": 1,
        "-warnings-as-errors": 1,
    ]

    /// Compiles the sound module, unless that was done before.
    init(_ name: String, of plan: BuildPlan, in parent: URL) throws {
        let node = try plan.module(name)
        folder = parent.appending(path: name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        guard let quickMap = node.value(of: "-output-file-map") else {
            throw NotCompiled(description: "\(name) has no map of its objects")
        }
        var map = try JSONDecoder().decode(
            [String: [String: String]].self, from: Data(contentsOf: URL(filePath: quickMap)))
        var objects: [String: String] = [:]
        for (source, entry) in map {
            map[source] = [:]
            guard !source.isEmpty, let object = entry["object"] else { continue }
            let own = folder.appending(path: URL(filePath: object).lastPathComponent).path
            objects[object] = own
            map[source] = ["object": own]
        }
        self.objects = objects
        let ownMap = folder.appending(path: "map.json")
        try JSONEncoder().encode(map).write(to: ownMap)

        var words: [String] = []
        var index = 0
        while index < node.words.count {
            if let count = Self.left[node.words[index]] {
                index += count
            } else {
                words.append(node.words[index])
                index += 1
            }
        }
        words += ["-output-file-map", ownMap.path, "-driver-filelist-threshold", "100000"]
        let printed = try Command(words + ["-disable-batch-mode", "-driver-print-jobs"], in: folder).run()
        guard printed.ending.isGood else { throw NotCompiled(description: "\(name): \(printed.output)") }
        var jobs: [String: [String]] = [:]
        for line in printed.output.split(separator: "\n") {
            let job = Command.words(of: String(line))
            if let at = job.firstIndex(of: "-primary-file") { jobs[job[at + 1]] = job }
        }
        self.jobs = jobs
        guard jobs.count == objects.count else {
            throw NotCompiled(description: "\(name): \(jobs.count) jobs for \(objects.count) files")
        }

        let stamp = folder.appending(path: "stamp")
        let state = try Data(
            plan.needs(of: name).digest() + Digest.sha256.hash(Array(words.joined(separator: " ").utf8)))
        if (try? Data(contentsOf: stamp)) == state { return }
        try? FileManager.default.removeItem(at: stamp)
        let compiled = try Command(words + ["-enable-batch-mode"], in: folder, within: .seconds(1800)).run()
        guard compiled.ending.isGood else {
            throw NotCompiled(description: "\(name): \(Command.firstError(compiled.output))")
        }
        try state.write(to: stamp)
    }

    /// Compiles a changed source into a folder.
    ///
    /// - Parameter comparing: true if the change may be one of a declaration, which other files would see.
    func compile(_ text: String, insteadOf source: String, into parent: URL, comparing: Bool) throws -> Compiled {
        guard let job = jobs[source], let at = job.lastIndex(of: "-o"), job.indices.contains(at + 1) else {
            return .failed("\(source) is not a part of this module")
        }
        let sound = job[at + 1]
        // The name stays, as it is a part of the names of what is private.
        let changed = parent.appending(path: URL(filePath: source).lastPathComponent)
        let object = parent.appending(path: "changed.o")
        try Data(text.utf8).write(to: changed)
        defer { try? FileManager.default.removeItem(at: changed) }
        func replaced(_ words: [String], _ output: String, _ own: URL) -> [String] {
            words.map { $0 == source ? changed.path : $0 == output ? own.path : $0 }
        }
        let compiled = try Command(replaced(job, sound, object), in: parent).run()
        guard compiled.ending.isGood else { return .failed(Command.firstError(compiled.output)) }
        if FileManager.default.contentsEqual(atPath: sound, andPath: object.path) { return .same }
        if text.contains("@inlinable") { return .interface }
        guard try !comparing || declarations(job) == declarations(replaced(job, sound, object)) else {
            return .interface
        }
        return .object(object.path)
    }

    /// All declarations of a file, with their types and without bodies: that is what other files see of it, in this
    /// module and in others.
    private func declarations(_ job: [String]) throws -> String {
        var words = job.map { $0 == "-c" ? "-print-ast-decl" : $0 } + ["-suppress-warnings"]
        if let at = words.lastIndex(of: "-o") { words.removeSubrange(at...at + 1) }
        let printed = try Command(words, in: folder).run()
        guard printed.ending.isGood else { throw NotCompiled(description: Command.firstError(printed.output)) }
        return printed.output
    }

    /// The sound object that a source's changed one takes the place of.
    func object(of source: String) -> String? {
        jobs[source].flatMap { job in job.lastIndex(of: "-o").map { job[$0 + 1] } }
    }
}
