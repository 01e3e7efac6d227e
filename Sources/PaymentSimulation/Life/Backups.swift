import PaymentCore
import PaymentTesting
import Synchronization

/// The latest copies of the devices' journals.
final class Backups: Sendable {
    private let copies = Mutex<[Int: SimulatedDisk.Copy]>([:])

    subscript(_ device: Int) -> SimulatedDisk.Copy? {
        get { copies.withLock { $0[device] } }
        set { copies.withLock { $0[device] = newValue } }
    }
}

extension Life {
    /// Copies the journals at some moment, as a backup does while payments are made.
    func backup(_ devices: [Device]) async {
        try? await world.clock.sleep(for: .milliseconds(random.below(6000)))
        for device in devices where random.happens(0.7) {
            backups[device.number] = device.disk.copy()
            world.note("the journal of device \(device.number) is copied")
        }
    }

    /// Puts older copies of some journals back, when everything has arrived that was on its way.
    func restore(_ devices: [Device]) async throws {
        for device in devices where random.happens(0.5) {
            guard let copy = backups[device.number] else { continue }
            try await world.clock.sleep(for: .seconds(800))
            let before = device.disk.histories
            device.disk.restore(copy)
            world.note("the journal of device \(device.number) is restored from an older copy")
            let after = Set(device.disk.histories)
            for lost in before where !after.contains(lost) {
                witness.loses(
                    markets.identity(of: lost.attempt.reference.handledPayment ?? lost.attempt.reference),
                    on: device.number)
            }
        }
    }
}
