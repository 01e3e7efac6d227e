/// The output of a program and its exit code.
package struct Captured: Sendable {
    package let code: Int32
    package let output: String
    package let errors: String

    package var lines: [String] { output.split(separator: "\n").map(String.init) }

    package init(code: Int32, output: String, errors: String) {
        self.code = code
        self.output = output
        self.errors = errors
    }
}
