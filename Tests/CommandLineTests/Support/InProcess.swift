import Foundation
import PaymentCore
import PaymentSandbox
import TestSupport

@testable import PayrouteCommands

/// Runs the tool in this process.
func payroute(_ words: String..., input: String = "") async -> Captured {
    await payroute(words, input: Array(input.utf8))
}

/// Runs the tool in this process.
func payroute(
    _ words: [String], input: [UInt8], clock: any PaymentClock = SystemPaymentClock(),
    environment: [String: String] = [:]
) async -> Captured {
    await Captured(input: input) { output, errors, input in
        let console = Console(
            vendors: .all, output: output, diagnostics: errors, input: input, clock: clock,
            environment: { environment[$0] })
        return await CommandLineTool.run(words, console).rawValue
    }
}

/// Runs the tool in this process on a terminal, and returns what that shows.
func payrouteOnTerminal(
    _ words: [String], typed: String = "", columns: UInt16 = 100, environment: [String: String] = [:]
) async throws -> (code: ExitCode, shown: String) {
    let terminal = try PseudoTerminal(columns: columns)
    terminal.type(typed)
    let console = Console(
        vendors: .all, output: terminal.terminal, input: terminal.terminal, environment: { environment[$0] })
    let code = await CommandLineTool.run(words, console)
    return (code, terminal.close())
}
