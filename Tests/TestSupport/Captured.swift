import Foundation
package import PaymentCore

/// The output of a program and its exit code.
package struct Captured: Sendable {
    package let code: Int32
    package let output: String
    package let errors: String

    package var lines: [String] { output.split(separator: "\n").map(String.init) }

    /// The objects of `--json`, one a line.
    package var objects: [JSONValue] { get throws { try lines.map { try JSONValue(parsing: $0) } } }

    /// The last object of `--json`, such as the outcome of `pay`.
    package var ending: JSONValue { get throws { try objects.last ?? .null } }

    package init(code: Int32, output: String, errors: String) {
        self.code = code
        self.output = output
        self.errors = errors
    }

    /// Runs a tool in this process, with files as its streams.
    ///
    /// - Parameter tool: The tool, by the descriptors of its streams. It returns the exit code.
    package init(
        input: [UInt8], _ tool: (_ output: Int32, _ errors: Int32, _ input: Int32) async -> Int32
    ) async {
        let (output, errors, input) = (ScratchFile(), ScratchFile(), ScratchFile(input))
        defer { for file in [output, errors, input] { close(file.descriptor) } }
        let code = await tool(output.descriptor, errors.descriptor, input.descriptor)
        self.init(
            code: code, output: String(decoding: output.content, as: UTF8.self),
            errors: String(decoding: errors.content, as: UTF8.self))
    }
}
