import Foundation
import Testing

/// The dependencies that a package gets with the products that it names.
@Suite("Users of a product")
struct ProductDependencyTests {
    private func reach(of names: [String]) throws -> Set<String> {
        let manifest = try Manifest.onDisk.get()
        var reached: Set<String> = []
        var open = names
        while let name = open.popLast() {
            guard reached.insert(name).inserted else { continue }
            let target = try #require(manifest.targets.first { $0.name == name }, "\(name)")
            open += target.dependencies
        }
        return reached
    }

    @Test("To write and test a provider gets no vendor, no server and no library but libcrypto")
    func providerAuthor() throws {
        #expect(
            try reach(of: ["PaymentRouting", "PaymentTesting"])
                == ["PaymentCore", "PaymentCrypto", "PaymentRouting", "PaymentTesting", "CLibcrypto"])
    }

    @Test("For one vendor's payments gets no other library than libcrypto, and Paykit's libsodium with Paykit only")
    func oneProvider() throws {
        let manifest = try Manifest.onDisk.get()
        let providers = manifest.targets.filter { $0.vendor != nil && $0.name.hasSuffix("Provider") }.map(\.name)
        #expect(providers.count >= 3)
        for provider in providers {
            let vendor = String(provider.dropLast("Provider".count))
            let reached = try reach(of: [provider]).filter { !$0.hasPrefix(vendor) }
            let own = Set(Rules.owners.filter { $0.value.hasPrefix(vendor) }.keys)
            #expect(
                reached.isSubset(of: own.union(Rules.providerArrows).union(["CLibcrypto"])),
                "\(provider): \(reached.sorted())")
        }
    }

    @Test("With the router and one provider come six modules of ours at most, and no sockets and files")
    func smallest() throws {
        let manifest = try Manifest.onDisk.get()
        for target in manifest.targets where target.area == "Plugins" && target.name.hasSuffix("Provider") {
            let reached = try reach(of: ["PaymentRouting", target.name])
            let ours = reached.filter { Rules.owners[$0] == nil }
            #expect(ours.count <= 6, "\(target.name): \(ours.sorted())")
            #expect(ours.isDisjoint(with: ["PaymentStore", "PaymentTransport", "SocketPoll"]))
        }
    }

    @Test("An application with one provider and the network gets two libraries, and SQLite with a journal that stays")
    func application() throws {
        func libraries(_ targets: [String]) throws -> Set<String> {
            try reach(of: targets).filter { Rules.owners[$0] != nil }
        }
        #expect(try libraries(["standalone-app"]) == ["CCurl", "CLibcrypto"])
        #expect(try libraries(["standalone-app", "PaymentStore"]) == ["CCurl", "CLibcrypto", "CSQLite"])
    }
}
