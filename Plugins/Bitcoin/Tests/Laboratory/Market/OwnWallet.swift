import BitcoinSandbox
import BitcoinWallets
import Foundation
import PaymentCore
import PaymentRouting
import PaymentSimulation
import PaymentStandards
import PaymentTesting
import Synchronization
import TestSupport

/// A wallet's settler in one process.
enum OwnWallet {
    /// The error of a process that has ended.
    struct Ended: Error {}

    static let host = "node.example"

    /// True for a request to pay.
    static func isOrder(_ request: HTTPRequest) -> Bool {
        request.method == .post
            && ["/api/v1/payments", "/v2/router/send", "/v1/xpay", "/payinvoice"].contains(request.url.path)
    }

    static func wallet(_ face: SimulatedNode.Face, over transport: any HTTPTransport) -> any LightningWallet {
        guard let url = try? HTTPURL(service: "https://\(host)") else { preconditionFailure("it is an address") }
        let key = Redacted(SimulatedNode.key)
        return switch face {
        case .lnbits: LNbitsWallet(at: url, key: key, over: transport)
        case .lnd: LNDWallet(at: url, macaroon: key, over: transport)
        case .coreLightning: CoreLightningWallet(at: url, rune: key, over: transport)
        case .phoenixd: PhoenixdWallet(at: url, password: key, over: transport)
        }
    }

    /// Opens a file of orders for a process, under a path that is gone when the process ends: then nothing is written
    /// to it any more, and the lock on it is free.
    ///
    /// - Parameter number: the number of the file.
    static func settler(
        _ face: SimulatedNode.Face, _ process: SimulatedProcess, _ world: SimulatedWorld, _ node: WalletNode,
        orders number: Int, in folder: ScratchFolder, _ mistake: WalletMistake?
    ) async throws -> any PaymentSettler {
        let files = FileManager.default
        let target = folder.file("orders-\(number)")
        try files.createDirectory(atPath: target, withIntermediateDirectories: true)
        let own = folder.file("process-\(process.number)")
        try files.createSymbolicLink(atPath: own, withDestinationPath: target)
        process.atEnd { try? FileManager.default.removeItem(atPath: own) }
        let line = ProcessLine(process: process, node: node, orders: number)
        let wallet = wallet(face, over: line)
        let settler = WalletSettler(
            mistake.map { FaultyWallet(base: wallet, mistake: $0) } ?? wallet,
            orders: try await WalletOrders(path: own + "/orders"), reader: StandardsReader(), network: "regtest",
            services: line, clock: SteppingClock(process: process, world: world))
        return mistake.map { FaultySettler(base: settler, mistake: $0) } ?? settler
    }
}

/// A process's connection to its node: it ends with the process, and what waits for an answer ends with it.
private struct ProcessLine: HTTPTransport {
    typealias Answer = Result<HTTPResponse, TransportError>

    let process: SimulatedProcess
    let node: WalletNode
    let orders: Int

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        var numbered = request
        if OwnWallet.isOrder(request) {
            numbered.headers[WalletNode.field] = "\(node.leaves(for: Acting.attempt, in: orders))"
        }
        let (transport, pending, sent) = (process.transport, OneShot<Answer>(), numbered)
        process.atEnd {
            pending.finish(.failure(TransportError(.maybeSent, .cancelled, origin: request.url.origin)))
        }
        let task = Task(executorPreference: RouterTasks.executor) {
            do throws(TransportError) { pending.finish(.success(try await transport.send(sent))) } catch {
                pending.finish(.failure(error))
            }
        }
        let answer = await withTaskCancellationHandler {
            await pending.value()
        } onCancel: {
            task.cancel()
        }
        return try answer.get()
    }
}

/// The clock of a process's settler, which is set now and then. At each look at it the process may end: a look comes
/// before every change of the orders.
struct SteppingClock: PaymentClock {
    /// The furthest that it is ever from the world's time.
    static let longestStep = Duration.seconds(10)

    let process: SimulatedProcess
    let world: SimulatedWorld

    var now: Date {
        guard world.faults != .none else { return process.clock.now }
        if world.random.happens(0.005) { process.crash() }
        let step = world.random.happens(0.2) ? (world.random.fraction() * 2 - 1) * (Self.longestStep / .seconds(1)) : 0
        return process.clock.now + step
    }

    var uptime: Duration { process.clock.uptime }
    func sleep(for duration: Duration) async throws { try await process.clock.sleep(for: duration) }
}
