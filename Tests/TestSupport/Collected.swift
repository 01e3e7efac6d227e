import Synchronization

/// A list that several tasks add to.
package final class Collected<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    package init() {}

    /// Everything so far, in order.
    package var all: [Element] { elements.withLock { $0 } }

    package func add(_ element: Element) { elements.withLock { $0.append(element) } }

    package func clear() { elements.withLock { $0 = [] } }
}
