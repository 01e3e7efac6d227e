import PaymentCore

/// A package with a provider, under a chosen name.
struct ProviderTemplate {
    /// The name in the form of types: `Coffee`.
    let name: String
    /// The name in the form of providers and hosts: `coffee`.
    let id: String

    /// Creates a template, or nil when the name fits no type or no host.
    init?(name word: String) {
        let isPlain = word.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit }
        guard (2...40).contains(word.utf8.count), isPlain, let first = word.first, first.isLetter else { return nil }
        // Its type would have the name of the protocol that it conforms to.
        guard word.lowercased() != "payment" else { return nil }
        name = first.uppercased() + word.dropFirst()
        id = word.lowercased()
    }

    /// Returns a text as it may stand between quotation marks in a manifest; nil when it may not.
    static func literal(_ text: String) -> String? {
        let isSafe = text.unicodeScalars.allSatisfy { !Printable.isUnsafe($0) && $0 != "\"" && $0 != "\\" }
        return isSafe && !text.isEmpty ? text : nil
    }

    /// Returns the files by their paths in the package.
    ///
    /// - Parameter package: The path of swift-payment-router.
    func files(package: String) -> [(path: String, text: String)] {
        [
            ("Package.swift", ProviderTemplateFiles.manifest),
            ("README.md", ProviderTemplateFiles.readme),
            ("Sources/SampleProvider/SampleProvider.swift", ProviderTemplateFiles.provider),
            ("Tests/SampleProviderTests/SampleService.swift", ProviderTemplateFiles.service),
            ("Tests/SampleProviderTests/SampleProviderTests.swift", ProviderTemplateFiles.tests),
        ].map { (named($0), named($1).replacing("@PACKAGE@", with: package)) }
    }

    private func named(_ text: String) -> String {
        text.replacing("Sample", with: name).replacing("sample", with: id)
    }
}
