import Foundation
import PaymentCore
import PaymentTesting
import Synchronization
import Testing

@Suite("Faults of a simulated world")
struct FaultKindTests {
    /// A service that counts its requests.
    private final class Counting: SandboxService {
        let count = Mutex(0)
        func respond(to request: HTTPRequest) async -> HTTPResponse {
            count.withLock { $0 += 1 }
            return HTTPResponse(status: 200)
        }
    }

    /// The result in a process, and the number of requests to the service, in a world with one fault that always
    /// happens.
    private static func answer(
        _ method: HTTPRequest.Method, _ fault: WritableKeyPath<SimulatedFaults, Double>
    ) throws -> (result: Result<Int, TransportError>, count: Int) {
        var faults = SimulatedFaults()
        faults[keyPath: fault] = 1
        let world = SimulatedWorld(seed: 4, faults: faults)
        let service = Counting()
        world.connect(service, to: "api.example")
        let url = try HTTPURL("https://api.example/x")
        let result: Result<Int, TransportError> = try world.run {
            let process = world.start()
            do throws(TransportError) {
                return .success(try await process.transport.send(HTTPRequest(method, url)).status)
            } catch {
                return .failure(error)
            }
        }
        return (result, service.count.withLock { $0 })
    }

    @Test("A refused question never arrives; a refused copy comes after one that did")
    func refusals() throws {
        let question = try Self.answer(.get, \.questionRefused)
        #expect([451, 404, 429, 500].contains(try question.result.get()) && question.count == 0)
        #expect(try Self.answer(.post, \.questionRefused).result.get() == 200)
        let copy = try Self.answer(.post, \.copyRefused)
        #expect([409, 425, 429].contains(try copy.result.get()) && copy.count == 1)
        #expect(try Self.answer(.get, \.copyRefused).result.get() == 200)
    }

    @Test("In a partition requests arrive and answers do not")
    func partition() throws {
        let (result, count) = try Self.answer(.post, \.partitioned)
        #expect(count == 1)
        #expect(throws: TransportError.self) { try result.get() }
        if case .failure(let error) = result { #expect(error.phase == .maybeSent) }
    }

    @Test("Wrong clocks differ from the world's, and no setting changes how long something has been running")
    func clocks() throws {
        var faults = SimulatedFaults()
        faults.wrongClock = 1
        let world = SimulatedWorld(seed: 6, faults: faults)
        try world.run {
            let (one, other) = (world.start(), world.start())
            #expect(one.clock.now != world.clock.now && one.clock.now != other.clock.now)
            let before = one.clock.uptime
            try await one.clock.sleep(for: .seconds(100))
            let passed = one.clock.uptime - before
            #expect(passed > .seconds(98) && passed < .seconds(102))
        }
    }

    @Test("Machines have their own power and disks")
    func machines() throws {
        let world = SimulatedWorld(seed: 7)
        try world.run {
            let disk = world.makeDisk()
            let (one, other) = (world.start(), world.start(on: disk))
            world.failPower(of: disk)
            #expect(!one.isDead && other.isDead)
            #expect(other.disk === disk && one.disk === world.disk)
        }
    }
}
