/// A connection that carries a channel's messages, with length prefixes and time limits.
package struct ChannelWire: Sendable {
    package let stream: any ByteStream
    package let timeout: PrivateChannel.Timeouts
    private let clock: any PaymentClock

    package init(_ stream: any ByteStream, clock: any PaymentClock, _ timeout: PrivateChannel.Timeouts) {
        self.stream = stream
        self.clock = clock
        self.timeout = timeout
    }

    /// Runs `work` for at most `limit`; a timeout or failure closes the connection. `who` is the name of the awaited
    /// side or step, for error messages.
    package func within<Value: Sendable>(
        _ limit: Duration, _ who: String,
        _ work: @escaping @Sendable (ChannelWire) async throws(PaykitNetworkError) -> Value
    ) async throws(PaykitNetworkError) -> Value {
        let result = await clock.limit(to: limit) { () async -> Result<Value, PaykitNetworkError> in
            do throws(PaykitNetworkError) { return .success(try await work(self)) } catch { return .failure(error) }
        }
        switch result {
        case .success(let value)?: return value
        case .failure(let failure)?:
            close()
            throw failure
        case nil:
            close()
            throw PaykitNetworkError(.connectionTimeout, "\(who) took longer than \(limit.components.seconds) s")
        }
    }

    package func write(_ message: [UInt8]) async throws(PaykitNetworkError) {
        do throws(StreamError) { try await stream.send(NoiseFrames.wire(message)) } catch {
            throw PaykitNetworkError(error)
        }
    }

    package func read() async throws(PaykitNetworkError) -> [UInt8] {
        guard let message = try await readOrEnd() else {
            throw PaykitNetworkError(.transport, "the other side has closed the connection")
        }
        return message
    }

    /// Returns the next message; nil when the other side has closed the connection before it.
    package func readOrEnd() async throws(PaykitNetworkError) -> [UInt8]? {
        var frames = NoiseFrames()
        while true {
            let more: [UInt8]
            do throws(StreamError) { more = try await stream.receive(atMost: frames.wanted) } catch {
                throw PaykitNetworkError(error)
            }
            guard !more.isEmpty else {
                if frames.isAtStart { return nil }
                throw PaykitNetworkError(
                    .transport, "the other side has closed the connection in the middle of a message")
            }
            do throws(NoiseError) { if let message = try frames.take(more) { return message } } catch {
                throw error.failure
            }
        }
    }

    package func close() { stream.close() }
}

extension PaykitNetworkError {
    init(_ error: StreamError) {
        let code: Code =
            switch error {
            case .hostNotFound, .notConnected, .unavailable: .connectionFailed
            default: .transport
            }
        self.init(code, error.description)
    }
}
