#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A log of a client's steps, a line at a time. Lines never hold links, keys, signatures or personal data.
public struct PayLog: Sendable {
    private let sink: (@Sendable (String) -> Void)?

    /// Creates a log that passes every line to `sink`, which may be called from any task.
    public init(_ sink: @escaping @Sendable (String) -> Void) { self.sink = sink }

    private init() { sink = nil }

    /// Drops every line.
    public static let silent = PayLog()

    /// Writes to the process's standard error.
    public static let standardError = PayLog { line in
        let bytes = Array((line + "\n").utf8)
        // A failing log must not disturb a payment.
        _ = bytes.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
    }

    /// Writes `message` in the vendor's form.
    func callAsFunction(_ message: @autoclosure () -> String) {
        sink?("💳 [WalletConnectPay] \(message())")
    }
}
