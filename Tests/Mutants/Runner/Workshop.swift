import Foundation
import MutationList

/// All that mutations are tried with: the sound modules and products, made once. The package itself is only read.
struct Workshop: Sendable {
    struct Changed: Error, CustomStringConvertible {
        var description: String { "the package was changed or built meanwhile; run it again" }
    }

    let folder: URL
    let plan: BuildPlan
    /// The product's texts, by path within the package.
    let texts: [String: String]
    private let root: URL
    private let start = Date()
    private let modules: [String: ModuleObjects]
    private let products: [Product]

    /// Compiles the sound modules of these files, file by file, and links the tests and the programs that they start.
    init(_ root: URL, plan: BuildPlan, files: Set<String>, programs: [BuildPlan.Node]) throws {
        self.root = root
        self.plan = plan
        texts = try Self.texts(of: root)
        folder = root.appending(path: ".build/mutants")
        let sound = folder.appending(path: "sound")
        try FileManager.default.createDirectory(at: sound, withIntermediateDirectories: true)
        var modules: [String: ModuleObjects] = [:]
        for name in Set(files.compactMap { plan.module(of: root.appending(path: $0).path) }).sorted() {
            modules[name] = try ModuleObjects(name, of: plan, in: folder.appending(path: "modules"))
        }
        self.modules = modules
        let objects = modules.values.reduce(into: [:]) { $0.merge($1.objects) { first, _ in first } }
        products = try ([plan.tests()] + programs).map { try Product($0, replacing: objects, in: sound) }
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

    /// Compiles a changed file and links with it whatever it is a part of, in a worker's own folder.
    func build(_ applied: Mutation.Applied, worker: Int) throws -> Built {
        let source = root.appending(path: applied.file).path
        let own = folder.appending(path: "worker-\(worker)")
        try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
        guard let name = plan.module(of: source), let module = modules[name], let sound = module.object(of: source)
        else { return .failed("\(applied.file) is in no module that is built") }
        let object: String
        switch try module.compile(applied.text, insteadOf: source, into: own) {
        case .object(let path): object = path
        case .same: return .same
        case .interface: return .interface
        case .failed(let why): return .failed(why)
        }
        for product in products {
            let place = own.appending(path: product.name)
            try? FileManager.default.removeItem(at: place)
            if product.contains(sound) {
                try product.link(replacing: sound, by: object, into: own)
            } else {
                try FileManager.default.createSymbolicLink(
                    at: place, withDestinationURL: folder.appending(path: "sound/\(product.name)"))
            }
        }
        try Self.placeResources(of: plan, in: own)
        return .folder(own)
    }

    /// Runs the suites of these names, in the sound products or in those of a folder, until a test has failed: others
    /// may wait endlessly after that.
    func test(_ suites: [String], in place: URL? = nil, within limit: Duration) throws -> Command.Ended {
        let bundle = (place ?? folder.appending(path: "sound")).appending(path: products[0].name).path
        let filters = suites.flatMap { ["--filter", "^\($0)[./]"] }
        return try Command(
            [bundle, "--testing-library", "swift-testing", "--experimental-maximum-parallelization-width", "2"]
                + filters,
            in: root, within: limit, isEnough: { $0.contains("✘ Test ") && $0.contains("recorded an issue") }
        ).run()
    }

    /// The ids of all tests.
    func tests() throws -> [String] {
        let bundle = folder.appending(path: "sound/\(products[0].name)").path
        return try Command([bundle, "--testing-library", "swift-testing", "--list-tests"], in: root).run().output
            .split(separator: "\n").map(String.init)
    }

    /// Checks that what is tried is still what was there at first.
    func checkUntouched() throws {
        let manager = FileManager.default
        var paths = [plan.products + "/" + products[0].name]
        for top in ["Sources", "Plugins", "Tests"] {
            paths += try manager.subpathsOfDirectory(atPath: root.appending(path: top).path).map {
                root.appending(path: "\(top)/\($0)").path
            }
        }
        for path in paths {
            let date = try? manager.attributesOfItem(atPath: path)[.modificationDate] as? Date
            if let date, date > start { throw Changed() }
        }
    }
}
