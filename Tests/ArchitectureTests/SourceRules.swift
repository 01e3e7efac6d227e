import Foundation

/// Rules for the code of single files, as functions from their text to breaches.
enum SourceRules {
    /// The input of the rules.
    struct Package: Sendable {
        /// Swift files by path.
        var files: [String: String]
        /// The texts of `Protocol.md` by their target's folder, such as `Plugins/Citcon/Provider`.
        var protocols: [String: String]

        /// The package with this file, read once.
        static func onDisk() throws -> Package { try known.get() }

        private static let known = Result { try read() }

        private static func read() throws -> Package {
            let plugins = root.appending(path: "Plugins")
            var protocols: [String: String] = [:]
            for case let path as String in FileManager.default.enumerator(atPath: plugins.path) ?? .init()
            where path.hasSuffix(".docc/Protocol.md") {
                let folder = path.split(separator: "/").prefix(2).joined(separator: "/")
                protocols["Plugins/\(folder)"] = try String(contentsOf: plugins.appending(path: path), encoding: .utf8)
            }
            return Package(files: try Project.onDisk().files, protocols: protocols)
        }
    }

    /// The package's folder.
    private static var root: URL {
        (0..<3).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    }

    /// Every rule, by name.
    static let all: [(name: String, check: @Sendable (Package) -> [Violation])] = [
        ("What is cited is in the repository", citations),
        ("Public functions say what they throw", throwing),
        ("Null members are read as absent in one place", nulls),
        ("Outcomes are made by the ledger", outcomes),
        ("At most three parameters have no label", unlabelled),
    ]

    // MARK: Citations

    static func citations(_ package: Package) -> [Violation] {
        package.files.sorted { $0.key < $1.key }.filter { !$0.key.hasPrefix("Tests/ArchitectureTests/") }
            .flatMap { file, text -> [Violation] in
                let cited = cited(in: text)
                guard !cited.isEmpty else { return [] }
                let plugin = described(file, in: package.protocols)
                let sections = plugin.map { headings(of: package.protocols[$0] ?? "") } ?? []
                return cited.filter { !sections.contains($0) }.map {
                    Violation(place: file, message: "cites Protocol \($0), which is no section of its plug-in's")
                }
            }
    }

    /// The folder whose `Protocol.md` a vendor's file cites: a merchant's service has one beside its provider's.
    private static func described(_ file: String, in protocols: [String: String]) -> String? {
        let parts = file.split(separator: "/")
        guard parts.count > 3, parts[0] == "Plugins" else { return nil }
        let isMerchant = parts[2] == "Merchant" || parts[2] == "Tests" && parts[3...].contains("Merchant")
        let merchant = "Plugins/\(parts[1])/Merchant"
        return isMerchant && protocols[merchant] != nil ? merchant : "Plugins/\(parts[1])/Provider"
    }

    /// The numbers of the sections of an article: `2.4.1` of `#### 2.4.1 Kinds`.
    private static func headings(of article: String) -> Set<String> {
        Set(
            article.split(separator: "\n").filter { $0.hasPrefix("##") }.compactMap { line in
                line.drop { $0 == "#" }.split(separator: " ").first.map(String.init)
            })
    }

    /// The sections that `text` cites: 2.3, 3.4 and 6.4 of `Protocol 2.3, 3.4 and 6.4`.
    private static func cited(in text: String) -> [String] {
        guard text.hasBytes(of: "Protocol ") else { return [] }
        return text.matches(of: /\bProtocol (\d[\d.]*(?:(?:, | and | to )\d[\d.]*)*)/).flatMap { match in
            match.output.1.matches(of: /\d+(?:\.\d+)*/).map { String($0.output) }
        }
    }

    // MARK: Null

    /// The spellings of a null that is made absent where it is read, which the next member lacks.
    private static let inPlace = ["== .null ? nil", "!= .null ? $0", ".isNull ? nil", "!$0.isNull ? $0"]

    static func nulls(_ package: Package) -> [Violation] {
        package.files.sorted { $0.key < $1.key }
            .filter { file, text in !file.contains("Tests/") && inPlace.contains(where: text.contains) }
            .map {
                Violation(place: $0.key, message: "makes a null absent by itself; read the member by `present(_:)`")
            }
    }

    // MARK: Outcomes

