import CMicrohttpd
import PaymentTesting

/// Passes a stream's bytes to the HTTP library. Its connection sleeps while there are none, so that a thousand silent
/// readers cost no time.
final class StreamReader {
    /// The most bytes that are handed on at once; every reader has a buffer of this size.
    private static let block = 4096

    private let stream: SandboxStream
    /// The library's pointer as a number: nothing here dereferences it.
    private let connection: UInt

    private init(_ stream: SandboxStream, _ connection: OpaquePointer) {
        self.stream = stream
        self.connection = UInt(bitPattern: connection)
    }

    /// A response of unknown length, which holds its reader until the library destroys it.
    static func response(_ stream: SandboxStream, _ connection: OpaquePointer) -> OpaquePointer? {
        let context = Unmanaged.passRetained(StreamReader(stream, connection))
        let response = MHD_create_response_from_callback(
            UInt64.max, block,
            { context, _, buffer, capacity in
                guard let context, let buffer else { return -1 }
                return Unmanaged<StreamReader>.fromOpaque(context).takeUnretainedValue().read(buffer, capacity)
            }, context.toOpaque(),
            { context in
                guard let context else { return }
                Unmanaged<StreamReader>.fromOpaque(context).release()
            })
        if response == nil { context.release() }
        return response
    }

    private func read(_ buffer: UnsafeMutablePointer<CChar>, _ capacity: Int) -> Int {
        let connection = connection
        let piece = stream.take(capacity) {
            MHD_suspend_connection(OpaquePointer(bitPattern: connection))
        } wake: {
            MHD_resume_connection(OpaquePointer(bitPattern: connection))
        }
        switch piece {
        case .bytes(let bytes):
            for (place, byte) in bytes.enumerated() { buffer[place] = CChar(bitPattern: byte) }
            return bytes.count
        case .wait: return 0
        case .end: return -1
        }
    }
}
