package import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Asks relays who somebody says they are, and tells them of one's own (Protocol 2.2).
///
/// A relay can keep silent or bring old packets, and nothing worse: every packet is checked, all relays are asked, and the
/// latest packet counts.
package actor PkarrClient {
    private struct Known {
        let packet: SignedPacket
        /// Whether it was brought when another packet of its second could not come any more: only then may a relay be asked
        /// whether it has changed since, for relays count whole seconds.
        let isAlone: Bool
        let freshUntil: Duration
        let order: UInt64
    }

    private let relays: [HTTPURL]
    private let http: any HTTPTransport
    private let clock: any PaymentClock
    private let capacity: Int
    private var known: [PubkyKey: Known] = [:]
    private var turn: UInt64 = 0

    /// - Parameter capacity: how many packets are kept at most; those that were needed longest ago go first.
    package init(relays: [HTTPURL], http: any HTTPTransport, clock: any PaymentClock, capacity: Int = 1000) {
        self.relays = relays
        self.http = http
        self.clock = clock
        self.capacity = max(1, capacity)
    }

    /// Returns the latest packet of `key`; nil when the relays know none.
    ///
    /// - Throws: when no relay answered, and none is known from before.
    package func resolve(_ key: PubkyKey, isFresh: Bool = false) async throws(PaykitFailure) -> SignedPacket? {
        let before = known[key]
        if let before, !isFresh, clock.uptime < before.freshUntil { return keep(before.packet, isNew: false) }
        let since = isFresh || before?.isAlone != true ? nil : before?.packet
        let answers = await withTaskGroup(of: Answer.self) { group in
            for relay in relays {
                group.addTask { [http] in await Self.ask(relay, for: key, after: since, over: http) }
            }
            var answers: [Answer] = []
            for await answer in group { answers.append(answer) }
            return answers
        }
        var newest = known[key]?.packet
        var isAnswered = false
        var failure: PaykitFailure?
        for answer in answers {
            switch answer {
            case .packet(let packet):
                isAnswered = true
                if newest.map(packet.isNewer) ?? true { newest = packet }
            case .nothing, .unchanged: isAnswered = true
            case .failed(let error): failure = error
            }
        }
        if let newest { return keep(newest, isNew: isAnswered) }
        if let failure, !isAnswered { throw failure }
        return nil
    }

    /// Gives a packet to all relays.
    ///
    /// - Returns: how many have it now.
    /// - Throws: when none has.
    @discardableResult
    package func publish(_ packet: SignedPacket) async throws(PaykitFailure) -> Int {
        let results = await withTaskGroup(of: PaykitFailure?.self) { group in
            for relay in relays { group.addTask { [http] in await Self.put(packet, to: relay, over: http) } }
            var results: [PaykitFailure?] = []
            for await result in group { results.append(result) }
            return results
        }
        let stored = results.count { $0 == nil }
        if stored == 0 {
            throw results.compactMap(\.self).first
                ?? PaykitFailure(.validationFailed, "no relay is configured; nobody would find what is published")
        }
        keep(packet, isNew: true)
        return stored
    }

    /// Forgets what is known of `key`: somebody published for it elsewhere.
    package func forget(_ key: PubkyKey) { known[key] = nil }

    @discardableResult
    private func keep(_ packet: SignedPacket, isNew: Bool) -> SignedPacket {
        turn += 1
        let before = known[packet.key]
        let until = isNew ? clock.uptime + .seconds(Int64(packet.ttl)) : before?.freshUntil ?? .zero
        let isAlone = clock.now.timeIntervalSince(Date(microseconds: packet.timestamp)) > 2
        known[packet.key] = Known(
            packet: packet, isAlone: isNew ? isAlone : before?.isAlone ?? false, freshUntil: until, order: turn)
        if known.count > capacity, let oldest = known.min(by: { $0.value.order < $1.value.order })?.key {
            known[oldest] = nil
        }
        return packet
    }

    // MARK: One relay

    private enum Answer: Sendable {
        case packet(SignedPacket)
        case unchanged
        case nothing
        case failed(PaykitFailure)
    }

    private static let timeout: Duration = .seconds(10)

    private static func ask(
        _ relay: HTTPURL, for key: PubkyKey, after known: SignedPacket?, over http: any HTTPTransport
    ) async -> Answer {
        do {
            var request = HTTPRequest(
                .get, try relay.appending([key.text]), timeout: timeout,
                responseLimit: SignedPacket.maximumPayloadLength)
            if let known { request.headers["If-Modified-Since"] = HTTPDate.text(Date(microseconds: known.timestamp)) }
            let response = try await http.send(request)
            switch response.status {
            case 200: return .packet(try SignedPacket(payload: response.body, of: key))
            case 304: return .unchanged
            case 404: return .nothing
            default: return .failed(failure(response.status, relay, response))
            }
        } catch let error as TransportError {
            return .failed(PaykitFailure(error))
        } catch let defect as WireDefect {
            return .failed(
                PaykitFailure(.invalidData, "the relay \(relay.host) brought a packet that is none: \(defect)"))
        } catch {
            return .failed(PaykitFailure(.transport, "the relay \(relay.host) cannot be asked"))
        }
    }

    private static func put(
        _ packet: SignedPacket, to relay: HTTPURL, over http: any HTTPTransport
    ) async -> PaykitFailure? {
        do {
            // A packet that arrives twice is the same packet.
            let response = try await http.send(
                HTTPRequest(
                    .put, try relay.appending([packet.key.text]), body: packet.payload, replay: .safe,
                    timeout: timeout))
            return 200...299 ~= response.status ? nil : failure(response.status, relay, response)
        } catch let error as TransportError { return PaykitFailure(error) } catch {
            return PaykitFailure(.transport, "the relay \(relay.host) cannot be told")
        }
    }

    private static func failure(_ status: Int, _ relay: HTTPURL, _ response: HTTPResponse) -> PaykitFailure {
        switch status {
        case 409, 412, 428:
            PaykitFailure(
                .storage, "the relay \(relay.host) knows a later packet of this key: look again before you publish")
        case 400, 413: PaykitFailure(.invalidData, "the relay \(relay.host) refused the packet")
        case 429: PaykitFailure(.rateLimited, "the relay \(relay.host) wants fewer requests")
        default: PaykitFailure(.transport, "the relay \(relay.host) failed (status \(status))")
        }
    }
}
