import Dispatch
import PaymentRouting

/// Waits until the system says that a socket is ready.
enum DescriptorWait {
    enum Ending: Sendable {
        case ready, late, cancelled
    }

    // Dispatch's objects may be used from any thread; its interface for Linux does not declare it.
    private struct Source: @unchecked Sendable {
        let object: any DispatchSourceProtocol
        let isGone = OneShot<Void>()
    }

    private static let queue = DispatchQueue(label: "postgres-sockets")

    /// Waits for a socket, the deadline, or the task's cancellation. The system no longer watches the socket when this
    /// returns, so that its number may be closed.
    static func wait(
        _ descriptor: Int32, reading: Bool, writing: Bool, until deadline: ContinuousClock.Instant
    ) async -> Ending {
        let ending = OneShot<Ending>()
        var sources: [Source] = []
        if reading {
            sources.append(Source(object: DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)))
        }
        if writing {
            sources.append(Source(object: DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)))
        }
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + max((deadline - .now) / .seconds(1), 0))
        timer.setEventHandler { ending.finish(.late) }
        for source in sources {
            source.object.setEventHandler { ending.finish(.ready) }
            source.object.setCancelHandler { source.isGone.finish(()) }
            source.object.activate()
        }
        timer.activate()
        let result = await withTaskCancellationHandler {
            await ending.value()
        } onCancel: {
            ending.finish(.cancelled)
        }
        timer.cancel()
        for source in sources {
            source.object.cancel()
            await source.isGone.value()
        }
        return result
    }
}
