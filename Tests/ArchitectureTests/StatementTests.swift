import Foundation
import TestSupport
import Testing

/// Statements about money from which the compiler keeps code outside the ledger.
@Suite("Statements that do not compile")
struct StatementTests {
    /// The folder of the compiled modules beside the test bundle.
    private static let modules: URL? = {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).standardizedFileURL.deletingLastPathComponent()
        for _ in 0..<4 {
            let candidate = folder.appending(path: "Modules")
            if FileManager.default.fileExists(atPath: candidate.appending(path: "PaymentCore.swiftmodule").path) {
                return candidate
            }
            folder.deleteLastPathComponent()
        }
        return nil
    }()

    /// Type-checks functions of another module, each with a line of `bodies`.
    private static func check(_ bodies: [String], inThisPackage: Bool) async throws -> Captured {
        let folder = ScratchFolder()
        let file = folder.file("Face.swift")
        let functions = bodies.enumerated().map { number, body in
            "func state\(number)(_ report: ServiceReport, _ receipt: PaymentReceipt) -> PaymentOutcome { \(body) }"
        }
        try (["import PaymentCore"] + functions).joined(separator: "\n")
            .write(toFile: file, atomically: true, encoding: .utf8)
        return try await Program.run(
            "swiftc", "-typecheck", "-swift-version", "6", "-I", try #require(Self.modules).path, "-module-cache-path",
            folder.file("cache"), "-package-name", inThisPackage ? "main" : "other", file,
            executable: URL(filePath: "/usr/bin/env"))
    }

    @Test("A claim is no statement", arguments: [false, true])
    func claims(inThisPackage: Bool) async throws {
        let claims = [
            "return report": "cannot convert return expression",
            "return .cancelled": "expects argument of type 'Stated",
            "return .succeeded(receipt)": "cannot convert value of type 'PaymentReceipt'",
            "return .declined(DeclineReason(.refused, \"no\"))": "cannot convert value of type 'DeclineReason'",
            "return .expired(Stated(NoPayment()))": "'NoPayment' initializer is inaccessible",
            "return .succeeded(Stated(receipt))": "initializer is inaccessible",
            "return PaymentOutcome(report)": "missing argument label 'from:'",
        ].sorted { $0.key < $1.key }
        let checked = try await Self.check(claims.map(\.key), inThisPackage: inThisPackage)
        for (number, claim) in claims.enumerated() {
            let line = "Face.swift:\(number + 2):"
            #expect(
                checked.errors.split(separator: "\n").contains { $0.contains(line) && $0.contains(claim.value) },
                "\(claim.key): \(checked.errors)")
        }
    }

    @Test("What is open or unknown compiles, and so does reading what was stated")
    func statements() async throws {
        let bodies = [
            "return .unknown(UnknownOutcome(reference: receipt.reference, message: \"?\"))",
            "let open = PaymentOutcome.pending(retryAfter: nil); return open == report ? open : open",
            "func amount(_ outcome: PaymentOutcome) -> Money? { if case .succeeded(let it) = outcome { it.amount } else { nil } }; "
                + "return .pending(retryAfter: nil)",
        ]
        let checked = try await Self.check(bodies, inThisPackage: false)
        #expect(checked.code == 0, "\(checked)")
    }
}
