import Foundation
import PaymentCore
import PaymentStore
import TestSupport
import Testing

@Suite("Secrets in files")
struct FileSecretStoreTests {
    private let scratch = ScratchFolder()
    private var folder: String { scratch.file("secrets") }
    private var store: FileSecretStore { FileSecretStore(folder: folder) }

    private func mode(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    @Test("What is kept is there for its owner alone, is replaced as a whole, and can be forgotten")
    func keeps() async throws {
        #expect(try await store.secret("session") == nil)
        try await store.keep(Redacted("first"), as: "session")
        try await store.keep(Redacted("second ü"), as: "session")
        #expect(try await store.secret("session")?.reveal() == "second ü")
        #expect(try mode(folder) == 0o700)
        #expect(try mode(folder + "/session") == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["session"])
        try await store.forget("session")
        try await store.forget("session")
        #expect(try await store.secret("session") == nil)
    }

    @Test("A secret that others can read is not one, nor is a link or a folder")
    func exposed() async throws {
        try await store.keep(Redacted("s3cret"), as: "a")
        for mode in [0o640, 0o604, 0o660] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder + "/a")
            await #expect { try await store.secret("a") } throws: { !"\($0)".contains("s3cret") }
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder + "/a")
        try FileManager.default.createSymbolicLink(atPath: folder + "/b", withDestinationPath: folder + "/a")
        await #expect(throws: FileSecretStore.AccessError.self) { try await store.secret("b") }
        try FileManager.default.createDirectory(atPath: folder + "/c", withIntermediateDirectories: false)
        await #expect(throws: FileSecretStore.AccessError.self) { try await store.secret("c") }
        #expect(mkfifo(folder + "/pipe", 0o600) == 0)
        await #expect(throws: FileSecretStore.AccessError.self) { try await store.secret("pipe") }
        try Data([0xFF]).write(to: URL(filePath: folder + "/d"))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder + "/d")
        await #expect(throws: FileSecretStore.AccessError.self) { try await store.secret("d") }
    }

    @Test("No name leads out of the folder", arguments: ["", ".", "..", "../x", "a/b", ".hidden", "a\0b", "ä"])
    func names(_ name: String) async {
        await #expect(throws: FileSecretStore.AccessError.self) { try await store.keep(Redacted("x"), as: name) }
        await #expect(throws: FileSecretStore.AccessError.self) { try await store.secret(name) }
        await #expect(throws: FileSecretStore.AccessError.self) { try await store.forget(name) }
    }

    @Test("What cannot be kept leaves what was there")
    func tooLong() async throws {
        try await store.keep(Redacted("old"), as: "a")
        let long = String(repeating: "x", count: FileSecretStore.maximumLength + 1)
        await #expect(throws: FileSecretStore.AccessError.self) { try await store.keep(Redacted(long), as: "a") }
        #expect(try await store.secret("a")?.reveal() == "old")
        await #expect(throws: FileSecretStore.AccessError.self) {
            try await FileSecretStore(folder: scratch.file("no/such")).keep(Redacted("x"), as: "a")
        }
    }
}
