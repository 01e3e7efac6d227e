import Foundation
import PaymentCore
import SandboxSupport
import TestSupport

@testable import PayrouteCommands

/// Runs the tool in this process, without any vendor.
func payroute(_ words: String..., input: String = "") async -> Captured {
    await payroute(words, input: Array(input.utf8))
}

/// Runs the tool in this process.
func payroute(
    _ words: [String], input: [UInt8], vendors: SandboxVendors = SandboxVendors([]),
    environment: [String: String] = [:]
) async -> Captured {
    await Captured(input: input) { output, errors, input in
        let console = Console(
            vendors: vendors, output: output, diagnostics: errors, input: input, environment: { environment[$0] })
        return await CommandLineTool.run(words, console).rawValue
    }
}
