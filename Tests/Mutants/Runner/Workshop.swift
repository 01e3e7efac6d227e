import Foundation
import MutationList
import Synchronization

/// All that mutations are tried with: the sound modules and products, made once. The package itself is only read.
final class Workshop: Sendable {
    struct Changed: Error, CustomStringConvertible {
        var description: String { "the package was changed or built meanwhile; run it again" }
    }

    struct Unsound: Error, CustomStringConvertible {
        let description: String
    }

    let folder: URL
    private let plan: BuildPlan
    private let root: URL
    private let start = Date()
    private let modules: [String: ModuleObjects]
    private let objects: [String: String]
    private let programs: [String: [BuildPlan.Node]]
    /// The tests and programs that were linked, by name.
    private let linked = Mutex<[String: Product]>([:])
    /// The changed object of each worker, with the sound one.
    private let changed = Mutex<[Int: (sound: String, own: String)]>([:])
    /// The facts about the code without a change, kept in a file.
    private let sound: Mutex<Sound>
    /// The ids of the tests of some targets.
    private let known = Mutex<[Set<String>: [String]]>([:])
    /// Held while suites run without a change: one worker does that for all.
    private let checks = Mutex<Void>(())

    /// The seconds that suites take without a change, and whether a test passes without one.
    private struct Sound: Codable {
        /// A digest of all that the suites are made from.
        let state: [String: [UInt8]]
        var durations: [String: Double] = [:]
        var passing: [String: Bool] = [:]
    }

    /// Compiles the sound modules of these files, file by file.
    ///
    /// - Parameters:
    ///   - programs: the programs that the suites of a target start, by the target.
    ///   - needs: digests of what the suites of a target are made from, by the target.
    init(
        _ root: URL, plan: BuildPlan, files: Set<String>, programs: [String: [BuildPlan.Node]], needs: [String: [UInt8]]
    ) throws {
        self.root = root
        self.plan = plan
        self.programs = programs
        folder = root.appending(path: ".build/mutants")
        let kept = try? JSONDecoder().decode(Sound.self, from: Data(contentsOf: folder.appending(path: "sound.json")))
        sound = Mutex(kept.flatMap { $0.state == needs ? $0 : nil } ?? Sound(state: needs))
        let sound = folder.appending(path: "sound")
        try FileManager.default.createDirectory(at: sound, withIntermediateDirectories: true)
        var modules: [String: ModuleObjects] = [:]
        for name in Set(files.compactMap { plan.module(of: root.appending(path: $0).path) }).sorted() {
            modules[name] = try ModuleObjects(name, of: plan, in: folder.appending(path: "modules"))
        }
        self.modules = modules
        objects = modules.values.reduce(into: [:]) { $0.merge($1.objects) { first, _ in first } }
        try Self.placeResources(of: plan, in: sound)
    }

