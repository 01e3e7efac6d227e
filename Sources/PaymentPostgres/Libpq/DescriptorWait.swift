import Dispatch
import PaymentRouting
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Waits until the system says that a socket is ready: one thread polls the sockets of all connections.
///
/// Dispatch's sources are not used. On Linux they end the process when a socket is hung up while its source is
/// cancelled, as where a server's process dies: the source is unregistered twice (libdispatch of Swift 6.3,
/// `_dispatch_source_refs_finalize_unregistration`).
final class DescriptorWait: Sendable {
    enum Ending: Sendable {
        case ready, late, cancelled
    }

    private struct Waiting {
        let socket: pollfd
        let deadline: ContinuousClock.Instant
        let ending: OneShot<Ending>
    }

    private struct State {
        var waiting: [Int: Waiting] = [:]
        var number = 0
    }

    private static let shared = DescriptorWait()

    private let state = Mutex(State())
    /// A pipe that ends a poll.
    private let wakes: (reading: Int32, writing: Int32)

    private init() {
        var ends: [Int32] = [-1, -1]
        if pipe(&ends) == 0 {
            for end in ends {
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            }
        }
        wakes = (ends[0], ends[1])
        DispatchQueue(label: "postgres-sockets").async { self.run() }
    }

    /// Waits for a socket, the deadline, or the task's cancellation. Its number may be closed when this returns.
    static func wait(
        _ descriptor: Int32, reading: Bool, writing: Bool, until deadline: ContinuousClock.Instant
    ) async -> Ending {
        let events = (reading ? Int32(POLLIN) : 0) | (writing ? Int32(POLLOUT) : 0)
        let socket = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        let ending = OneShot<Ending>()
        let number = shared.add(Waiting(socket: socket, deadline: deadline, ending: ending))
        return await withTaskCancellationHandler {
            await ending.value()
        } onCancel: {
            shared.end(number, .cancelled)
            shared.wake()
        }
    }

    private func add(_ waiting: Waiting) -> Int {
        defer { wake() }
        return state.withLock { state in
            state.number += 1
            state.waiting[state.number] = waiting
            return state.number
        }
    }

    private func end(_ number: Int, _ ending: Ending) {
        state.withLock { $0.waiting.removeValue(forKey: number) }?.ending.finish(ending)
    }

    private func wake() {
        var byte: UInt8 = 0
        _ = write(wakes.writing, &byte, 1)
    }

    private func run() -> Never {
        var bytes = [UInt8](repeating: 0, count: 256)
        while true {
            let waiting = Array(state.withLock { $0.waiting })
            var sockets = [pollfd(fd: wakes.reading, events: Int16(POLLIN), revents: 0)] + waiting.map(\.value.socket)
            poll(&sockets, nfds_t(sockets.count), timeout(waiting.map(\.value.deadline).min()))
            while read(wakes.reading, &bytes, bytes.count) == bytes.count {}
            let now = ContinuousClock.now
            for ((number, one), socket) in zip(waiting, sockets.dropFirst()) {
                if socket.revents != 0 { end(number, .ready) } else if one.deadline <= now { end(number, .late) }
            }
        }
    }

    /// Returns the milliseconds of a poll. Without a pipe new sockets are looked for often.
    private func timeout(_ deadline: ContinuousClock.Instant?) -> Int32 {
        let most = wakes.reading < 0 ? 5.0 : 60_000
        guard let deadline else { return Int32(most) }
        return Int32(min(max((deadline - .now) / .milliseconds(1), 0), most).rounded(.up))
    }
}
