/// The hosts that a search may ask, with the number of nodes that were named at each.
struct LookupHosts {
    private let allowsPrivate: Bool
    private var counts: [UInt32: (secure: Int, others: Int)] = [:]

    /// - Parameter allowsPrivate: true if nodes of private networks may be asked.
    init(allowsPrivate: Bool) { self.allowsPrivate = allowsPrivate }

    func mayAsk(_ address: DatagramAddress) -> Bool {
        guard address.port != 0, address.host != 0, address.host >> 28 < 0xE else { return false }
        return allowsPrivate || address.isPublic
    }

    /// Counts a host's nodes, so that one machine does not pass for many and no victim is asked many times. Returns
    /// true if the node may be asked, too.
    mutating func admit(_ contact: NodeContact) -> Bool {
        guard contact.address.isPublic else { return true }
        let isSecure = contact.id.belongs(to: contact.address)
        var count = counts[contact.address.host] ?? (0, 0)
        guard isSecure ? count.secure < 8 : count.others < 1 else { return false }
        if isSecure { count.secure += 1 } else { count.others += 1 }
        counts[contact.address.host] = count
        return true
    }
}
