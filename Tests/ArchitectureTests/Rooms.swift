import Foundation

extension Rules {
    /// A folder inside a target that the compiler would let use all of the target.
    struct Room: Sendable {
        let folder: String
        /// The targets that its files may import.
        let imports: Set<String>
        /// Other folders of the target, whose types it may name; without them it may name no type of the target's rest.
        var neighbours: Set<String> = []
    }

    static let allRooms: [Room] = [
        // Screens know no network and no session: an application gives them both.
        Room(folder: "Plugins/Payrails/Kit/Components", imports: ["PaymentCore", "PaymentCrypto", "PayrailsProvider"]),
        // The network below Paykit knows no payment.
        Room(folder: "Plugins/Paykit/Provider/Pubky", imports: ["PaymentCore", "PaymentCrypto", "CSodium"]),
        Room(
            folder: "Plugins/Paykit/Provider/DHT", imports: ["PaymentCore", "PaymentCrypto"],
            neighbours: ["Plugins/Paykit/Provider/Pubky"]),
        // Sockets and files know nothing of the client.
        Room(folder: "Plugins/Paykit/Kit/Network", imports: ["PaymentCore", "PaykitProvider", "SocketPoll"]),
        // The simulated network knows nothing of the simulated service.
        Room(
            folder: "Plugins/Paykit/Sandbox/Network",
            imports: ["PaymentCore", "PaymentCrypto", "PaymentTesting", "PaykitProvider", "PaykitKit"]),
    ]

    static func rooms(_ project: Project) -> [Violation] { rooms(allRooms, in: project) }

    static func rooms(_ rooms: [Room], in project: Project) -> [Violation] {
        let targets = Set(project.manifest.targets.map(\.name))
        return rooms.flatMap { room -> [Violation] in
            let files = project.files.filter { $0.key.hasPrefix(room.folder + "/") }.sorted { $0.key < $1.key }
            guard let target = project.manifest.target(of: room.folder + "/") else { return [] }
            let mine = [room.folder] + room.neighbours
            let elsewhere = project.files.filter { file, _ in
                file.hasPrefix(target.path + "/") && !mine.contains { file.hasPrefix($0 + "/") }
            }
            let foreign = Set(elsewhere.values.flatMap(declaredTypes))
            return files.flatMap { file, text -> [Violation] in
                let code = SwiftText.of(text)
                let imported = code.imports.intersection(targets).subtracting(room.imports).sorted()
                let named = foreign.intersection(code.tokens.map(String.init)).sorted()
                return imported.map { Violation(place: file, message: "imports \($0), which \(room.folder) may not") }
                    + named.map { Violation(place: file, message: "names \($0), which is outside of \(room.folder)") }
            }
        }
    }

    /// The types that a file declares outside of others.
    private static func declaredTypes(_ text: String) -> [String] {
        let type =
            #/
            ^ (?: @\w+\s | public\s | package\s | internal\s | final\s | indirect\s )*
            (?: struct | class | enum | actor | protocol | typealias ) \s (\w+)
            /#
        return text.split(separator: "\n").compactMap { line in line.firstMatch(of: type).map { String($0.1) } }
    }
}
