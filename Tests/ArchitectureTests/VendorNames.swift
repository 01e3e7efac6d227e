import Foundation

extension Rules {
    /// The code of `Sources` that may name a vendor, by the beginnings of its paths, with the reason.
    static let mayNameVendors: [String: String] = [
        "Sources/PaymentStandards/": "it reads texts that no provider is needed for, some of them a vendor's",
        "Sources/PaymentSandbox/": "it is the one list of vendors",
        "Sources/payroute/Commands/Links/OtherKinds.swift":
            "texts that are no payments, among them a wallet's protocol",
        "Sources/payroute/Commands/Payments/PayCommand.swift": "its help",
        "Sources/payroute/Commands/ReviewCommand.swift": "its help: the form of a case is the vendor's",
        "Sources/payroute/Commands/Sandbox/": "their help",
    ]

    /// Code that serves all vendors asks a vendor's own value, such as its `ListedService`, and compares no name.
    static func vendorNames(_ project: Project) -> [Violation] {
        // A vendor's name in lower case, without `pay` at its end. Bitcoin is a network, too.
        let vendors = Set(project.manifest.targets.compactMap { $0.vendor?.lowercased() }).subtracting(["bitcoin"])
            .map { $0.hasSuffix("pay") ? String($0.dropLast(3)) : $0 }.filter { $0.count > 3 }
        func names(_ text: some StringProtocol) -> [String] {
            let text = text.lowercased()
            return vendors.filter { text.range(of: $0, options: .literal) != nil }
        }
        return project.files.sorted { $0.key < $1.key }.flatMap { file, text -> [Violation] in
            guard file.hasPrefix("Sources/"), !mayNameVendors.keys.contains(where: { file.hasPrefix($0) }),
                !names(text).isEmpty
            else { return [] }
            // Examples of help are commands of the program, with a link or an id.
            return text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
                .filter { _, line in !line.drop { $0 == " " }.hasPrefix("//") && !line.hasBytes(of: "\"payroute ") }
                .flatMap { index, line in
                    names(line).map {
                        Violation(place: "\(file):\(index + 1)", message: "names \($0); ask the vendor's own value")
                    }
                }
        }
    }

    /// The simulator's list of vendors. It is for tests, so that no vendor's own value of `Sources` can hold it.
    static let marketList = "Tests/VendorSimulation/VendorMarkets.swift"

    /// The simulator plays each vendor that has a sandbox: by its description, or by a market of its own.
    static func markets(_ project: Project) -> [Violation] {
        let list = project.files[marketList] ?? ""
        return project.manifest.targets.filter { $0.vendor != nil }.filter {
            let vendor = $0.vendor ?? ""
            return $0.name == vendor + "Sandbox" && !list.contains("Simulated\(vendor)(")
                && !list.contains("\(vendor)Market.maker(")
        }.map { Violation(place: marketList, message: "leaves out the vendor of \($0.name)") }
    }
}
