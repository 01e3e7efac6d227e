import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Says when sockets are ready: one thread polls the sockets of all connections of the process.
///
/// Dispatch's sources are not used. On Linux they end the process when a socket is hung up while its source is
/// cancelled, as where a server's process dies: the source is unregistered twice (libdispatch of Swift 6.3,
/// `_dispatch_source_refs_finalize_unregistration`).
package final class SocketPoll: Sendable {
    /// The readiness that is waited for.
    package struct Readiness: OptionSet, Sendable {
        package let rawValue: Int16

        package init(rawValue: Int16) { self.rawValue = rawValue }

        package static let reading = Readiness(rawValue: Int16(POLLIN))
        package static let writing = Readiness(rawValue: Int16(POLLOUT))
    }

    /// The end of a watch.
    package enum Ending: Sendable {
        /// The socket is ready, or can never be.
        case ready
        /// The deadline has passed.
        case late
        /// It was ended by ``SocketPoll/end(_:)``.
        case ended
    }

    private struct Watch {
        let socket: pollfd
        let deadline: ContinuousClock.Instant?
        let ended: @Sendable (_ number: Int, Ending) -> Void
    }

    private struct State {
        var watches: [Int: Watch] = [:]
        var number = 0
    }

    package static let shared = SocketPoll()

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
        DispatchQueue(label: "socket-poll").async { self.run() }
    }

    /// Watches a socket until it is ready for the first time.
    ///
    /// - Parameters:
    ///   - descriptor: the socket. It may be closed as soon as the watch has ended.
    ///   - deadline: the end of the watch; nil for none.
    ///   - ended: called once, with the watch's number: on the thread that polls, which it must not keep, or by
    ///     ``end(_:)``.
    /// - Returns: the number of the watch.
    package func watch(
        _ descriptor: Int32, for readiness: Readiness, until deadline: ContinuousClock.Instant? = nil,
        _ ended: @escaping @Sendable (_ number: Int, Ending) -> Void
    ) -> Int {
        defer { wake() }
        let socket = pollfd(fd: descriptor, events: readiness.rawValue, revents: 0)
        return state.withLock { state in
            state.number += 1
            state.watches[state.number] = Watch(socket: socket, deadline: deadline, ended: ended)
            return state.number
        }
    }

    /// Ends a watch, unless it has ended.
    package func end(_ number: Int) {
        if end(number, .ended) { wake() }
    }

    /// - Returns: false if it had ended.
    @discardableResult
    private func end(_ number: Int, _ ending: Ending) -> Bool {
        guard let watch = state.withLock({ $0.watches.removeValue(forKey: number) }) else { return false }
        watch.ended(number, ending)
        return true
    }

    private func wake() {
        var byte: UInt8 = 0
        _ = write(wakes.writing, &byte, 1)
    }

    private func run() -> Never {
        var bytes = [UInt8](repeating: 0, count: 256)
        while true {
            let watches = Array(state.withLock { $0.watches })
            var sockets = [pollfd(fd: wakes.reading, events: Int16(POLLIN), revents: 0)] + watches.map(\.value.socket)
            poll(&sockets, nfds_t(sockets.count), timeout(watches.compactMap(\.value.deadline).min()))
            while read(wakes.reading, &bytes, bytes.count) == bytes.count {}
            let now = ContinuousClock.now
            for ((number, watch), socket) in zip(watches, sockets.dropFirst()) {
                if socket.revents != 0 {
                    end(number, .ready)
                } else if let deadline = watch.deadline, deadline <= now {
                    end(number, .late)
                }
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
