import Foundation
import PaymentCore
import PaymentRouting
import TestSupport
import Testing

/// Signatures count as money from the request on that hands them in.
@Suite("Signatures that were handed in")
struct SubmittedSignatureTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private static let charge = JournalEntry.Event.stepStarted(name: "charge", kind: .mutation(replay: .never))

    private static func sign(_ name: String, _ seconds: TimeInterval) -> JournalEntry.Event {
        .stepStarted(name: name, kind: .signature(until: now.addingTimeInterval(seconds)))
    }

    @Test(
        "They are good until the last of them is over, unless nothing left",
        arguments: [
            ([sign("a", 60)], nil), ([charge], nil), ([charge, sign("a", 60)], nil), ([sign("a", 60), charge], 60),
            ([sign("a", 60), sign("b", 30), charge], 60), ([sign("a", 60), sign("a", 90), charge], 90),
            ([sign("a", 60), charge, .stepFailed(name: "charge", reason: "no")], 60),
            ([sign("a", 60), charge, .stepFailed(name: "charge", reason: "no", wasSent: false)], nil),
            (
                [
                    sign("a", 60), charge, .stepFailed(name: "charge", reason: "no"), charge,
                    .stepFailed(name: "charge", reason: "the time is over", wasSent: false),
                ], 60
            ),
            ([sign("a", 60), charge, charge, .stepFailed(name: "charge", reason: "no", wasSent: false)], 60),
            (
                [
                    sign("a", 60), charge, .stepStarted(name: "more", kind: .mutation(replay: .sameKey)),
                    .stepFailed(name: "charge", reason: "no", wasSent: false),
                ], 60
            ),
        ] as [([JournalEntry.Event], TimeInterval?)])
    func end(events: [JournalEntry.Event], seconds: TimeInterval?) {
        var authorities = Authorities()
        for event in events { authorities.take(event) }
        #expect(authorities.signaturesEnd == seconds.map(Self.now.addingTimeInterval))
    }

    @Test("Only the settler's answer is its refusal, and only to a request that left")
    func refusals() {
        for (name, isSent, hasRefused) in [("settle", true, true), ("settle", false, false), ("charge", true, false)] {
            let kind: StepKind = name == "settle" ? .settlement(by: "orders") : .mutation(replay: .never)
            var authorities = Authorities()
            authorities.take(.stepStarted(name: name, kind: kind))
            authorities.take(.stepFailed(name: name, reason: "no", wasSent: isSent))
            #expect(authorities.settlerHasRefused == hasRefused, "\(name)")
        }
    }

    /// The requests that hand a signature in.
    enum HandIn: CaseIterable {
        case notMade, unreachable, answered, refused, unfinished
        var hasLeft: Bool { self != .notMade && self != .unreachable }
    }

    @Test(
        "A signature has left with a request that was answered or not finished, whatever its provider says",
        arguments: HandIn.allCases)
    func left(request: HandIn) async throws {
        var world = World()
        world.transport =
            request == .unreachable
            ? .refusing(unless: { _ in nil }) : RecordingTransport(statuses: [request == .refused ? 403 : 200])
        let end = world.clock.now.addingTimeInterval(900)
        world.provider.payBody = { _, context in
            _ = try await context.step("sign", .signature(until: end)) { "0x51" }
            _ = try await context.stepIfFinished("charge", .mutation(replay: .never)) { () async throws -> Bool? in
                switch request {
                case .notMade: throw PaymentError(.network, "no way")
                case .unfinished: return nil
                case .unreachable, .answered, .refused:
                    _ = try await context.http.send(.capture())
                    throw PaymentError(.network, "no way")
                }
            }
            return .cancelled
        }
        world.provider.statusBody = { _, _ in .expired }
        if request.hasLeft {
            let unknown = try #require(try await world.pay().unknownOutcome, "the service has the signature")
            #expect(unknown.message.hasPrefix("the service has the payer's signature, which pays until "))
        } else {
            await #expect(throws: PaymentError.self) { try await world.pay() }
        }
        #expect(try await world.histories.map(\.isFinished) == [!request.hasLeft])
    }
}
