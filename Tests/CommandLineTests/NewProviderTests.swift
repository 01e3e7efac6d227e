import Foundation
import PaymentCore
import TestSupport
import Testing

@testable import PayrouteCommands

@Suite("new-provider")
struct NewProviderTests {
    private let folder = ScratchFolder()

    @Test("Writes a manifest, a page, a provider, its simulated service and their tests, and names each")
    func sample() async throws {
        let place = folder.file("sample")
        let result = await payroute("new-provider", "sample", "--folder", place, "--package", "/somewhere/router")
        #expect(result.code == 0 && result.errors == "", "\(result)")
        let files = [
            "Package.swift", "README.md", "Sources/SampleProvider/SampleProvider.swift",
            "Tests/SampleProviderTests/SampleProviderTests.swift", "Tests/SampleProviderTests/SampleService.swift",
        ]
        let written = try FileManager.default.subpathsOfDirectory(atPath: place)
        #expect(written.filter { $0.hasSuffix(".swift") || $0.hasSuffix(".md") }.sorted() == files)
        #expect(files.allSatisfy { result.lines.contains("\(place)/\($0)") })
        let manifest = try String(contentsOfFile: place + "/Package.swift", encoding: .utf8)
        #expect(manifest.contains(#"path: "/somewhere/router""#))
    }

    @Test("Under another name nothing of Sample is left")
    func named() async throws {
        let place = folder.file("tea")
        #expect(await payroute("new-provider", "earlGrey", "--folder", place).code == 0)
        for path in try FileManager.default.subpathsOfDirectory(atPath: place) {
            #expect(!path.lowercased().contains("sample"))
            guard path.hasSuffix(".swift") || path.hasSuffix(".md") else { continue }
            let text = try String(contentsOfFile: place + "/" + path, encoding: .utf8)
            #expect(!text.lowercased().contains("sample"))
        }
        #expect(FileManager.default.fileExists(atPath: place + "/Sources/EarlGreyProvider/EarlGreyProvider.swift"))
    }

    @Test("A folder that is there is left as it is")
    func there() async throws {
        let place = folder.file("tea")
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        let result = await payroute("new-provider", "tea", "--folder", place)
        #expect(result.code == 1 && result.errors.contains("it is there already"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: place) == [])
        let nowhere = await payroute("new-provider", "tea", "--folder", folder.file("no/where"))
        #expect(nowhere.code == 1 && nowhere.errors.contains("No such file"))
    }

    @Test(
        "Names that no type or host can have are refused with 64",
        arguments: [
            "", "1tea", "tea-bag", "../tea", "tea bag", "t", "Payment", "tée", String(repeating: "x", count: 41),
        ])
    func names(name: String) async throws {
        let result = await payroute("new-provider", name, "--folder", folder.file("new"))
        #expect(result.code == 64, "\(result)")
        #expect(try folder.names == [])
    }
}
