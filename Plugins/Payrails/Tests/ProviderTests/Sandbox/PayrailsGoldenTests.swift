import Foundation
import PaymentCore
import PayrailsSandbox
import TestSupport
import Testing

/// The recorded requests and conclusions of the vendor's network layer, row by row: a client with its algorithm must
/// get the same here.
@Suite struct PayrailsGoldenTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let scenario: PayrailsScenario
        let requests: [String]
        let result: PayrailsClient.Polled?
        var seconds: ClosedRange<Double> = 0...1
        var testDescription: String { scenario.rawValue }
    }

    private static let get = "GET "
    private static let wait = "GET ?waitWhile%5Bstatus%5D=%5B%22authorizeRequested%22,%22created%22%5D"

    static let rows = [
        Row(scenario: .paid, requests: [get], result: .success),
        Row(scenario: .declined, requests: [get], result: .failed("GenericRejection")),
        Row(scenario: .skewedClocks, requests: [get], result: .success),
        Row(
            scenario: .requestedLate, requests: Array(repeating: get, count: 3), result: .success, seconds: 2...2.2),
        Row(
            scenario: .neverRequested, requests: Array(repeating: get, count: 10),
            result: .pollingFailed(attempts: 10), seconds: 9...9.2),
        Row(scenario: .paidWhileWaiting, requests: [get, wait], result: .success, seconds: 4.9...5.2),
        Row(scenario: .neverSettles, requests: [get, wait], result: .finalStatusNotFound, seconds: 29...31),
        Row(scenario: .expiresWhileWaiting, requests: [get, wait], result: .unauthorized),
        Row(scenario: .waitingFails, requests: [get, wait], result: .waitingFailed),
        Row(scenario: .expiresWhilePolling, requests: [get], result: .pollingFailed(attempts: 1)),
        Row(scenario: .pollingFails, requests: [get], result: .pollingFailed(attempts: 1)),
    ]

    @Test("Asks and concludes", arguments: Wire.allCases, rows)
    func asksAndConcludes(_ wire: Wire, _ row: Row) async throws {
        let world = try PayrailsWorld().on(wire)
        let client = try await world.open(row.scenario)
        #expect(try await client.authorize(try client.stored()).status == 201)
        let start = world.clock.now
        #expect(try await client.poll() == row.result)
        #expect(client.requests == ["POST /authorize"] + row.requests)
        #expect(row.seconds.contains(world.clock.now.timeIntervalSince(start)))
    }

    @Test(
        "Pending is reported by the vendor",
        arguments: [PayrailsScenario.declinedThenPending, .pending, .pendingThenPaid])
    func pendingIsReportedByTheVendor(_ scenario: PayrailsScenario) async throws {
        let client = try await PayrailsWorld().open(scenario)
        #expect(try await client.authorize(try client.stored()).status == 201)
        guard case .pending(let execution) = try await client.poll() else {
            Issue.record("not pending")
            return
        }
        #expect(execution["actionRequired"] == nil)
        #expect(client.requests == ["POST /authorize", Self.get])
    }

    /// The recorded decline: its order, its gaps, and a pending status that is newer than the refusal.
    @Test("A decline that the service recorded")
    func declineThatTheServiceRecorded() async throws {
        let client = try await PayrailsWorld().open(.declinedThenPending)
        _ = try await client.authorize(try client.stored())
        #expect(
            try await client.codes() == ["authorizePending", "authorizeFailed", "created", "authorizeRequested"])
        #expect(try await client.poll(terminalWins: true) == .failed("GenericRejection"))
    }

    @Test(
        "Refuses to authorize",
        arguments: [
            (PayrailsScenario.expiredSession, "401 request.unauthorized"), (.refused, "422 request.param.invalid"),
        ])
    func refusesToAuthorize(_ scenario: PayrailsScenario, _ refusal: String) async throws {
        let client = try await PayrailsWorld().open(scenario)
        let answer = try await client.authorize(try client.stored())
        #expect(answer.failure == refusal)
        // The vendor's client fails here: it reads `name` of any answer.
        #expect(answer.json["name"] == nil)
        #expect(await client.captures() == 0)
    }

    @Test("Refuses to confirm three times")
    func refusesToConfirmThreeTimes() async throws {
        let client = try await PayrailsWorld().open(.confirmUnauthorized)
        _ = try await client.authorize(client.newPayPal)
        let confirm = try #require(try await client.read()["links"]?["confirm"]?["href"]?.string)
        for _ in 0..<3 {
            let answer = try await client.send(.post, confirm, ["data": ["orderId": "EC-1", "payerId": "P"]])
            #expect(answer.failure == "401 request.unauthorized")
        }
        #expect(await client.captures() == 0)
    }

    @Test("Deleting an instrument")
    func deletes() async throws {
        let client = try await PayrailsWorld().open()
        let link = try #require(client.payload["links"]?["instrumentDelete"])
        #expect(link["method"] == "DELETE")
        let href = try #require(link["href"]?.string)
        let id = try #require(try client.instrument()["id"]?.string)
        let url = href.replacing(":instrumentId", with: id)
        let first = try await client.send(.delete, url)
        #expect(first.status == 200 && first.json == ["success": true])
        let second = try await client.send(.delete, url)
        #expect(second.failure == "404 request.not-found" && second.json["success"] == nil)
    }
}
