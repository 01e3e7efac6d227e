#if canImport(Glibc)
    import ChildProcesses
    import Foundation
    import Glibc

    /// A network namespace of Linux, as a machine with a cable to this one. Root makes it, by iproute2.
    package final class NetworkNamespace: Sendable {
        /// The file of `ip`; nil where there is none.
        package static let program = ["/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip"].first {
            FileManager.default.isExecutableFile(atPath: $0)
        }

        /// True if this process may make namespaces: containers often may not.
        package static let isAllowed: Bool = {
            guard getuid() == 0, (try? NetworkNamespace(number: 63)) != nil else { return false }
            return true
        }()
        package static let need = "needs root, iproute2, and the right to make network namespaces"

        package struct Failure: Error {
            let words: String
        }

        package let name: String
        /// The name of the cable's end at this machine.
        private let cable: String
        /// The address of this machine at the cable. It is one of those for measurements (RFC 2544).
        package let address: String

        /// - Parameter number: at most 63, one for each machine of this process.
        package init(number: Int) throws {
            let process = Int(getpid())
            name = "payroute-\(process)-\(number)"
            cable = "pay\(process % 1_000_000)n\(number)"
            let subnet = "198.18.\(process % 250)."
            address = subnet + "\(4 * number + 1)"
            try Self.ip("netns add \(name)")
            try Self.ip("link add \(cable) type veth peer name cable netns \(name)")
            try Self.ip("addr add \(address)/30 dev \(cable)")
            try Self.ip("link set \(cable) up")
            try Self.ip("-n \(name) addr add \(subnet)\(4 * number + 2)/30 dev cable")
            for device in ["cable", "lo"] { try Self.ip("-n \(name) link set \(device) up") }
        }

        deinit { try? Self.ip("netns del \(name)") }

        /// Pulls the cable out, or puts it in. What is sent meanwhile is lost.
        package func setCable(isConnected: Bool) throws {
            try Self.ip("link set \(cable) \(isConnected ? "up" : "down")")
        }

        /// Runs on a separate thread in the namespace: sockets that it makes are there.
        package func inside<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
            try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread { [name] in
                    continuation.resume(
                        with: Result {
                            try Self.enter(name)
                            return try body()
                        })
                }
            }
        }

        private static func enter(_ name: String) throws {
            typealias Entering = @convention(c) (Int32, Int32) -> Int32
            let file = open("/run/netns/\(name)", O_RDONLY)
            defer { close(file) }
            guard let function = dlsym(nil, "setns"), unsafeBitCast(function, to: Entering.self)(file, 0) == 0 else {
                throw Failure(words: "setns \(name)")
            }
        }

        private static func ip(_ words: String) throws {
            guard let program else { throw Failure(words: need) }
            let (code, _) = try ChildProcess.run(program, words.split(separator: " ").map(String.init))
            guard code == 0 else { throw Failure(words: "ip \(words)") }
        }
    }
#endif