    /// The product's texts, by path within the package.
    static func texts(of root: URL) throws -> [String: String] {
        var texts: [String: String] = [:]
        for top in ["Sources", "Plugins"] {
            for path in try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: top).path)
            where path.hasSuffix(".swift") {
                texts["\(top)/\(path)"] = try String(
                    contentsOf: root.appending(path: "\(top)/\(path)"), encoding: .utf8)
            }
        }
        return texts
    }

    private static func placeResources(of plan: BuildPlan, in folder: URL) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: plan.products)
        where name.hasSuffix(".resources") || name.hasSuffix(".bundle") {
            try? FileManager.default.createSymbolicLink(
                atPath: folder.appending(path: name).path, withDestinationPath: "\(plan.products)/\(name)")
        }
    }

    /// A folder with the tests and all programs, in which a changed file takes the place of the sound one.
    enum Built {
        case folder(URL)
        case same
        case interface
        case failed(String)
    }

    /// Compiles a changed file and links the tests with it, into a worker's own folder.
    func build(_ candidate: Candidate, worker: Int) throws -> Built {
        let source = root.appending(path: candidate.file).path
        let own = folder.appending(path: "worker-\(worker)")
        try? FileManager.default.removeItem(at: own)
        try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
        guard let name = plan.module(of: source), let module = modules[name], let sound = module.object(of: source)
        else { return .failed("\(candidate.file) is in no module that is built") }
        // No operation changes a declaration.
        switch try module.compile(candidate.text, insteadOf: source, into: own, comparing: !candidate.isGenerated) {
        case .object(let path): changed.withLock { $0[worker] = (sound, path) }
        case .same: return .same
        case .interface: return .interface
        case .failed(let why): return .failed(why)
        }
        for product in try products(of: candidate.targets) { try link(product, in: own, worker: worker) }
        try Self.placeResources(of: plan, in: own)
        return .folder(own)
    }

    /// The tests of some targets, linked without a change, and the programs that they start.
    private func products(of targets: Set<String>) throws -> [Product] {
        try linked.withLock { linked in
            let started = targets.flatMap { programs[$0] ?? [] }
            return try ([plan.tests(of: targets)] + started).reduce(into: [:]) { $0[$1.outputs.first ?? ""] = $1 }
                .map { name, node in
                    if let known = linked[name] { return known }
                    let product = try Product(node, replacing: objects, in: folder.appending(path: "sound"))
                    linked[name] = product
                    return product
                }
        }
    }

    private func link(_ product: Product, in own: URL, worker: Int) throws {
        guard let (sound, object) = changed.withLock({ $0[worker] }) else { return }
        if product.contains(sound) { return try product.link(replacing: sound, by: object, into: own) }
        try FileManager.default.createSymbolicLink(
            at: own.appending(path: product.name),
            withDestinationURL: folder.appending(path: "sound/\(product.name)"))
    }

    /// A run of tests.
    struct TestRun {
        let noticed: Noticed
        let seconds: Double
    }

    /// Runs the suites and tests of these names, in the sound products or in those of a folder, until a test has
    /// failed: others may wait endlessly after that.
    ///
    /// - Parameter targets: the targets whose tests are linked as one.
    func test(
        _ names: [String], of targets: Set<String>, in place: URL? = nil, within limit: Duration
    ) throws -> TestRun {
        let bundle = try bundle(of: targets, in: place)
        let filters = names.flatMap { ["--filter", "^\(NSRegularExpression.escapedPattern(for: $0))[./]"] }
        let events = folder.appending(path: "events-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: events) }
        let ended = try Command(
            [bundle, "--testing-library", "swift-testing", "--experimental-maximum-parallelization-width", "2"]
                + ["--event-stream-output-path", events.path, "--event-stream-version", "0"] + filters,
            in: root, within: limit, isEnough: { $0.contains("✘ Test ") && $0.contains("recorded an issue") }
        ).run()
        return TestRun(noticed: Noticed(ended, events: events), seconds: ended.seconds)
    }

    private func bundle(of targets: Set<String>, in place: URL? = nil) throws -> String {
        if place == nil { _ = try products(of: targets) }
        return (place ?? folder.appending(path: "sound")).appending(path: BuildPlan.nameOfTests(of: targets)).path
    }

    /// Checks that suites notice nothing without a change, and keeps how long they take all together.
    func check(_ suites: [String], of targets: Set<String>) throws -> Double {
        let run = try test(suites, of: targets, within: .seconds(1800))
        guard run.noticed == .nothing else {
            throw Unsound(description: "without any change a test of \(suites) fails: \(run.noticed)")
        }
        try keep { for suite in suites { $0.durations[suite] = run.seconds } }
        return run.seconds
    }

    private func keep(_ change: (inout Sound) -> Void) throws {
        try sound.withLock {
            change(&$0)
            try JSONEncoder().encode($0).write(to: folder.appending(path: "sound.json"), options: .atomic)
        }
    }

    /// The limit of time of suites, far above their duration. On a machine with other work a run of some may take
    /// longer than that of all did.
    func limit(of suites: [String], of targets: Set<String>) throws -> Duration {
        let longest = try checks.withLock { _ in
            try suites.map { suite in try sound.withLock { $0.durations[suite] } ?? check([suite], of: targets) }.max()
        }
        return .seconds(45 + 3 * (longest ?? 0))
    }

    /// Returns true if a test passes without a change.
    func passes(_ test: String, of targets: Set<String>) throws -> Bool {
        if let known = sound.withLock({ $0.passing[test] }) { return known }
        let passes = try self.test([test], of: targets, within: .seconds(300)).noticed == .nothing
        try keep { $0.passing[test] = passes }
        return passes
    }

    /// The suites whose name is that of the changed file.
    func suites(of candidate: Candidate) throws -> [String] {
        let file = URL(filePath: candidate.file).deletingPathExtension().lastPathComponent
        let all = try known.withLock { known in
            let all = try known[candidate.targets] ?? names(of: candidate.targets)
            known[candidate.targets] = all
            return all
        }
        return candidate.targets.sorted().map { "\($0).\(file)Tests" }.filter { suite in
            all.contains { $0.hasPrefix(suite + "/") }
        }
    }

    /// The ids of all tests of some targets.
    func names(of targets: Set<String>) throws -> [String] {
        try Command([bundle(of: targets), "--testing-library", "swift-testing", "--list-tests"], in: root).run().output
            .split(separator: "\n").map(String.init)
    }

    /// Checks that what is tried is still what was there at first: the code, what tests read, and the build.
    func checkUntouched() throws {
        let manager = FileManager.default
        var paths = [plan.bundle]
        for top in ["Sources", "Plugins", "Tests"] {
            paths += try manager.subpathsOfDirectory(atPath: root.appending(path: top).path)
                .filter { !("\(top)/\($0)".contains("Tests/") && $0.hasSuffix(".swift")) }
                .map { root.appending(path: "\(top)/\($0)").path }
        }
        for path in paths {
            var isFolder: ObjCBool = false
            _ = manager.fileExists(atPath: path, isDirectory: &isFolder)
            let date = try? manager.attributesOfItem(atPath: path)[.modificationDate] as? Date
            if !isFolder.boolValue, let date, date > start { throw Changed() }
        }
    }
}
