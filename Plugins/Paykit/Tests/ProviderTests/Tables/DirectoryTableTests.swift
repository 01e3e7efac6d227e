import Foundation
import PaykitKit
import PaykitSandbox
import PaymentCore
import PaymentStandards
import PaymentTesting
import TestSupport
import Testing

@testable import PaykitProvider

/// Files, methods, errors, choices and rotation, against the reference's tables (Protocol 4).
@Suite("Paykit's tables: the directory")
struct DirectoryTableTests {
    private static let owner = "8pinxxgqs41n4aididenw5apqp1urfmzdztr8jt4abrkdn435ewo"

    @Test("Everything lies where others look for it")
    func paths() throws {
        let key = try PubkyKey(Self.owner)
        let known = [
            "endpoint": try PaykitDirectory.address(of: key, method: "lightning").path,
            "noise": try PaykitDirectory.noiseAddress(of: key).path,
            "request": SealedMessageStore.Kind.request.directory(for: key),
            "proposal": SealedMessageStore.Kind.proposal.directory(for: key),
            "handoff": KeyManagerHandoff.path(String(repeating: "ab", count: 32)),
            "follow": PubkyPeople.followsPath + key.text, "profile": PubkyPeople.profilePath,
        ]
        for row in try PubkyTable.rows("paths") {
            #expect(known[try row.word("what")] == row["path"]?.string, "\(row.text)")
        }
    }

    @Test("A file holds an endpoint, in any of the forms that were ever written, or none")
    func files() throws {
        for row in try PubkyTable.rows("files") {
            let found = try EndpointFile.read(Array(row.word("text").utf8), method: row.word("method"))
            #expect(found == row["endpoint"]?.string, "\(row.text)")
        }
    }

    @Test("Names are methods or none, and endpoints sound or not")
    func methods() throws {
        for row in try PubkyTable.rows("methods") {
            #expect(PaykitEndpoint.isMethod(try row.word("id")) == row["isOne"]?.bool, "\(row.text)")
        }
        let networks: [String: PaykitEndpointCheck.Network] = ["mainnet": .mainnet, "testnet": .testnet]
        for row in try PubkyTable.rows("endpoints") {
            let network = try #require(networks[try row.word("network")])
            let endpoint = PaykitEndpoint(methodID: try row.word("method"), endpoint: try row.word("text"))
            let check = PaykitEndpointCheck(StandardsReader(), network: network)
            var isSound = true
            do { try check.check(endpoint, at: Date(timeIntervalSince1970: 0)) } catch { isSound = false }
            #expect(isSound == row["isSound"]?.bool, "\(row.text)")
        }
    }

    @Test("Failures have the reference's numbers, and say when the same may work")
    func errors() throws {
        let known: [String: PaykitNetworkError.Code] = [
            "transport": .transport, "connectionFailed": .connectionFailed, "connectionTimeout": .connectionTimeout,
            "auth": .auth, "sessionExpired": .sessionExpired, "invalidCredentials": .invalidCredentials,
            "notFound": .notFound, "methodNotSupported": .methodNotSupported, "invalidData": .invalidData,
            "validationFailed": .validationFailed, "paymentInDoubt": .paymentInDoubt,
            "invoiceExpired": .invoiceExpired, "paymentRejected": .paymentRejected, "endpointUsed": .endpointUsed,
            "storage": .storage, "quotaExceeded": .quotaExceeded, "rateLimited": .rateLimited,
        ]
        for row in try PubkyTable.rows("errorCodes") {
            let code = try #require(known[try row.word("name")])
            let failure = PaykitNetworkError(code, "text")
            #expect(code.rawValue == Int(try #require(row["code"]?.int64)), "\(row.text)")
            #expect(failure.isRetryable == (failure.retryAfter != nil), "\(row.text)")
            if row["isRetryable"]?.bool == true {
                #expect(failure.isRetryable)
            } else {
                #expect(failure.retryAfter == row["retryAfterMs"]?.int64.map { .milliseconds($0) }, "\(row.text)")
            }
        }
    }

    @Test("What is paid is a private offer first, then what is published, the preferred method before others")
    func checkout() async throws {
        for row in try PubkyTable.rows("checkout") {
            let sandbox = PubkySandbox(random: SeededRandomSource(seed: 1))
            let client = try sandbox.newClient(clock: SystemPaymentClock())
            let user = await sandbox.createUser(.emptyDirectory).key
            for method in try row.words("private") {
                await client.keep(
                    PaykitChannelOffer(PaykitEndpoint(methodID: method, endpoint: "private")), of: user)
            }
            for method in try row.words("public") {
                await sandbox.publish(Array("public".utf8), at: "/pub/paykit.app/v0/\(method)", of: user)
            }
            do throws(PaykitError) {
                let choice = try await Self.choice(client, user, row["preferred"]?.string)
                #expect(
                    choice.methodId == row["method"]?.string && choice.isPrivate == row["isPrivate"]?.bool,
                    "\(row.text)")
                #expect(choice.requiresInteractive == choice.isPrivate)
            } catch { #expect(row["method"]?.isNull == true && error.type == .methodNotSupported, "\(row.text)") }
        }
    }

    private static func choice(
        _ client: PaykitClient, _ user: PubkyKey, _ preferred: String?
    ) async throws(PaykitError) -> PaykitCheckoutResult {
        do { return try await client.smartCheckout(pubkey: user.text, preferredMethod: preferred) } catch {
            guard let error = error as? PaykitError else { throw .notAuthenticated }
            throw error
        }
    }

    @Test("Endpoints are replaced as their policies say")
    func rotation() throws {
        let start = Date(timeIntervalSince1970: 1_767_225_600)
        for row in try PubkyTable.rows("rotation") {
            let most = Int(row["most"]?.int64 ?? 0)
            let policy: PaykitRotationPolicy =
                switch try row.word("policy") {
                case "onUse": .onUse
                case "threshold": .onThreshold(most)
                case "periodic": .periodic(.seconds(most))
                default: .manual
                }
            var use = PaykitEndpointUse(publishedAt: start)
            for _ in 0..<(row["uses"]?.int64 ?? 0) { use.note(at: start) }
            let now = start.addingTimeInterval(Double(row["age"]?.int64 ?? 0))
            #expect(policy.isDue(use, at: now) == row["isDue"]?.bool, "\(row.text)")
        }
    }
}
