/// A gate that is opened once.
package actor Gate {
    private var isOpen = false
    private var waiters: [CheckedContinuation<Void, Never>] = []

    package init() {}

    /// Lets everything pass, now and later.
    package func open() {
        isOpen = true
        for waiter in waiters { waiter.resume() }
        waiters = []
    }

    /// Waits until the gate is open.
    package func pass() async {
        if isOpen { return }
        await withCheckedContinuation { waiters.append($0) }
    }
}