    /// Outcomes are made by the ledger alone, which the compiler sees to; those for tests of code that handles outcomes
    /// and what the simulation heard stay there, and only a journal reads one back.
    static func outcomes(_ package: Package) -> [Violation] {
        let made = ["PaymentOutcome(stating:", "Ledger.empty", "decode(PaymentOutcome.self"]
        return package.files.sorted { $0.key < $1.key }
            .filter { file, text in
                !file.contains("Tests/") && !file.hasPrefix("Sources/PaymentTesting/")
                    && !file.hasPrefix("Sources/PaymentSimulation/")
                    && made.contains(where: text.contains)
            }
            .map { Violation(place: $0.key, message: "makes an outcome without the ledger") }
    }

    // MARK: What is thrown

    /// The folders of the targets that keep the rule.
    static let documented = [
        "Sources/PaymentCore/", "Sources/PaymentStandards/", "Sources/PaymentTransport/", "Sources/PaymentStore/",
        "Sources/PaymentReview/", "Sources/PaymentWallet/", "Sources/PaymentRouting/", "Sources/PaymentTesting/",
        "Sources/PaymentSettlement/", "Sources/PaymentRecurring/",
        "Sources/PaymentLoopback/", "Sources/PaymentSandbox/", "Sources/PaymentCrypto/", "Sources/PaymentSecp256k1/",
        "Plugins/",
    ]

    static func throwing(_ package: Package) -> [Violation] {
        package.files.sorted { $0.key < $1.key }.filter { file, text in
            text.hasBytes(of: "throws") && documented.contains(where: file.hasPrefix)
        }.flatMap { file, text in
            PublicFunction.all(in: text).filter { $0.hasParameters && $0.throwsErrors && !$0.saysWhatItThrows }.map {
                Violation(place: file, message: "'\($0.name)' throws and has no `- Throws:`")
            }
        }
    }

    // MARK: Parameters

    /// C callbacks in their order, the octets of an address, the letters of specifications, rows of tables, and
    /// statements: by file.
    static let allowedUnlabelled: Set<String> = [
        "HTTPExchange.swift handleExchange", "HTTPExchange.swift endExchange", "HTTPExchange.swift watchConnection",
        "DatagramTransport.swift init", "StreamTransport.swift init", "BLAKE.swift mix", "KnownToken.swift init",
        "TamperedAnswer.swift init", "StoredColumn.swift rows", "StoredColumn.swift all",
    ]

    /// Arguments without a label can be swapped, and the compiler accepts it.
    static func unlabelled(_ package: Package) -> [Violation] {
        bare(package).filter { !allowedUnlabelled.contains($0.name) }.map {
            Violation(
                place: $0.file, message: "'\($0.name)' has more than three parameters without a label; give it labels")
        }
    }

    /// The functions of the product with more than three parameters without a label, each as `File.swift name`.
    static func bare(_ package: Package) -> [(file: String, name: String)] {
        package.files.sorted { $0.key < $1.key }.filter { file, _ in
            (file.hasPrefix("Sources/") || file.hasPrefix("Plugins/")) && !file.contains("/Tests/")
        }.flatMap { file, text in
            let name = file.split(separator: "/").last ?? ""
            return functions(SwiftText.of(text).tokens).filter { $0.unlabelled > 3 }.map {
                (file, "\(name) \($0.name)")
            }
        }
    }

    /// The declared functions, with their numbers of unlabelled parameters.
    private static func functions(_ tokens: [Substring]) -> [(name: String, unlabelled: Int)] {
        tokens.indices.compactMap { index in
            let isInitializer = tokens[index] == "init" && (index == 0 || tokens[index - 1] != ".")
            guard tokens[index] == "func" || isInitializer else { return nil }
            let name = isInitializer ? "init" : tokens.dropFirst(index + 1).first.map(String.init) ?? ""
            guard let start = tokens[index...].firstIndex(of: "("), start - index < 40 else { return nil }
            var depth = 0
            var count = 0
            for place in start..<tokens.endIndex {
                switch tokens[place] {
                case "(", "[", "{": depth += 1
                case ")", "]", "}": depth -= 1
                default: break
                }
                if depth == 0 { break }
                let begins = depth == 1 && (place == start || tokens[place] == ",")
                if begins, tokens.dropFirst(place + 1).first == "_" { count += 1 }
            }
            return (name, count)
        }
    }
}
