import Foundation
import PaykitKit
import PaykitProvider
import PaykitSandbox
import PaymentCore
import PaymentLoopback
import PaymentTransport

/// An application's user and client, and the sandbox that both programs use.
struct Application {
    let sandbox: PubkySandbox
    let url: HTTPURL
    let keyPair: PubkyKeyPair
    let client: PaykitClient
    let store = InMemoryRecords()
    let transport = StandardTransport()

    static let receiver = "router/wallet"

    init(_ sandbox: PubkySandbox, at url: HTTPURL) async throws {
        self.sandbox = sandbox
        self.url = url
        let seed = [UInt8](repeating: 7, count: 32)
        keyPair = try PubkyKeyPair(seed: seed)
        var configuration = PaykitClientConfiguration(network: try .sandbox(url))
        configuration.receiver = PaykitReceiverPath(Self.receiver)
        configuration.receiverSecret = Redacted(Array(repeating: 9, count: 32))
        client = PaykitClient(configuration: configuration, transport: transport, store: store)
        try await client.initialize(
            secretKeyHex: String(repeating: "07", count: 32), homeserverPubkey: sandbox.homeserver.text)
        try await client.publishReceiver()
    }
}

/// One side of subscriptions with another user.
protocol Side {
    /// Carries out a command, and returns its result.
    func answer(_ command: JSONValue) async throws -> JSONValue
}

struct UnfitCommand: Error, CustomStringConvertible {
    let description: String
}

extension JSONValue {
    func text(_ name: String) throws -> String {
        guard let text = self[name]?.string else { throw UnfitCommand(description: "\(name) is missing") }
        return text
    }

    func number(_ name: String) throws -> Int64 {
        guard let number = self[name]?.int64 else { throw UnfitCommand(description: "\(name) is missing") }
        return number
    }
}

/// One side of subscriptions, over a private link or private channels. The other side is another program,
/// `Tests/Interop/subscriptions.py`. Each line of standard input is a command, each line of output its result.
@main
struct SubscriptionProcess {
    static func main() async throws {
        let sandbox = PubkySandbox()
        let server = try LoopbackServer(sandbox)
        defer { server.stop() }
        let application = try await Application(sandbox, at: HTTPURL("http://localhost:\(server.baseURL.port)"))
        say([
            "port": .number(JSONNumber(UInt64(server.baseURL.port))), "homeserver": .string(sandbox.homeserver.text),
            "user": .string(application.keyPair.publicKey.text), "receiver": .string(Application.receiver),
        ])
        var side: (any Side)?
        while let line = readLine() {
            do {
                let command = try JSONValue(parsing: line)
                switch command["do"]?.string {
                case "link": side = try await LinkSide(with: command.text("user"), application)
                case "channel": side = try await ChannelSide(with: command.text("user"), application)
                default:
                    guard let side else { throw UnfitCommand(description: "there is no other side yet") }
                    say(try await side.answer(command))
                    continue
                }
                say([:])
            } catch { say(["error": .string("\(error)")]) }
        }
    }

    private static func say(_ answer: JSONValue) {
        print(String(decoding: answer.serialized(), as: UTF8.self))
        fflush(nil)
    }
}
