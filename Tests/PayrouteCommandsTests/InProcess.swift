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
    let (output, errors, input) = (ScratchFile(), ScratchFile(), ScratchFile(input))
    defer { for file in [output, errors, input] { close(file.descriptor) } }
    let console = Console(
        vendors: vendors, output: output.descriptor, diagnostics: errors.descriptor,
        input: input.descriptor, environment: { environment[$0] })
    let code = await CommandLineTool.run(words, console)
    return Captured(
        code: code.rawValue, output: String(decoding: output.content, as: UTF8.self),
        errors: String(decoding: errors.content, as: UTF8.self))
}

extension Captured {
    /// The objects of `--json`, one a line.
    var objects: [JSONValue] { get throws { try lines.map { try JSONValue(parsing: $0) } } }

    /// The last object of `--json`.
    var ending: JSONValue { get throws { try objects.last ?? .null } }
}
