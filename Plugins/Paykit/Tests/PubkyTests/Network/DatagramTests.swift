import PaymentCore
import Testing

@testable import PaykitKit
@testable import PaykitProvider

@Suite("Addresses and queues of datagrams")
struct DatagramTests {
    @Test(
        "An address reads and prints as four numbers and a port",
        arguments: ["127.0.0.1:6881", "0.0.0.0:0", "255.255.255.255:65535", "8.8.4.4:53"])
    func texts(_ text: String) throws {
        let address = try #require(DatagramAddress(text))
        #expect(address.description == text)
        #expect(address.octets.map(String.init).joined(separator: ".") == text.prefix { $0 != ":" })
    }

    @Test(
        "Nothing else is an address",
        arguments: [
            "", "127.0.0.1", "127.0.0.1:", ":6881", "127.0.0:1", "127.0.0.1.1:1", "256.0.0.1:1", "127.0.0.01:1",
            "127.0.0.1:65536", "127.0.0.1:01", "+1.0.0.1:1", "1.0.0.1:+1", "localhost:1", "1.0.0.1:1 ", "١.0.0.1:1",
            "[::1]:1", "-1.0.0.1:1", "1..0.1:1",
        ])
    func noAddress(_ text: String) { #expect(DatagramAddress(text) == nil) }

    @Test(
        "An address that is not on the internet is not public",
        arguments: [
            "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1", "169.254.0.1", "172.16.0.1",
            "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.88.99.1", "192.168.0.1", "198.18.0.1", "198.19.255.255",
            "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
        ])
    func reserved(_ host: String) throws {
        #expect(try !#require(DatagramAddress(host + ":1")).isPublic)
    }

    @Test(
        "All others are, with a port",
        arguments: [
            "1.0.0.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "172.15.0.1", "172.32.0.0",
            "192.0.1.1", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255",
        ])
    func open(_ host: String) throws {
        #expect(try #require(DatagramAddress(host + ":1")).isPublic)
        #expect(try !#require(DatagramAddress(host + ":0")).isPublic)
    }

    private func datagram(_ number: UInt8) -> Datagram { Datagram(bytes: [number], sender: .loopback(port: 1)) }

    @Test("A queue keeps the order, up to its bound")
    func bounded() async throws {
        let inbox = Inbox<Datagram, DatagramError>(capacity: 3)
        for number in 0..<5 as Range<UInt8> { inbox.offer(datagram(number)) }
        #expect(inbox.dropped == 2)
        for number in 0..<3 as Range<UInt8> { #expect(try await inbox.take().get() == datagram(number)) }
        inbox.close()
        inbox.offer(datagram(9))
        await #expect(throws: DatagramError.closed) { try await inbox.take().get() }
    }

    @Test(
        "Each datagram goes to one waiting caller, and none is lost when others are cancelled", .timeLimit(.minutes(1)))
    func waiters() async throws {
        let inbox = Inbox<Datagram, DatagramError>(capacity: 1000)
        let taken = await withTaskGroup(of: UInt8?.self) { group in
            for number in 0..<100 {
                group.addTask {
                    // Every second task is cancelled, at once or while it waits.
                    let task = Task { try await inbox.take().get() }
                    if number % 2 == 0 { task.cancel() }
                    return try? await task.value.bytes[0]
                }
            }
            for number in 0..<100 as Range<UInt8> {
                group.addTask {
                    inbox.offer(Datagram(bytes: [number], sender: .any))
                    return nil
                }
            }
            return await group.reduce(into: [UInt8]()) { if let number = $1 { $0.append(number) } }
        }
        inbox.close()
        #expect((50...100).contains(taken.count))
        #expect(Set(taken).count == taken.count)
    }
}
